/**
 * The configuration that the core uses: the same for every file format, with defaults filled in and `${env:NAME}`
 * replaced.
 */
import type { autoMode, ModeName } from './mode-names.ts';
import type { ServerConfig } from './server-config.ts';

/** A registry in which servers can be looked up. */
export interface RegistryConfig {
  readonly name: string;
  /** Base URL of its API, without `/v0.1`; or the absolute path of a local file. */
  readonly url: string;
}

/** Tools by name or `server:tool`, ignoring case. */
export interface ToolFilter {
  /** Only these tools; empty: all. */
  readonly allow: readonly string[];
  /** Excluded tools; wins over `allow`. */
  readonly deny: readonly string[];
}

/** The tools that `proxy-dispatch` lists and calls, and its result format. */
interface DispatchSettings extends ToolFilter {
  /** Text as it is, or the whole result as JSON (as in mini-a); undefined: text. */
  readonly results?: 'text' | 'full' | undefined;
}

/** Default number of tools returned by `retrieve_tools`; undefined for as many as fit well. */
export interface RetrieveSettings {
  readonly limit: number | undefined;
}

/** Settings for large results. */
export interface ResultSettings {
  /** Results with a larger payload are spilled, in bytes (UTF-8); 0: none; undefined: depends on the client app. */
  readonly threshold: number | undefined;
  /** The same by server (`github`) or tool (`github:list_issues`); the tool's takes precedence. */
  readonly thresholds: Readonly<Record<string, number>>;
  /** The same by client app, named as in `appModes`; a server's or tool's takes precedence. */
  readonly appThresholds: Readonly<Record<string, number>>;
  /** Convert results to TOON if that is at least 15 % smaller than JSON. */
  readonly toon: boolean;
  /** Remove characters that users do not see but models read: invisible characters, bidirectional marks. */
  readonly clean: boolean;
  /** How long results of read-only tools may be reused, in seconds, by server or tool. */
  readonly cacheSeconds: Readonly<Record<string, number>>;
  /** Spills older than this are deleted, in days. */
  readonly retentionDays: number;
  /** Quota of all spills, in bytes and by count; the oldest are evicted first. */
  readonly maxBytes: number;
  readonly maxCount: number;
  /** Delete spills that are not retained when Tooltray stops. */
  readonly deleteOnExit: boolean;
  /** Absolute folders that `resultFile` and `argumentsFile` may name in addition to spills. */
  readonly folders: readonly string[];
}

/** The servers and tools visible to holders of this profile. All others are hidden from them and cannot be called. */
export interface Profile {
  /** Only these servers; absent: all. */
  readonly servers?: readonly string[] | undefined;
  /** Only these tools, by name or `server:tool`; absent: all of the servers. */
  readonly tools?: readonly string[] | undefined;
  /** Excluded tools; wins over `tools`. */
  readonly except?: readonly string[] | undefined;
  /** Only tools that their server declares read-only. */
  readonly readOnly?: boolean | undefined;
  /** Only tools that their server declares non-destructive. */
  readonly noDestructive?: boolean | undefined;
  /** Only tools that their server declares closed-world (`openWorldHint: false`). */
  readonly noOpenWorld?: boolean | undefined;
}

/** Keys of settings that a layer below the organization's may override; members of `results` individually. */
export const layerSettings = [
  ...([
    'mode',
    'appModes',
    'ui',
    'appUi',
    'condense',
    'enrichment',
    'extraTools',
    'slowCallSeconds',
    'retrieve',
  ] as const),
  ...([
    'code',
    'quotas',
    'results.threshold',
    'results.thresholds',
    'results.appThresholds',
    'results.toon',
    'results.clean',
  ] as const),
] as const;

export type LayerSetting = (typeof layerSettings)[number];

/** The contents of a group's or user's file, as far as the organization allows them. */
export interface Layer {
  /** Profiles that restrict access; those of all layers apply. */
  readonly profiles: readonly Profile[];
  readonly settings: Partial<Pick<ModeSettings, 'mode' | 'appModes' | 'ui' | 'appUi' | 'condense' | 'enrichment'>> &
    Partial<Pick<ModeSettings, 'extraTools'> & Pick<CallSettings, 'slowCallSeconds'>> & {
      readonly retrieve?: Partial<RetrieveSettings>;
      readonly code?: Partial<CodeSettings>;
      readonly results?: Partial<ResultSettings>;
    };
  /** Preferred tools among equal search hits, by name or `server:tool`. */
  readonly favorites: readonly string[];
  readonly quotas: readonly NamedQuota[];
}

/** Limits the calls of users: exactly one of `calls`, `bytes` (both per `window`) and `maxConcurrent`. */
export interface Quota {
  /** One counter per combination of these; empty: one for all. */
  readonly groupBy: readonly ('user' | 'app' | 'server' | 'tool')[];
  /** Only calls of these servers and tools; tools by name or `server:tool`. */
  readonly servers?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly calls?: number | undefined;
  /** Size of the returned results, in bytes. */
  readonly bytes?: number | undefined;
  readonly window?: 'minute' | 'hour' | 'day' | undefined;
  readonly maxConcurrent?: number | undefined;
}

export interface NamedQuota extends Quota {
  readonly name: string;
  /** Key of the counter: a layer's quota is separate from the organization's of the same name. */
  readonly id: string;
  /** Whether it replaces a quota of that name above it. */
  readonly replaces: boolean;
}

/** The layers in the folder of the organization's file, by name of group or user. */
export interface ConfigLayers {
  readonly groups: Readonly<Record<string, Layer>>;
  readonly users: Readonly<Record<string, Layer>>;
}

/** The configuration changes that models may make. */
interface ChangePolicy {
  /** Ask the user, permit, or refuse. */
  readonly agentChanges: 'ask' | 'allow' | 'refuse';
  /** Whether models may propose servers to add, and servers to remove. */
  readonly allowAdd: boolean;
  readonly allowRemove: boolean;
}

/** The roles of a tool in data flow: it reads untrusted content, or sends data out. */
export const dataFlowRoles = ['source', 'destination'] as const;

export type DataFlowRole = (typeof dataFlowRoles)[number];

/** Settings of the data flow check. */
export interface DataFlowSettings {
  /** `off` does nothing, `record` counts what would need approval, `ask` asks the user. */
  readonly mode: 'off' | 'record' | 'ask';
  /** How long a call waits for the user if its client app cannot use a handle, in seconds. */
  readonly waitSeconds: number;
  /** How long an approval stays open, in minutes. */
  readonly approvalTimeoutMinutes: number;
  /** Roles by `server` or `server:tool`; the tool's wins. Guessed if absent. */
  readonly roles: Readonly<Record<string, readonly DataFlowRole[]>>;
  /** Sensitive data in arguments: ask as for destinations, or replace it with `***`. */
  readonly secrets: 'ask' | 'mask' | 'off';
}

/** How much load the HTTP endpoint accepts. Further requests are refused with 429 or 503 and a retry delay. */
export interface HttpSettings {
  /** Stateful sessions. */
  readonly maxSessions: number;
  /** Idle time after which a session ends, in minutes. */
  readonly sessionIdleMinutes: number;
  /** Persistent streams: `subscriptions/listen`, and the GET of a session. */
  readonly maxStreams: number;
  /** Running requests. */
  readonly maxRequests: number;
  /** Maximum body size, in MB. */
  readonly maxBodyMB: number;
  /** How long running requests may take at shutdown, in seconds; undefined: the default of the edition. */
  readonly drainSeconds: number | undefined;
}

/** Delivery of the audit log; a team's replicas also push records to other places. */
export interface AuditSettings {
  /** Whether a call returns only after its record is stored, and fails if it cannot be stored. */
  readonly writeAhead: boolean;
  readonly push: readonly ('stdout' | 'otlp')[];
}

/** Processes of individual users. */
export interface UserProcessSettings {
  /** Maximum number of processes of all users on one replica; each takes about 80 MB. */
  readonly maxPerReplica: number;
  /** Maximum number of processes of one user. */
  readonly maxPerUser: number;
  /** Idle minutes after which a server is stopped, unless its entry overrides it. */
  readonly idleMinutes: number;
}

/** Limits of each command that a team's replica starts. */
export interface CommandLimits {
  /** Data of each process, or of the whole container. */
  readonly memoryMB: number;
  /** Processes and threads of one sandbox or container. */
  readonly processes: number;
  /** Open files of each process. */
  readonly openFiles: number;
  /** Processors of a container. Other commands have no limit, but a lower priority than the replica. */
  readonly cpus: number;
}

/** For a single user, who waits for the shutdown, in seconds. */
export const defaultDrainSeconds = 5;

export interface CodeSettings {
  /** Whether `code_execution` and `execute` are enabled. */
  readonly enabled: boolean;
  /** Default timeout of a run; undefined means the code runner's own. */
  readonly timeoutSeconds: number | undefined;
  readonly maxToolCalls: number | undefined;
}

/**
 * How much of a tool's definition a list shows. `toolmux`: one line and a schema of types, as ToolMux does; `shape`:
 * every keyword that constrains arguments; `lean`: also descriptions of parameters whose names are not descriptive;
 * `full`: unchanged.
 */
export const condenseLevels = ['toolmux', 'shape', 'lean', 'full'] as const;

export type CondenseLevel = (typeof condenseLevels)[number];

export const uiSettings = ['listed', 'on-demand', 'off'] as const;

export type UiSetting = (typeof uiSettings)[number];

/** Returns a client app's UI setting, or the general one. */
export function uiSettingFor({ ui, appUi }: Pick<ModeSettings, 'ui' | 'appUi'>, app: string | undefined): UiSetting {
  return (app !== undefined && Object.hasOwn(appUi, app) ? appUi[app] : undefined) ?? ui;
}

/** The product that owns a config file, detected from its content: some keys differ in meaning. */
export type ConfigProduct = 'tooltray' | 'toolmux' | 'magg' | 'mcpproxy';

/** Settings for what client apps are shown. */
interface ModeSettings {
  /** The default mode of sessions. */
  readonly mode: ModeName | typeof autoMode;
  /** Mode by client app name: `--app`, `/mcp/app/<name>`, or its `clientInfo.name`. */
  readonly appModes: Readonly<Record<string, ModeName | typeof autoMode>>;
  /**
   * Tools with a user interface, for apps that render it: listed additionally, treated like other tools, or ignored.
   */
  readonly ui: UiSetting;
  /** The same by client app, named as in `appModes`. */
  readonly appUi: Readonly<Record<string, UiSetting>>;
  /** Leaves descriptions and schemas unchanged; an older spelling of `condense: "full"`. */
  readonly raw: boolean;
  /** How much of a tool's definition a list shows; undefined: depends on the product of the config file. */
  readonly condense: CondenseLevel | undefined;
  /**
   * When gateway and meta add a tool's schema to its result: after invalid arguments, or also at its first use in a
   * session, as ToolMux does; undefined: depends on the product of the config file.
   */
  readonly enrichment: 'errors' | 'first-use' | undefined;
  /** Names of helper tools listed in addition to the mode's own. */
  readonly extraTools: readonly string[];
  /** Whether every mode lists the helper tools that administer servers; they can be called either way. */
  readonly exposeAdmin: boolean;
  /** Applies to this tool only, not to other ways to call a tool. */
  readonly dispatch: DispatchSettings;
  readonly retrieve: RetrieveSettings;
  /** Settings for code that models write. */
  readonly code: CodeSettings;
}

/** Restricts what client apps may see and call. */
export interface ProfileSettings {
  /** Named sets of servers and tools, for apps and endpoints restricted to them. */
  readonly profiles: Readonly<Record<string, Profile>>;
  /** The profile of a client app, by its name; an unknown profile permits nothing. */
  readonly appProfiles: Readonly<Record<string, string>>;
}

/** How servers are started unless their entry differs. */
export interface LaunchDefaults {
  /** Default time limits for a call and a server's start, in seconds; undefined: `serverDefaults`. */
  readonly callTimeoutSeconds: number | undefined;
  readonly initTimeoutSeconds: number | undefined;
  /** Whether commands run in containers (MCPProxy's docker_isolation), unless their entry differs. */
  readonly isolateCommands: boolean;
}

/** How calls and their results are treated. */
interface CallSettings {
  readonly results: ResultSettings;
  /** After this time a call continues with a handle, in seconds; 0: never; undefined: depends on the client app. */
  readonly slowCallSeconds: number | undefined;
  /** Tools that are polled, by `tool` or `server:tool`, with `*` as wildcard: no notice about equal calls. */
  readonly pollingTools: readonly string[];
  /** Tokens per day by client app, `*` for all others; the model is told at 80 and 100 %. */
  readonly tokenBudgets: Readonly<Record<string, number>>;
  /** Price of a million tokens, for savings in money: `3`, with the user's currency. */
  readonly price: { readonly perMillionTokens: number | undefined; readonly currency: string };
}

/** Which changes and which data need the user's approval. */
interface TrustSettings {
  readonly policy: ChangePolicy;
  /** Whether edits of the config file by other programs need no approval. */
  readonly trustEdits: boolean;
  /** Repairs a server that does not start from other apps' launches: after approval, automatically, or not at all. */
  readonly heal: 'ask' | 'auto' | 'off';
  readonly dataFlow: DataFlowSettings;
  /**
   * How to treat server texts changed by an update: hold for review, use with a warning, or use if the scan finds
   * nothing. Texts changed without an update are always held.
   */
  readonly reviews: { readonly onChange: 'hold' | 'warn' | 'scan' };
}

/** Settings for teams only. */
interface TeamSettings {
  readonly userProcesses: UserProcessSettings;
  readonly commandLimits: CommandLimits;
  readonly audit: AuditSettings;
  /** Settings that group and user files may override; undefined: the default (layers/read-layer.ts). Needs a folder. */
  readonly overridable: LayerOverrides | undefined;
  /** Quotas, by name. */
  readonly quotas: Readonly<Record<string, Quota>> | undefined;
  /** Absent if the config is one file. */
  readonly layers?: ConfigLayers;
}

export interface AppConfig
  extends ModeSettings, ProfileSettings, LaunchDefaults, CallSettings, TrustSettings, TeamSettings {
  /** Absolute path of the file this was read from. */
  readonly path: string;
  readonly product: ConfigProduct;
  readonly servers: readonly ServerConfig[];
  /** Port of the HTTP listener on 127.0.0.1; 0 takes any free one. */
  readonly port: number;
  readonly http: HttpSettings;
  /** Maximum number and bytes of activity records, and whether the payload texts of calls are stored with them. */
  readonly activity: { readonly maxRows: number; readonly maxBytes: number; readonly storePayloads: boolean };
  /** Registries in addition to the official one; one named `official` replaces it. */
  readonly registries: readonly RegistryConfig[];
  /** `clientMetadataUrl`: https address of a client ID metadata document, for servers whose entry names none. */
  readonly oauth: { readonly clientMetadataUrl: string | undefined };
  /** PEM file of certificate authorities that are trusted in addition to those of Node.js and the system. */
  readonly network: { readonly extraCaFile: string | undefined };
}

/** Undefined: the default. */
export interface LayerOverrides {
  readonly groups?: readonly LayerSetting[] | undefined;
  readonly users?: readonly LayerSetting[] | undefined;
}

/** Something in the config file that the user should fix. Positions are 1-based. */
export interface ConfigProblem {
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Position in the file, as keys: `servers.github.command`. */
  readonly path: string;
  readonly reason: string;
  readonly suggestion: string | undefined;
  /** The server it belongs to. An error means that the entry as written is not in use. */
  readonly server?: string;
  /** Whether a layer set something that it may not override. */
  readonly isRefused?: true;
}
