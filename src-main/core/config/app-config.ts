/** The configuration as the core uses it: one shape for every format, defaults filled in, `${env:NAME}` replaced. */
import type { autoMode, ModeName } from './mode-names.ts';
import type { ServerConfig } from './server-config.ts';

/** A registry in which servers can be looked up. */
export interface RegistryConfig {
  readonly name: string;
  /** Base URL of its API, without `/v0.1`; or the absolute path of a local file. */
  readonly url: string;
}

/** Tools by name or `server:tool`, whatever their case. */
export interface ToolFilter {
  /** Only these, unless empty. */
  readonly allow: readonly string[];
  /** Excluded tools; wins over `allow`. */
  readonly deny: readonly string[];
}

/** The tools that `proxy-dispatch` lists and calls, and its result format. */
interface DispatchSettings extends ToolFilter {
  /** A text as it is, or as in mini-a: the whole result as JSON; undefined: the former. */
  readonly results?: 'text' | 'full' | undefined;
}

/** Default number of tools returned by `retrieve_tools`; undefined for as many as fit well. */
export interface RetrieveSettings {
  readonly limit: number | undefined;
}

/** Settings for results that are too long for a model. */
export interface ResultSettings {
  /** Answers of more bytes (UTF-8) are kept on disk; 0: none is; undefined: what suits the client app. */
  readonly threshold: number | undefined;
  /** The same by server (`github`) or tool (`github:list_issues`); the tool's wins. */
  readonly thresholds: Readonly<Record<string, number>>;
  /** The same by client app, named as in `appModes`; a server's or tool's wins. */
  readonly appThresholds: Readonly<Record<string, number>>;
  /** Tell answers as TOON where that is at least 15 % smaller than JSON. */
  readonly toon: boolean;
  /** Leave out of answers what nobody sees and a model reads: invisible characters, marks that turn the writing. */
  readonly clean: boolean;
  /** How long results of read-only tools may be reused, in seconds, by server or tool. */
  readonly cacheSeconds: Readonly<Record<string, number>>;
  /** Kept answers older than this go, in days. */
  readonly retentionDays: number;
  /** Quota of all spills, in bytes and by count; the oldest are evicted first. */
  readonly maxBytes: number;
  readonly maxCount: number;
  /** Delete what is not pinned when Tooltray stops. */
  readonly deleteOnExit: boolean;
  /** Folders (absolute) that `resultFile` and `argumentsFile` may name besides kept answers. */
  readonly folders: readonly string[];
}

/** The servers and tools visible to holders of this profile. All others are hidden from them and cannot be called. */
export interface Profile {
  /** Only these; absent: all. */
  readonly servers?: readonly string[] | undefined;
  /** Only these, by name or `server:tool`; absent: all of the servers. */
  readonly tools?: readonly string[] | undefined;
  /** Excluded tools; wins over `tools`. */
  readonly except?: readonly string[] | undefined;
  /** Only tools that their server declares read-only. */
  readonly readOnly?: boolean | undefined;
  /** Only tools of which their server says that they destroy nothing. */
  readonly noDestructive?: boolean | undefined;
  /** Only tools of which their server says that they do not reach the open world. */
  readonly noOpenWorld?: boolean | undefined;
}

/** Settings that a layer below the organization's may have of its own, by their key; of `results` each by itself. */
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
  /** Tools that come first where several fit, by name or `server:tool`. */
  readonly favorites: readonly string[];
  readonly quotas: readonly NamedQuota[];
}

/** How much users may call: exactly one of `calls`, `bytes` (both per `window`) and `maxConcurrent`. */
export interface Quota {
  /** Each of these has a count of its own; none: all have one together. */
  readonly groupBy: readonly ('user' | 'app' | 'server' | 'tool')[];
  /** Only calls of these; tools by name or `server:tool`. */
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
  /** It takes the place of one of that name above it. */
  readonly replaces: boolean;
}

/** The layers in a folder below the organization's file, by name of group or user. */
export interface ConfigLayers {
  readonly groups: Readonly<Record<string, Layer>>;
  readonly users: Readonly<Record<string, Layer>>;
}

/** The configuration changes that models may make. */
interface ChangePolicy {
  /** A user is asked, it just happens, or it is refused. */
  readonly agentChanges: 'ask' | 'allow' | 'refuse';
  /** Whether models may ask for servers to be added, and removed, at all. */
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
  /** Keys, card numbers and the like in sent data: ask as for destinations, or send `***` in their place. */
  readonly secrets: 'ask' | 'mask' | 'off';
}

/** How much load the HTTP endpoint accepts. Further requests are refused with 429 or 503 and a retry delay. */
export interface HttpSettings {
  /** Sessions of the handshake era. */
  readonly maxSessions: number;
  /** A session without a message for this long is over. */
  readonly sessionIdleMinutes: number;
  /** Streams that stay open: `subscriptions/listen`, and the GET of a session. */
  readonly maxStreams: number;
  /** Requests that are being answered. */
  readonly maxRequests: number;
  /** The longest body, in MB. */
  readonly maxBodyMB: number;
  /** How long running requests may take when Tooltray ends, in seconds; undefined: the default of the edition. */
  readonly drainSeconds: number | undefined;
}

/** Delivery of the audit log; a team's replicas also push records to other places. */
export interface AuditSettings {
  /** A call returns once its record is stored, and not at all if it cannot be stored. */
  readonly writeAhead: boolean;
  readonly push: readonly ('stdout' | 'otlp')[];
}

/** Processes that belong to one user each. */
export interface UserProcessSettings {
  /** Processes of all users on one replica; one takes about 80 MB. */
  readonly maxPerReplica: number;
  /** Processes of one user at a time. */
  readonly maxPerUser: number;
  /** Idle minutes after which a server is stopped, unless its entry overrides it. */
  readonly idleMinutes: number;
}

/** For one user, who waits for the end, in seconds. */
export const defaultDrainSeconds = 5;

export interface CodeSettings {
  /** Whether `code_execution` and `execute` run anything. */
  readonly enabled: boolean;
  /** Default timeout of a run; undefined means the code runner's own. */
  readonly timeoutSeconds: number | undefined;
  readonly maxToolCalls: number | undefined;
}

/**
 * How much of a server's tool a list shows. `toolmux`: one line and a schema of types, as ToolMux does; `shape`: every
 * keyword that decides which arguments are taken; `lean`: that, and what parameters are for where their names do not
 * say it; `full`: untouched.
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

/** What client apps are shown. */
interface ModeSettings {
  /** The mode of sessions that do not ask for another. */
  readonly mode: ModeName | typeof autoMode;
  /** Mode by client app name: `--app`, `/mcp/app/<name>`, or its `clientInfo.name` in the handshake. */
  readonly appModes: Readonly<Record<string, ModeName | typeof autoMode>>;
  /** Tools with a user interface, for apps that show it: also listed, reached like all others, or ignored. */
  readonly ui: UiSetting;
  /** The same by client app name, as `appModes` has it. */
  readonly appUi: Readonly<Record<string, UiSetting>>;
  /** Leave descriptions and schemas of servers as they are: the same as `condense: "full"`, and older. */
  readonly raw: boolean;
  /** How much of a server's tool a list shows; undefined: what suits whose file it is. */
  readonly condense: CondenseLevel | undefined;
  /**
   * When gateway and meta add a tool's schema to its result: after wrong arguments, or also at its first use in a
   * session, as ToolMux does; undefined: what suits the product of the config file.
   */
  readonly enrichment: 'errors' | 'first-use' | undefined;
  /** Names of helper tools listed besides the mode's own. */
  readonly extraTools: readonly string[];
  /** List the helper tools that administer servers in every mode; they can be called either way. */
  readonly exposeAdmin: boolean;
  /** Other ways to a tool are not its business. */
  readonly dispatch: DispatchSettings;
  readonly retrieve: RetrieveSettings;
  /** Code that models write. */
  readonly code: CodeSettings;
}

/** What client apps may see and call. */
export interface ProfileSettings {
  /** Named sets of servers and tools, for apps and addresses that are to have no others. */
  readonly profiles: Readonly<Record<string, Profile>>;
  /** The profile that a client app is held to, by its name; one that is not there lets nothing through. */
  readonly appProfiles: Readonly<Record<string, string>>;
}

/** How servers are started unless their entry differs. */
export interface LaunchDefaults {
  /** Default time limits for a call and a server's start, in seconds; undefined: `serverDefaults`. */
  readonly callTimeoutSeconds: number | undefined;
  readonly initTimeoutSeconds: number | undefined;
  /** Runs servers started by a command in a container (MCPProxy's docker_isolation), unless their entry differs. */
  readonly isolateCommands: boolean;
}

/** How calls and their results are treated. */
interface CallSettings {
  readonly results: ResultSettings;
  /** A call that takes longer continues with a handle, in seconds; 0: never; undefined: what suits the client app. */
  readonly slowCallSeconds: number | undefined;
  /** Tools that are repeated on purpose, by `tool` or `server:tool`, also with `*`: no notice about equal calls. */
  readonly pollingTools: readonly string[];
  /** Tokens per day by client app, `*` for every other one; the model is told at 80 and 100 %. */
  readonly tokenBudgets: Readonly<Record<string, number>>;
  /** Cost of a million tokens, for savings in money: `3`, with the user's currency. */
  readonly price: { readonly perMillionTokens: number | undefined; readonly currency: string };
}

/** Which changes and which data need the approval of the user. */
interface TrustSettings {
  readonly policy: ChangePolicy;
  /** Edits of the home's own config file by other programs count as the user's word. */
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

/** Settings that only a team uses. */
interface TeamSettings {
  readonly userProcesses: UserProcessSettings;
  readonly audit: AuditSettings;
  /** Settings that group and user files may set; undefined: the default (layers/read-layer.ts). Needs a folder. */
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
  /** `clientMetadataUrl`: a document about us at an https address, for every server whose entry names none. */
  readonly oauth: { readonly clientMetadataUrl: string | undefined };
  /** PEM file of certificate authorities that are trusted besides those of Node.js and of the system. */
  readonly network: { readonly extraCaFile: string | undefined };
}

/** Undefined: the usual ones. */
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
  /** A layer said what it may not. */
  readonly isRefused?: true;
}
