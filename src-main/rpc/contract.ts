/**
 * The requests that the page may send to the core, and their results. Types only: the one file of src-main that the
 * renderer imports.
 */
import type { ViewGrant, ViewRequirements } from '../core/mcp-apps/view-policy.ts';
import type { AuditFilter, AuditRecord } from '../core/trust/audit/audit-entries.ts';
import type { SavingsQuery, SavingsReport } from '../core/activity/ledger/ledger-table.ts';
import type { StepSearch, StepTotals } from '../core/activity/activity-worker/step-search.ts';
import type { StepKind } from '../core/activity/steps/step.ts';
import type { ServerVariables } from '../core/admin/environment-source.ts';
import type { RemovalResult } from '../core/admin/server-removal.ts';
import type { ServerProvenance } from '../core/admin/server-provenance.ts';
import type { ServerReview } from '../core/admin/server-reviews.ts';
import type { OfferTest } from '../core/admin/offer-tests.ts';
import type { EntryProbe as ServerTrialResult } from '../core/admin/probe-entry.ts';
import type {
  AccessRow,
  AppRow,
  InstallOutcome,
  InstallPreview,
  OfferedServer,
  UninstallPreview,
} from '../core/client-apps/app-rows.ts';
import type { RestoredFiles } from '../core/client-apps/install.ts';
import type { FileChange, ImportOutcome } from '../core/client-apps/import-servers.ts';
import type { IssuedToken, ProfileRow, ProfilesOverview, ProfileTokenRow } from '../core/profiles/profile-service.ts';
import type { Finding as HealthFinding, FindingAction } from '../core/health/finding.ts';
import type { StoreProblem } from '../core/health/store-health.ts';
import type { HealthLevel } from '../core/servers/server-state.ts';
import type { ServerUsage, Usage } from '../core/servers/usage-meter.ts';
import type { DataFlowEvent, DataFlowSummary } from '../core/trust/data-flow/data-flow-stats.ts';
import type {
  PastDecision,
  DiffLine,
  InboxItem,
  InboxSummary,
  Consequence,
  DecisionResult,
} from '../core/trust/inbox/inbox-item.ts';
import type { FoundSecret } from '../core/secrets/find-plaintext-secrets.ts';
import type { MovedSecrets, SecretRow } from '../core/secrets/secret-service.ts';
import type { KeyPlaceName, VaultStatus } from '../core/secrets/secret-store.ts';
import type { RegistryConfig } from '../core/config/app-config.ts';
import type { PastedText } from '../core/paste-import/pasted-server.ts';
import type { RegistryInput } from '../core/registry/parse-input.ts';
import type { InstallOption } from '../core/registry/parse-option.ts';
import type { AddServerOutcome, InstallPreviewDetails } from '../core/registry/registry-service.ts';
import type { RegistryServer } from '../core/registry/registry-server.ts';
import type { SpillRead, SqlRows } from '../core/spills/spill-queries.ts';
import type { ScanFinding, ScanVerdict } from '../core/trust/scan/scan-finding.ts';
import type { DefinitionKind } from '../core/trust/scan/definition-texts.ts';
import type { ModePreview } from '../core/calls/preview-by-mode.ts';
import type { LabelDescription } from '../core/calls/describe-labels.ts';
import type { ServerLatency } from '../core/activity/call-charts.ts';
import type { UnspilledReason } from '../core/activity/call-record.ts';
import type { Annotation } from '../core/activity/annotations.ts';

export type { HealthFinding };
export type { StoreName, StoreProblem } from '../core/health/store-health.ts';
export type { FileChange, OfferTest };
export type { HealthLevel, ServerReview, ServerTrialResult, ServerUsage };
export type {
  PastDecision,
  DiffLine,
  InboxAction,
  InboxItem,
  InboxKind,
  InboxPart,
  InboxRisk,
  InboxSummary,
  Consequence,
  TextSegment,
} from '../core/trust/inbox/inbox-item.ts';
export type { FoundSecret, Annotation, MovedSecrets, UnspilledReason, SecretRow, ServerLatency, VaultStatus };
export type {
  AccessRow,
  AppRow,
  InstallOutcome,
  InstallPreview,
  OfferedServer,
  UninstallPreview,
} from '../core/client-apps/app-rows.ts';

/** State of a connection; the diagram is in core/servers. */
type ServerState =
  | 'disconnected'
  | 'connecting'
  | 'installing'
  | 'pending-sign-in'
  | 'authenticating'
  | 'discovering'
  | 'ready'
  | 'error'
  | 'disabled';

/** An action that would fix an unhealthy server. */
interface HealthAction {
  readonly kind:
    | 'retry'
    | 'sign-in'
    | 'enable'
    | 'review'
    | 'edit-config'
    | 'view-log'
    | 'add-secret'
    | 'unlock'
    | 'heal';
  readonly label: string;
  /** With `add-secret`: the one that it needs. */
  readonly secret?: string;
  /** With `retry`: the folder of a damaged package that `clear` removes. */
  readonly clears?: string;
}

/** One server, as a row of the table. All texts may come from the server itself: show them as text, never as HTML. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  readonly level: HealthLevel;
  /** Two or three words: Ready, Starting 12 s, Needs sign-in. */
  readonly summary: string;
  /** The cause, in a sentence; may be empty. */
  readonly detail: string;
  /** The cause in the few words that stand behind its name: `needs GITHUB_TOKEN`; undefined where nothing is wrong. */
  readonly reason?: string;
  readonly action?: HealthAction;
  /** Number of tools it offers. */
  readonly tools: number;
  readonly transport: 'stdio' | 'http' | 'sse' | 'builtin';
  /** Its command line or address, secrets masked. */
  readonly endpoint: string;
  /** The user's sign-in to it, if any. */
  readonly signedIn?: SignedIn;
}

export interface SignedIn {
  /** Who signs people in for it: a host. */
  readonly at: string;
  /** The account; empty if unknown. */
  readonly account: string;
  /** The rights granted, one each, in words if their names allow it. */
  readonly rights: readonly string[];
}

/** One client app in session: it is using Tooltray now. */
export interface SessionStatus {
  readonly id: string;
  /** The name that the client app reports. */
  readonly app: string;
  /** Display name of the app. */
  readonly appName: string;
  /** The protocol revision it speaks, such as `2025-11-25`. */
  readonly era: string;
  readonly mode: string;
  /** Why this mode, where `auto` chose it. */
  readonly reason?: string;
  /** It was told that its tools have changed, and goes on with the old list. */
  readonly staleList: boolean;
  /** One sentence that the user should read or act on; may be empty. */
  readonly note: string;
  /** Calls so far. */
  readonly calls: number;
}

/** The answer to `GET /rpc/state`. */
export interface CoreState {
  readonly version: string;
  /** Path of the config file. */
  readonly home: string;
  /** Folder of the logs; each server's own stderr lies in `servers` below it. */
  readonly logDir: string;
  /** Path of the unix socket, or name of the pipe, for shims. */
  readonly socket: string;
  /** Address of the MCP endpoint for client apps that speak HTTP; empty when there is none. */
  readonly http: string;
  /** Why HTTP is not where the config wants it, and what to do; empty where it is. */
  readonly httpProblem: string;
  /** Why apps that declare extensions of MCP do not see them; empty if nothing prevents it. */
  readonly extensionProblem: string;
  /** Stores that cannot be written now. */
  readonly storeProblems: readonly StoreProblem[];
  /** The mode of sessions that ask for no other. */
  readonly mode: string;
  readonly sessions: readonly SessionStatus[];
  readonly servers: readonly ServerStatus[];
  /** Errors in the config file, a sentence each; an entry that cannot be used is not among `servers`. */
  readonly configProblems: readonly string[];
  /** ms since 1970. */
  readonly startedAt: number;
  readonly paused: boolean;
}

/** Tools of one server that a text fits. */
export interface ToolMatches {
  readonly server: string;
  /** The first of them, those with the text in their name before the others. */
  readonly tools: readonly string[];
  /** How many there are. */
  readonly total: number;
}

/** One line of a server's log. Its text may come from the server: show it as text, never as HTML. */
export interface ServerLogLine {
  /** ms since 1970; undefined: not known. */
  readonly at: number | undefined;
  /** `tooltray`: what became of the server, in our words. */
  readonly from: 'server' | 'tooltray';
  /** An MCP log level; undefined if the source named none. */
  readonly level: 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency' | undefined;
  readonly text: string;
}

/** A tool as the command line shows it. */
export interface ToolSummary {
  readonly id: string;
  readonly listedName: string;
  readonly description: string;
}

/** One hit of a search. */
export interface SearchHitSummary extends ToolSummary {
  readonly why: string;
}

interface ProposedChange {
  /** `file`: another program wrote it into the config file. */
  readonly kind: 'add' | 'remove' | 'update' | 'enable' | 'disable' | 'describe' | 'file';
  /** Empty for a setting. */
  readonly server: string;
  readonly sentence: string;
  /** Consequences of approval, gravest first. */
  readonly meanings: readonly Consequence[];
  /** Every line of the entry, today's and the one to come, in order. */
  readonly lines: readonly DiffLine[];
  /** The whole entry as it would stand; missing where none would. */
  readonly entry?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Something that waits for the person's word. Its texts are verbatim, secrets too: what is masked would be agreed to
 * unseen.
 */
export interface ProposalSummary {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  /** A model asked, or another program changed the config file; `app` and `tool` are empty then. */
  readonly origin: 'model' | 'file';
  /** The client app it came from, as people call it, and the tool that was used. */
  readonly app: string;
  readonly tool: string;
  readonly sentence: string;
  /**
   * Approving starts, reaches or tells models something that was not: not to be the button that is pressed in passing.
   */
  readonly risky: boolean;
  /** Decided on together. */
  readonly changes: readonly ProposedChange[];
}

/** Requests to a running core: name, input, output. */
export interface RpcContract {
  state: { input: Record<string, never>; output: CoreState };
  tools: { input: { readonly server?: string }; output: { readonly tools: readonly ToolSummary[] } };
  search: {
    input: { readonly query: string; readonly limit?: number };
    output: { readonly total: number; readonly hits: readonly SearchHitSummary[] };
  };
  /** Looks what servers list for what attacks are made of; told is what is for review or worse. */
  scan: {
    input: { readonly server?: string };
    output: { readonly scanned: number; readonly found: readonly ScannedDefinition[] };
  };
  /** Calls a tool as the person, a server's or one of our own; the answer is the tool's result. */
  call: {
    input: {
      readonly tool: string;
      readonly arguments: Record<string, unknown>;
      /** The most that the call is meant to do; refused if the server says that the tool does more. */
      readonly intent?: 'read' | 'write' | 'destructive';
      /** Why, for the record. */
      readonly reason?: string;
    };
    output: Record<string, unknown>;
  };
  proposals: { input: Record<string, never>; output: { readonly proposals: readonly ProposalSummary[] } };
  approve: { input: { readonly id: string }; output: ProposalSummary };
  /** Servers that are not simply accepted; with a name that one, whatever its standing. */
  reviews: { input: { readonly server?: string }; output: { readonly reviews: readonly ServerReview[] } };
  /** Which of the person's variables each server gets, by name. */
  variables: { input: Record<string, never>; output: { readonly servers: readonly ServerVariables[] } };
  /** Writes down which version of its package a server is; without one, that which ran last. */
  pinVersion: {
    input: { readonly server: string; readonly version?: string };
    output: { readonly server: string; readonly package: string; readonly version: string };
  };
  /** The person's word on a server whose review of that id they saw. */
  reviewServer: {
    input: { readonly server: string; readonly id: string; readonly choice: 'accept' | 'refuse' | 'block' };
    output: { readonly sentence: string };
  };
  /** Starts a server in review once in a box, and tells what it lists. */
  previewServer: { input: { readonly server: string; readonly id: string }; output: ServerReview };
  reject: { input: { readonly id: string }; output: ProposalSummary };
  /**
   * In a team: at every replica where it is unhealthy. `clear`: removes the folder of a damaged package first, if the
   * failure names one.
   */
  retry: { input: { readonly server: string; readonly clear?: boolean }; output: ServerStatus };
  /**
   * Begins a sign-in; the answer is where the person goes on, in a browser. How it ends is told by the server's state.
   */
  signIn: { input: { readonly server: string }; output: { readonly url: string } };
  /** Takes back what signing in granted, where that can be done, and forgets it here. */
  signOut: { input: { readonly server: string }; output: { readonly wasSignedIn: boolean; readonly sentence: string } };
  /** The last lines of a server's log, or those that came since: what it said, and between that what became of it. */
  log: {
    input: { readonly server: string; readonly after?: string };
    output: {
      readonly lines: readonly ServerLogLine[];
      /** For `after`, to go on from here. */
      readonly mark: string;
      /** More came since `after` than is told at once; the oldest of it is left out. */
      readonly skipped: boolean;
    };
  };
  /** Holds all servers still, or lets them go on. */
  /** All that was looked at: the list of which the Overview shows what needs the user. */
  health: { input: Record<string, never>; output: { readonly findings: readonly HealthFinding[] } };
  /** Writes a config file that is missing as it was last; one that is there stays. */
  restoreConfig: { input: Record<string, never>; output: Record<string, never> };
  setPaused: { input: { readonly paused: boolean }; output: Record<string, never> };
  /** Reads the config file again; resolves when the servers follow. */
  reload: { input: Record<string, never>; output: { readonly problems: number } };
  stop: { input: Record<string, never>; output: Record<string, never> };
}

/** The words of findings are the server's, invisible characters in them: show them as marks, and never as HTML. */
export interface ScannedDefinition {
  readonly server: string;
  readonly kind: DefinitionKind;
  /** Empty for a server's instructions. */
  readonly name: string;
  /** It is not what a person accepted, and no model is shown it. */
  readonly waits: boolean;
  readonly verdict: ScanVerdict;
  readonly findings: readonly ScanFinding[];
}

/** Everything that may be asked, by command line and dashboard. */
export type RpcMethods = RpcContract &
  AccessContract &
  AuditContract &
  DashboardContract &
  FindContract &
  DataFlowContract &
  HealContract &
  InboxContract &
  ProfileContract &
  RegistryContract &
  SavingsContract &
  SecretsContract &
  TeamContract &
  RunContract &
  AppViewContract &
  TimelineContract;
export type RpcMethod = keyof RpcMethods;

/** The error response of a failed request over HTTP and IPC. */
export interface RpcFailure {
  readonly code: string;
  readonly message: string;
  /** How to fix it; may be empty. */
  readonly fix: string;
}

/**
 * State of the dashboard and the tray, in slices. A watcher first receives all of it, then only the slices that
 * changed; an absent slice is unchanged. Types only. Times are in ms since 1970 or, if noted, durations in ms; sizes in
 * bytes.
 */
export interface AppState {
  readonly core: CoreFacts;
  /** Ill ones first. */
  readonly servers: readonly ServerRow[];
  readonly sessions: readonly SessionStatus[];
  /** Items that need attention, most urgent first. */
  readonly attention: readonly AttentionItem[];
  /** Pending decisions, most urgent first. */
  readonly inbox: readonly InboxSummary[];
  readonly dataFlow: DataFlowOverview;
  readonly profiles: ProfilesOverview;
  readonly savings: SavingsOverview;
  readonly activity: ActivityOverview;
  readonly timeline: TimelineOverview;
  readonly spills: SpillUsage;
  readonly setup: SetupFacts;
  /** Client apps that have an entry or were seen. */
  readonly access: readonly AccessRow[];
  readonly modes: ModesOverview;
  readonly settings: SettingsFacts;
  /** Who looks, of a team; null: one person's own Tooltray. */
  readonly team: TeamFacts | null;
}

export type StateChange = Partial<AppState>;

export interface CoreFacts {
  readonly version: string;
  /** Path of the config file. */
  readonly configFile: string;
  readonly logDir: string;
  readonly socket: string;
  /** Address of the MCP endpoint; empty where there is none. */
  readonly http: string;
  /** Why HTTP is not where the config wants it, and what to do; empty where it is. */
  readonly httpProblem: string;
  /** Stores that cannot be written now. */
  readonly storeProblems: readonly StoreProblem[];
  readonly startedAt: number;
  /** Every server is held still; calls are refused with a sentence. */
  readonly paused: boolean;
  /** The core runs inside the desktop app: settings of the system can be changed, folders be revealed. */
  readonly desktop: boolean;
  readonly platform: string;
  /** Problems in the config file, a sentence each. */
  readonly configProblems: readonly string[];
  /** There is no config file any more; what it said last is in use. */
  readonly configMissing: boolean;
}

export interface ServerRow extends ServerStatus {
  readonly enabled: boolean;
  /** How often it came up again after it had gone, or at a person's word, since its entry is as it is. */
  readonly restarts: number;
  /** Since when it is in this state. */
  readonly since: number;
  /** Tools that are switched off. */
  readonly toolsOff: number;
  readonly calls24h: number;
  readonly failures24h: number;
  /** undefined: no call yet. */
  readonly medianMs: number | undefined;
  /** Tokens of its full list (estimated). */
  readonly listTokens: number;
  /** Cost of its list in current sessions; if there are none, in the next one. */
  readonly listed: readonly ListedCost[];
  /** Time when its cached offer was read; undefined if the offer is live. */
  readonly asOf: number | undefined;
}

/** Cost of a server's list in the mode of some apps, given by display name. */
export interface ListedCost {
  readonly apps: readonly string[];
  readonly mode: string;
  /** Estimated; 0 where the mode lists nothing of any server. */
  readonly tokens: number;
}

export interface AttentionItem {
  readonly id: string;
  readonly sentence: string;
  readonly server: string | undefined;
  /** For a server: the cause, in a few words shown after its name. */
  readonly reason?: string;
  readonly action: AttentionAction;
  /** Items with the same cause are told of once; undefined: each is its own. */
  readonly cause?: string;
}

export type AttentionAction = FindingAction;

export type SavingsPeriod = 'today' | 'week' | 'month' | 'all';

export interface SavingsOverview {
  readonly periods: Readonly<Record<SavingsPeriod, SavingsSummary>>;
  readonly tokenizer: string;
  /** Assumptions of the calculation, a sentence each. */
  readonly assumptions: readonly string[];
  readonly pricePerMillion: number | undefined;
  readonly currency: string;
}

export interface SavingsSummary {
  /** From when on, in ms since the epoch; undefined: all that is on record. */
  readonly since: number | undefined;
  /** Tokens that the apps would have read without us. */
  readonly without: number;
  /** Tokens that they did read. */
  readonly with: number;
  /** The same with all that servers sent, though no app would have let all of it in; never less than `without`. */
  readonly uncapped: number;
  /** May be negative. */
  readonly net: number;
  /** Share of `with` and `without` that is an estimate, 0 to 1. */
  readonly estimatedShare: number;
  readonly causes: readonly { readonly cause: string; readonly net: number }[];
}

export interface ActivityOverview {
  /** Grows with each recorded call: the table asks for newer ones when it moves. */
  readonly lastId: number;
  /** The last calls, equal ones in a row put together. */
  readonly recent: readonly (CallSummary & { readonly times: number })[];
  readonly costliest: readonly { readonly server: string; readonly tokens: number; readonly calls: number }[];
}

export interface CallSummary {
  readonly id: number;
  readonly at: number;
  readonly app: string;
  /** Display name of the app. */
  readonly appName: string;
  /** Name of whose call it is, where somebody sees those of a whole team. */
  readonly person?: string;
  readonly mode: string;
  readonly server: string;
  readonly tool: string;
  readonly via: string | undefined;
  /** The argument that identifies it, secrets masked; may be empty. */
  readonly preview: string;
  /** The model's stated reason for the call, if any. */
  readonly why: string | undefined;
  /** How sensitive it said the data is, where it said it. */
  readonly sensitivity: string | undefined;
  readonly outcome: 'ok' | 'tool_error' | 'failed' | 'cancelled' | 'blocked';
  readonly error: string | undefined;
  readonly durationMs: number;
  /** Tokens of the arguments, of the server result and of the result returned to the model; undefined until counted. */
  readonly tokensIn: number | undefined;
  readonly tokensSent: number | undefined;
  readonly tokensOut: number | undefined;
  /** Whether at least one of the three counts above is estimated. */
  readonly estimated: boolean;
  readonly argumentBytes: number;
  /** Bytes of the server result, and of the result returned to the model. */
  readonly resultBytes: number;
  readonly givenBytes: number;
  /** Why a big answer was given whole, and the limit in question; undefined for one that is not big, or was not. */
  readonly passed: UnspilledReason | undefined;
  readonly limitBytes: number | undefined;
  /** The answer was kept on disk under this id. */
  readonly spillId: string | undefined;
  /** Findings of the scan in the result; empty for an ordinary one and until scanned. */
  readonly labels: readonly LabelDescription[];
}

export interface SpillUsage {
  readonly bytes: number;
  readonly count: number;
  readonly maxBytes: number;
  readonly maxCount: number;
  readonly retentionDays: number;
  /** Moves with every change of the store. */
  readonly revision: number;
}

export interface SetupFacts {
  /** Client apps found on this machine. */
  readonly apps: readonly AppRow[];
  /** Servers defined in client apps that are not here yet. */
  readonly offered: number;
  /** The first real call of a client app. */
  readonly firstCall: { readonly app: string; readonly tool: string; readonly at: number } | undefined;
  /** Steps that are open: what the sidebar counts. */
  readonly open: number;
  /** Tests of offered servers since the core started. */
  readonly tests: readonly OfferTest[];
}

/** Client apps to connect, by id, and the offered servers that move out of them. */
export interface SetupChoice {
  readonly apps: readonly string[];
  readonly servers: readonly { readonly id: string; readonly name: string }[];
}

export interface ModesOverview {
  /** The mode in the config. */
  readonly mode: string;
  readonly modes: readonly ModeCard[];
}

export interface ModeCard {
  readonly name: string;
  readonly line: string;
  /** With these servers: tools listed, and tokens of list and instructions (estimated). */
  readonly tools: number;
  readonly tokens: number;
  /** `auto` only: what it would choose for an unknown app, and why. */
  readonly reason: string | undefined;
}

export interface SettingsFacts {
  readonly results: {
    readonly threshold: number | undefined;
    readonly toon: boolean;
    readonly clean: boolean;
    readonly retentionDays: number;
    readonly maxBytes: number;
    readonly deleteOnExit: boolean;
  };
  readonly agentChanges: 'ask' | 'allow' | 'refuse';
  /** Permitted changes by models and those that need the user's approval, in sentences. */
  readonly changeRule: string;
  readonly pricePerMillion: number | undefined;
  readonly theme: 'system' | 'light' | 'dark';
  /** Desktop app only. */
  readonly startAtLogin: boolean | undefined;
  readonly notifications: boolean | undefined;
  readonly updates: 'off' | 'notify' | 'install' | undefined;
}

/** How one client app is served, and how it would be. */
export interface AppSettings {
  readonly appName: string;
  /** Its own; undefined: that of all apps. */
  readonly mode: string | undefined;
  /** The mode of apps that have none of their own. */
  readonly defaultMode: string;
  /** With what each would cost it. */
  readonly modes: readonly ModeCard[];
  /** Longer answers to it are kept on disk, in bytes, 0: none is; undefined: no limit of its own. */
  readonly threshold: number | undefined;
  /** The limit without one of its own. */
  readonly defaultThreshold: number;
  /** It reads its tools anew when they change; else after a restart. */
  readonly followsLists: boolean;
  /** The only servers that it is shown; undefined: all. */
  readonly servers: readonly string[] | undefined;
}

/** The requests of the dashboard beyond those of the command line. Types only. */
export interface ActivityQuery {
  readonly text?: string;
  readonly outcomes?: readonly CallSummary['outcome'][];
  /** Only calls whose answer was kept on disk. */
  readonly spilled?: boolean;
  /** Name of the user, in a team. */
  readonly person?: string;
  readonly app?: string;
  readonly server?: string;
  /** Begun then or later, and before `until`; in ms since 1970. */
  readonly since?: number;
  readonly until?: number;
  readonly beforeId?: number;
  readonly afterId?: number;
  /** At most 1 000; 0: totals and `newer` alone. */
  readonly limit?: number;
}

/** Totals of everything that fits the query, not of the page alone. */
export interface ActivityPage {
  readonly calls: readonly CallSummary[];
  readonly total: number;
  readonly failed: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly more: boolean;
  /** Id of the newest call on record, whether it fits or not; 0 without one. */
  readonly lastId: number;
  /** How many fit that are newer than `afterId`, where that was asked for: of those on the page and of those beyond. */
  readonly newer?: { readonly calls: number; readonly problems: number };
}

/** The request, the server result, or the result returned to the model. */
export type PayloadSide = 'asked' | 'sent' | 'given';

/**
 * Why there is no text: nothing was said; it is what the server sent; it lies on disk as a kept answer, or did so; it
 * was too long; the settings wanted none; too much was to be written; it could not be read; it is too old, or there was
 * no more room.
 */
export type MissingPayload =
  | 'nothing'
  | 'same'
  | 'kept-answer'
  | 'lost-answer'
  | 'too-long'
  | 'off'
  | 'busy'
  | 'failed'
  | 'gone';

/** A part of a text, masked; `next`: where the rest of it begins, undefined at its end. */
export type PayloadText =
  | { readonly text: string; readonly next: number | undefined }
  | { readonly none: MissingPayload };

/** One call in full, with the beginnings of its texts (64 Ki characters). */
export interface CallDetail extends CallSummary {
  /** The server lists a view for its tool. */
  readonly hasView: boolean;
  readonly texts: Readonly<Record<PayloadSide, PayloadText>>;
  /** Time in each stage, in ms. */
  readonly stages: { readonly resolve: number; readonly allow: number; readonly call: number; readonly shape: number };
}

export interface ServerTool {
  readonly name: string;
  readonly listedName: string;
  readonly description: string;
  /** The text that a model wrote in its place, approved by the user; undefined if none. */
  readonly written: string | undefined;
  readonly enabled: boolean;
  /**
   * Whatever its switch says, no model gets it as it is: nobody has accepted it yet, or it was looked at and is kept
   * out.
   */
  readonly held: 'waits' | 'rejected' | undefined;
  readonly readOnly: boolean | undefined;
  readonly destructive: boolean | undefined;
  readonly tokens: number;
  /** It brings a view of its own, shown by apps that can. */
  readonly hasView: boolean;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A description that a model wrote; both texts verbatim, with marks for what cannot be seen. */
export interface RewrittenDescription {
  readonly server: string;
  readonly tool: string;
  readonly written: string;
  readonly own: string;
}

export interface ServerDetail {
  readonly tools: readonly ServerTool[];
  /**
   * The entry as it stands in the config file, secrets masked as `***`; a masked value sent back keeps what is there.
   */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly logFile: string;
  readonly background: ServerProvenance;
}

export interface SpillRow {
  readonly id: string;
  readonly at: number;
  /** Display name of the app. */
  readonly app: string;
  readonly server: string;
  readonly tool: string;
  /** The argument that identifies the call, secrets masked; may be empty. */
  readonly preview: string;
  readonly kind: 'text' | 'json' | 'toon' | 'image' | 'audio' | 'binary';
  readonly mimeType: string;
  /** The whole answer as the server sent it, also of a part of it; undefined where it is not on record. */
  readonly sentBytes: number | undefined;
  readonly sentTokens: number | undefined;
  readonly sentEstimated: boolean;
  /** Size of the file, which is laid out in lines and may hold a part of the result. */
  readonly bytes: number;
  readonly lines: number | undefined;
  readonly file: string;
  readonly pinned: boolean;
  readonly reads: number;
  /** undefined: never by itself. */
  readonly expiresAt: number | undefined;
}

/** Lines of a spill, fewer than asked for where they are long together; those longer than 4 000 characters are cut. */
export interface SpillLines {
  readonly fromLine: number;
  readonly lines: readonly string[];
  readonly totalLines: number;
  /** Lines (1-based) of this range that were cut. */
  readonly cut: readonly number[];
}

/** The text returned to the model in its place (empty if no longer held), and the parts read back since. */
export interface SpillUse {
  readonly given: string;
  readonly reads: readonly SpillRead[];
}

type Nothing = Record<string, never>;

export interface DashboardContract {
  activity: { input: ActivityQuery; output: ActivityPage };
  callDetail: { input: { readonly id: number }; output: CallDetail };
  /** The next part of a long text, from where the one before said. */
  callText: { input: { readonly id: number; readonly side: PayloadSide; readonly from: number }; output: PayloadText };
  serverDetail: { input: { readonly server: string }; output: ServerDetail };
  setToolEnabled: {
    input: { readonly server: string; readonly tool: string; readonly enabled: boolean };
    output: Nothing;
  };
  /** Every description that a model wrote, beside the server's own. */
  writtenTexts: { input: Nothing; output: { readonly texts: readonly RewrittenDescription[] } };
  /** Apps are told the server's own description again. */
  takeBackText: { input: { readonly server: string; readonly tool: string }; output: Nothing };
  setServerEnabled: { input: { readonly server: string; readonly enabled: boolean }; output: Nothing };
  /** Several at once. Those that wait for a review, or were blocked, are not switched on. */
  setServersEnabled: {
    input: { readonly servers: readonly string[]; readonly enabled: boolean };
    output: {
      /** Names of the servers that changed. */
      readonly changed: readonly string[];
      readonly held: readonly string[];
    };
  };
  /** Ends its processes, or its tries; the next call starts it again. */
  stopServer: { input: { readonly server: string }; output: Nothing };
  /** Resource usage of the servers' processes, measured now. */
  serverUsage: { input: Nothing; output: Usage };
  /** Tools whose name or description has every word, by server. */
  toolMatches: { input: { readonly text: string }; output: { readonly servers: readonly ToolMatches[] } };
  /** Tries an entry in a temporary connection; writes nothing. `server`: masked values stand for those of that one. */
  tryServer: {
    input: { readonly server?: string; readonly entry: Readonly<Record<string, unknown>> };
    output: ServerTrialResult;
  };
  /** Adds a server, or replaces the entry of one there is where `replace` says so. */
  saveServer: {
    input: {
      readonly name: string;
      readonly entry: Readonly<Record<string, unknown>>;
      readonly replace: boolean;
      /** Whether texts in it that look like secrets are moved to the vault, with references in the config file. */
      readonly keepSecrets?: boolean;
    };
    output: Nothing;
  };
  /** Its sign-in goes with it, and does not come back with its entry. */
  removeServer: { input: { readonly server: string }; output: RemovalResult };
  undoRemoval: { input: { readonly undo: string }; output: { readonly server: string } };
  /**
   * The servers in a text that a person pasted: a config of any shape, an entry, a command line, a link, an address, a
   * server.json.
   */
  readServers: {
    input: { readonly text: string };
    output: PastedText;
  };
  setMode: { input: { readonly mode: string }; output: Nothing };
  /** How one client app is served, by what it calls itself. */
  appSettings: { input: { readonly app: string }; output: AppSettings };
  /** Absent fields stay unchanged; null applies to all apps. Throws AppError `mode_unknown`. */
  setAppSettings: {
    input: {
      readonly app: string;
      readonly mode?: string | null;
      readonly threshold?: number | null;
      /** The only servers that it is shown, kept as a profile; its sessions reconnect. */
      readonly servers?: readonly string[] | null;
    };
    output: Nothing;
  };
  setSettings: {
    input: {
      /** A threshold of null: what suits the client app. */
      readonly results?: Partial<Omit<SettingsFacts['results'], 'threshold'>> & { readonly threshold?: number | null };
      readonly pricePerMillion?: number | null;
      readonly dataFlow?: DataFlowOverview['mode'];
      readonly theme?: SettingsFacts['theme'];
      readonly startAtLogin?: boolean;
      readonly notifications?: boolean;
      readonly updates?: 'off' | 'notify' | 'install';
    };
    output: Nothing;
  };
  spills: {
    input: { readonly limit?: number; readonly beforeId?: string };
    output: { readonly spills: readonly SpillRow[] };
  };
  spillLines: { input: { readonly id: string; readonly fromLine: number; readonly count: number }; output: SpillLines };
  /** Lines that match, as `slice` numbers them; at most 1 000. */
  spillFind: {
    input: { readonly id: string; readonly pattern: string };
    output: { readonly matches: readonly { readonly line: number; readonly text: string }[]; readonly total: number };
  };
  spillQuery: {
    input: { readonly id: string; readonly query: string };
    output: { readonly text: string; readonly truncated: boolean };
  };
  /**
   * One SQL statement that reads; `tables`: further results by the names of their tables. As many rows as fit, all of
   * them counted.
   */
  spillSql: {
    input: {
      readonly id: string;
      readonly query: string;
      readonly tables?: Readonly<Record<string, string>> | undefined;
    };
    output: SqlRows;
  };
  spill: { input: { readonly id: string }; output: SpillRow };
  spillUse: { input: { readonly id: string }; output: SpillUse };
  pinSpill: { input: { readonly id: string; readonly pinned: boolean }; output: Nothing };
  /** Gone after ten seconds, or `now`; `restoreSpill` until then brings it back. */
  deleteSpill: { input: { readonly id: string; readonly now?: boolean }; output: Nothing };
  /** Deletes what is too old or too much, now. */
  pruneSpills: { input: Nothing; output: { readonly removed: number; readonly bytes: number } };
  restoreSpill: { input: { readonly id: string }; output: Nothing };
  /** Desktop app only: shows a file or folder of ours in the system's file manager. */
  reveal: { input: { readonly what: 'config' | 'logs' | 'spill'; readonly id?: string }; output: Nothing };
  /** Client apps, as the setup shows them. */
  /**
   * `http`: by an address of the app's own with a token, which is masked here, or by a command; absent: as it is, else
   * by a command.
   */
  previewInstall: { input: { readonly app: string; readonly http?: boolean }; output: InstallPreview };
  installApp: {
    input: { readonly app: string; readonly revision: string; readonly http?: boolean };
    output: InstallOutcome;
  };
  previewUninstall: { input: { readonly app: string }; output: UninstallPreview };
  /** With the preview's `revision` a file that has changed since is refused. */
  uninstallApp: { input: { readonly app: string; readonly revision?: string }; output: InstallOutcome };
  undoInstall: { input: { readonly undo: string }; output: { readonly sentence: string } };
  /**
   * Before an uninstall: restores every client app's file. The desktop app also removes its login item, the link
   * scheme, and the vault with its key, and quits. The config, records, and logs stay.
   */
  disconnectAll: { input: Nothing; output: RestoredFiles };
  /**
   * The entry for an app that is not known, to be copied: our launcher as it is here, or the app's own address with its
   * token.
   */
  otherEntry: { input: { readonly app: string; readonly http: boolean }; output: { readonly entry: string } };
  offeredServers: { input: Nothing; output: { readonly servers: readonly OfferedServer[] } };
  /** Tests offered servers in the background; `setup.tests` reports their stages. Writes nothing. */
  testOffers: { input: { readonly ids: readonly string[] }; output: Nothing };
  /** The changes of the apps' files that `applySetup` would make. Writes nothing. */
  planSetup: { input: SetupChoice; output: { readonly files: readonly FileChange[] } };
  /** Adds the servers, moves them out of these apps, and connects the apps: one change, reverted by `undoInstall`. */
  applySetup: { input: SetupChoice & { readonly keepSecrets?: boolean }; output: ImportOutcome };
  importServers: {
    input: {
      readonly servers: readonly { readonly id: string; readonly name: string }[];
      readonly move: boolean;
      /** Whether texts that look like secrets are moved to the vault first, with references in the config. */
      readonly keepSecrets?: boolean;
    };
    output: ImportOutcome;
  };
  /** Looks for client apps and their servers anew. */
  rescan: { input: Nothing; output: Nothing };
}

// What people may ask about the access of client apps. Types only. Times in ms since 1970.

interface AccessContract {
  /** Takes an app's access back, its open sessions with it, or gives it back; its config file stays as it is. */
  setAccess: {
    input: { readonly app: string; readonly allowed: boolean };
    output: { readonly sentence: string };
  };
}

// What people may ask about the audit. Types only.

/** A record of the audit, and what it says as a sentence. Times in ms since 1970. */
export type AuditRow = AuditRecord & {
  readonly told: string;
  /** Name of whose call it was, of a team. */
  readonly person?: string;
};

interface AuditContract {
  /** The newest first. What was noted a moment ago is among them. */
  auditEntries: {
    input: Omit<AuditFilter, 'user'> & {
      /** Only calls of this one of a team, made and refused, by their name. */
      readonly person?: string;
      /** Only records with a smaller number: `next` of the page before. */
      readonly before?: number;
      /** At most 1 000; 100 without. */
      readonly limit?: number;
    };
    /**
     * No `next`: that was all. A page may be short, or empty, and there is more: filters look at a part of the log at a
     * time.
     */
    output: { readonly entries: readonly AuditRow[]; readonly next?: number };
  };
}

// What people may ask about servers that could be mended from launches found elsewhere. Types only.

/** A launch that may mend a server; nothing of it has run yet. */
export interface HealOfferRow {
  readonly server: string;
  /** Display name of the place where it was found, such as Cursor. Approval covers the place. */
  readonly source: string;
  /** The file that says so; undefined for the person's own command, found elsewhere. */
  readonly file: string | undefined;
  /** The command to start or the address to connect to, verbatim. */
  readonly endpoint: string;
  readonly sentence: string;
}

export interface HealContract {
  /** Looks after every server that is ill; the best offer for each. */
  healOffers: { input: Record<string, never>; output: { readonly offers: readonly HealOfferRow[] } };
  /** The person's yes to the offer for a server: tries it, and keeps what works. */
  heal: {
    input: { readonly server: string };
    output: { readonly server: string; readonly healed: boolean; readonly sentence: string };
  };
}

// What waits for a person's decision, and what they decided. Types only.

export interface InboxContract {
  inbox: {
    input: Record<string, never>;
    output: { readonly items: readonly InboxSummary[]; readonly decided: readonly PastDecision[] };
  };
  /** `reveal`: with the secrets that its lines show as `***` otherwise. */
  inboxItem: { input: { readonly id: string; readonly reveal?: boolean }; output: InboxItem };
  decide: {
    input: {
      readonly id: string;
      /** One of the item's actions. */
      readonly action: string;
      /** Keys of the parts that are meant; absent: all. */
      readonly parts?: readonly string[];
      /** Origin of the decision; absent: the dashboard. */
      readonly by?: 'command line';
    };
    output: DecisionResult;
  };
  /** Takes a decision back. */
  undecide: { input: { readonly id: string }; output: PastDecision };
}

// What people may ask about registries, where servers can be looked up. Types only.

export type { AddServerOutcome, RegistryInput, InstallOption, RegistryConfig, InstallPreviewDetails };

/** A server as its publisher describes it: all texts are theirs, so show them as text, never as HTML. */
export interface RegistryRow extends Omit<RegistryServer, 'options'> {
  readonly options: readonly InstallOption[];
}

/** One way to run one version of a server, and what the person answered: by the ids of inputs, secrets too. */
export interface RegistrySelection {
  readonly registry?: string;
  readonly server: string;
  readonly version: string;
  readonly option: string;
  readonly answers: Readonly<Record<string, string>>;
}

/** Whatever a registry does not answer is an error (`registry_failed`), never an empty list. */
export interface RegistryContract {
  /** The first is asked where none is named. */
  registries: { input: Nothing; output: { readonly registries: readonly RegistryConfig[] } };
  registrySearch: {
    input: { readonly registry?: string; readonly query: string; readonly limit?: number; readonly cursor?: string };
    /** `next`: the cursor of what follows. `unreadable`: entries that are no servers, and are left out. */
    output: {
      readonly registry: string;
      readonly servers: readonly RegistryRow[];
      readonly unreadable: number;
      readonly next?: string;
    };
  };
  /** `name`: what it could be called here. */
  registryServer: {
    input: { readonly registry?: string; readonly server: string; readonly version?: string };
    output: { readonly registry: string; readonly server: RegistryRow; readonly name: string };
  };
  /** The exact command or address, verbatim; nothing is started or reached. */
  registryPreview: { input: RegistrySelection; output: InstallPreviewDetails };
  /** Starts it once; nothing is kept. */
  registryTry: { input: RegistrySelection; output: ServerTrialResult };
  /** Tries it and keeps it, secrets in the vault; `untried`: keeps it without, in review. */
  registryAdd: {
    input: RegistrySelection & { readonly name: string; readonly untried?: boolean };
    output: AddServerOutcome;
  };
}

// What people may ask about secrets. No value is ever in an answer. Types only.

export interface SecretsContract {
  secrets: { input: Nothing; output: { readonly secrets: readonly SecretRow[]; readonly vault: VaultStatus } };
  /** Servers that get it are started anew. */
  setSecret: {
    input: { readonly name: string; readonly value: string };
    output: { readonly name: string; readonly servers: readonly string[] };
  };
  removeSecret: {
    input: { readonly name: string };
    output: { readonly removed: boolean; readonly servers: readonly string[] };
  };
  /** Texts that look like secrets in the config file, or in an entry to be added. */
  plainSecrets: {
    input: { readonly server?: string; readonly entry?: Readonly<Record<string, unknown>> };
    output: { readonly found: readonly FoundSecret[] };
  };
  /** Moves it into the vault; `copies`: files that still hold a value as it was. */
  moveSecrets: { input: { readonly server?: string }; output: MovedSecrets };
  unlockVault: { input: { readonly passphrase: string }; output: VaultStatus };
  /** Moves the vault's key; `begin`: a new one for new values, where the old one cannot be had. */
  placeVaultKey: {
    input: { readonly place: KeyPlaceName; readonly passphrase?: string; readonly begin?: boolean };
    output: VaultStatus;
  };
}

// What people of a team may ask about each other and their tokens; refused where there is one person. Types only. Times
// in ms since 1970.

/** User-specific data of a team's dashboard: an admin sees everybody's rows, a member their own. */
export interface TeamFacts {
  readonly person: string;
  readonly role: 'admin' | 'member';
}

export interface PersonRow {
  readonly name: string;
  readonly email: string;
  readonly role: 'admin' | 'member';
  /** A program's account. */
  readonly isService: boolean;
  readonly groups: readonly string[];
  /** Lets nobody in. */
  readonly isOff: boolean;
  /** In force. */
  readonly tokens: number;
}

export interface AccessTokenRow {
  readonly id: string;
  readonly person: string;
  readonly label: string;
  /** It is bounded by that one; empty: by none. */
  readonly profile: string;
  readonly readOnly: boolean;
  readonly madeAt: number;
  readonly endsAt: number;
  readonly usedAt: number | undefined;
  readonly state: 'in force' | 'ended' | 'revoked';
}

/** A server at an address, and whether whoever looks is signed in to it. */
export interface UserSignInRow {
  readonly server: string;
  readonly isSignedIn: boolean;
  /** Its entry lets people sign in themselves; whether it asks anybody to is the server's. */
  readonly maySignIn: boolean;
  /** Account and host; empty if unknown. */
  readonly account: string;
  readonly at: string;
  readonly since: number | undefined;
}

/** A value of each person's own that a server's entry names, `${user:NAME}`. An admin keeps it, by a command. */
export interface UserSecretRow {
  readonly server: string;
  readonly name: string;
  /** Whoever looks has one. */
  readonly isStored: boolean;
}

/** A server at one replica of a team. */
export interface ReplicaStatus extends Pick<ServerStatus, 'state' | 'level' | 'summary' | 'detail' | 'tools'> {
  readonly id: string;
  readonly name: string;
  /** In ms since 1970; 0: not known. */
  readonly since: number;
}

/** A server over all replicas of a team. */
export interface ServerStatusByReplica {
  /** Replicas by name; empty if there is only one. */
  readonly replicas: readonly ReplicaStatus[];
  /** Runners of the users' own processes of it. */
  readonly runners: readonly { readonly name: string; readonly people: number }[];
}

export interface TeamContract {
  /** For admins; beside it where it runs, and why there. */
  serverStatus: {
    input: { readonly server: string };
    output: ServerStatusByReplica & { readonly placement: 'remote' | 'shared' | 'per-user'; readonly reason: string };
  };
  /** One's own, nobody else's, an admin's neither. `signIn` and `signOut` are one's own as well. */
  ownSignIns: {
    input: Nothing;
    output: { readonly signIns: readonly UserSignInRow[]; readonly values: readonly UserSecretRow[] };
  };
  people: { input: Nothing; output: { readonly people: readonly PersonRow[] } };
  /** Off, nothing of theirs opens anything, at once and on every replica. Nobody switches themselves off. */
  setPersonOff: { input: { readonly name: string; readonly isOff: boolean }; output: Nothing };
  /** One's own; `everybody`: all, for admins. The newest first. */
  personTokens: {
    input: { readonly everybody?: boolean };
    output: { readonly tokens: readonly AccessTokenRow[] };
  };
  /** One of one's own, within a year; the token is told in this answer alone. */
  givePersonToken: {
    input: { readonly label: string; readonly ends: number; readonly readOnly?: boolean };
    output: AccessTokenRow & { readonly token: string };
  };
  /** One's own, or anybody's for admins. */
  revokePersonToken: { input: { readonly id: string }; output: AccessTokenRow };
}

// What people may ask about data that leaves. Types only.

export interface DataFlowEventRow extends DataFlowEvent {
  readonly appName: string;
}

export interface DataFlowOverview {
  readonly mode: 'off' | 'record' | 'ask';
  /** Since when it is counted. */
  readonly since: number;
  /** Calls of the last seven days by what became of them; `recorded`: let through, and would have been asked. */
  readonly week: DataFlowSummary['week'];
  /** A week was recorded: `ask` can be offered. */
  readonly canOfferApproval: boolean;
}

interface DataFlowContract {
  /** Data-flow questions, asked or recorded, latest first; the last 100. */
  dataFlowEvents: {
    input: Nothing;
    output: Pick<DataFlowSummary, 'since' | 'week'> & {
      readonly last: readonly DataFlowEventRow[];
      readonly canOfferApproval: boolean;
    };
  };
  /** The person does not want `ask` offered again. */
  dismissDataFlowOffer: { input: Nothing; output: Nothing };
}

// What people may ask about profiles, and tokens that open them. Types only.

export type { ProfileRow, ProfilesOverview, ProfileTokenRow };

/** The rules of a profile that the dashboard edits. */
export interface ProfileRules {
  /** Only these servers; absent: all. */
  readonly servers?: readonly string[];
  readonly readOnly?: boolean;
  readonly noDestructive?: boolean;
  readonly noOpenWorld?: boolean;
}

export interface ProfileContract {
  profiles: { input: Nothing; output: ProfilesOverview };
  /** Creates or changes a profile; its rules for single tools stay. Null removes it, and apps that have it see everything. */
  setProfile: { input: { readonly name: string; readonly rules: ProfileRules | null }; output: Nothing };
  /** `ends`: within a year. The token is told in this answer alone. */
  giveProfileToken: { input: { readonly profile: string; readonly ends: number }; output: IssuedToken };
  revokeProfileToken: { input: { readonly id: string }; output: ProfileTokenRow & { readonly sentence: string } };
}

/** Input and output of the savings ledger. Types only. */
export type {
  BreakEven,
  SavingsKey,
  SavingsQuery,
  SavingsReport,
  SavingsRow,
  SavingsTotals,
} from '../core/activity/ledger/ledger-table.ts';

/** Price of the net savings, if the user has set one. */
export interface SavingsPrice {
  readonly perMillionTokens: number;
  readonly currency: string;
  readonly net: number;
}

export interface PricedSavings extends SavingsReport {
  readonly price?: SavingsPrice;
}

export interface SavingsContract {
  savings: { input: SavingsQuery; output: PricedSavings };
  charts: { input: { readonly period: SavingsPeriod }; output: Charts };
}

/**
 * One step of a chart's time, in ms since 1970; `until` itself is outside. Tokens as in `SavingsSummary`, calls by
 * outcome.
 */
export interface ChartStep extends Readonly<Record<CallSummary['outcome'], number>> {
  readonly from: number;
  readonly until: number;
  readonly without: number;
  readonly with: number;
  readonly uncapped: number;
}

export interface Charts {
  readonly step: 'hour' | 'day' | 'week';
  /** Oldest first, those without a call included. */
  readonly steps: readonly ChartStep[];
  /** Slowest first. */
  readonly servers: readonly ServerLatency[];
  /** So many calls the times are of; `isCut`: the newest of more. */
  readonly measured: number;
  readonly isCut: boolean;
  /** When the core was started, and the mode became another one. */
  readonly marks: readonly Annotation[];
}

export interface CoreAccess {
  /** Rejects with AppError. */
  ask<M extends RpcMethod>(method: M, input: RpcMethods[M]['input']): Promise<RpcMethods[M]['output']>;
  close(): Promise<void>;
}

// The steps of client apps' sessions: what each asked and was given. Types only.

/** A short description of the request, secrets masked. */
interface StepLabelFacts {
  /** Grows with the time of the start. */
  readonly id: number;
  readonly at: number;
  readonly sessionId: string;
  readonly app: string;
  /** Display name of the app. */
  readonly appName: string;
  /** Name of whose it is, where somebody sees those of a whole team. */
  readonly person?: string;
  readonly mode: string;
  readonly kind: StepKind;
  /** The tool, prompt or address that was asked for; else the method. */
  readonly name: string;
  /** The words of a search, the tool that a helper was to call; may be empty. */
  readonly what: string;
  /** Calls of servers' tools that ran for it. */
  readonly callCount: number;
}

export interface StepSummary extends StepLabelFacts {
  readonly durationMs: number;
  readonly outcome: CallSummary['outcome'];
  readonly error: string | undefined;
  readonly requestBytes: number;
  readonly givenBytes: number;
  /**
   * Tokens by the ledger: given to the app, sent by servers for it, and what its model would have read without us and
   * did read, as the savings have it. Absent until counted, or where no model reads.
   */
  readonly given: number | undefined;
  readonly raw: number | undefined;
  readonly baseline: number | undefined;
  readonly loaded: number | undefined;
  /** The first of its calls. */
  readonly calls: readonly CallSummary[];
}

export interface OpenStepSummary extends StepLabelFacts {
  readonly canCancel: boolean;
  /** Progress as the server reports it. */
  readonly progress?: {
    readonly progress: number;
    readonly total?: number | undefined;
    readonly message?: string | undefined;
  };
}

/** One step in full, with the beginnings of its texts (64 Ki characters) and up to 1 000 of its calls. */
export interface StepDetail extends StepSummary {
  readonly texts: Readonly<Record<'asked' | 'given', PayloadText>>;
}

export interface TimelineSession {
  readonly id: string;
  readonly app: string;
  readonly appName: string;
  /** Name of whose it is, where somebody sees those of a whole team. */
  readonly person?: string;
  /** Now, where it is live; else as it was last. */
  readonly mode: string;
  readonly isLive: boolean;
  /** Time of its first and last step on record. */
  readonly from: number;
  readonly to: number;
  readonly steps: number;
  /** Tokens that its app was given. */
  readonly given: number;
  /**
   * Longer answers to it are kept on disk, in bytes, 0: none is; undefined: a person's, whom nothing is kept from, or a
   * team's, whose config says it.
   */
  readonly limitBytes: number | undefined;
}

export interface TimelineOverview {
  /** Moves when steps were written. */
  readonly revision: number;
  /** Steps that are still running, oldest first. */
  readonly open: readonly OpenStepSummary[];
  /** How many run besides. */
  readonly more: number;
}

export interface StepQuery extends StepSearch {
  /** Name of the user, in a team. */
  readonly person?: string;
  readonly beforeId?: number;
  readonly afterId?: number;
  /** At most 1 000. */
  readonly limit?: number;
}

// What a person finds by a few words, wherever in the dashboard it is. Types only.

/** Its words are the server's: show them as text, never as HTML. */
export interface FoundTool {
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** The beginning of it. */
  readonly description: string;
}

interface FindContract {
  /**
   * Tools by the product's own search, then those whose names have every word; sessions and kept answers whose app,
   * mode, server or tool has every word, the newest first. A few of each; nothing for a text without words.
   */
  find: {
    input: { readonly text: string };
    output: {
      readonly tools: readonly FoundTool[];
      readonly sessions: readonly TimelineSession[];
      readonly kept: readonly SpillRow[];
      /** Sessions were looked for among so many of the newest, and none that are older; undefined: all were. */
      readonly sessionsLookedThrough?: number;
    };
  };
}

// Tools that the person runs by hand, as a client app called "You". Types only.

/** Something the server asks meanwhile; its words are the server's. */
export interface RunQuestion {
  readonly id: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** How a run stands. The end is told once it has one. */
export interface RunState {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  /** Grows with whatever is new. */
  readonly revision: number;
  readonly startedAt: number;
  /** The server's progress: `progress`, `total`, `message`. */
  readonly progress: Readonly<Record<string, unknown>> | undefined;
  readonly log: readonly string[];
  readonly questions: readonly RunQuestion[];
  readonly end:
    | {
        readonly endedAt: number;
        readonly outcome: CallSummary['outcome'];
        /** Verbatim, where it failed. */
        readonly error: RpcFailure | undefined;
        /** The beginning (64 Ki characters) of what the server sent; empty where it sent nothing. */
        readonly sent: string;
        readonly bytes: number;
        readonly cut: boolean;
      }
    | undefined;
}

export type { ModePreview };

export interface RunContract {
  /**
   * Starts it; where the tool does not say that it only reads, only with `agreed`: without, the answer says what it
   * would be asked.
   */
  startRun: {
    input: {
      readonly server: string;
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly agreed?: boolean;
    };
    output: { readonly id: string } | { readonly asks: 'writes' | 'destroys' };
  };
  /** Answers when there is something newer than `after`, after 20 seconds at the latest. */
  run: { input: { readonly id: string; readonly after: number }; output: RunState };
  answerRun: {
    input: {
      readonly id: string;
      readonly question: string;
      readonly answer: {
        readonly action: 'accept' | 'decline' | 'cancel';
        readonly content?: Readonly<Record<string, unknown>>;
        /** In a model's place. */
        readonly text?: string;
      };
    };
    output: Nothing;
  };
  cancelRun: { input: { readonly id: string }; output: Nothing };
  /** All that the server sent, up to 8 Mi characters. */
  runResult: { input: { readonly id: string }; output: { readonly result: Readonly<Record<string, unknown>> } };
  /** The result as each mode would return it to a model; `app`: for an app that supports only that one. */
  runGiven: {
    input: { readonly id: string; readonly app?: string };
    output: { readonly rows: readonly ModePreview[] };
  };
}

export type { ViewGrant, ViewRequirements };

/** A tool's view, ready to be put into a frame. All of it is the server's: none of it is to be trusted. */
export interface OpenedView {
  readonly uri: string;
  readonly html: string;
  /** Address of the frame to put it into, good once and for a minute. */
  readonly frame: string;
  /** For the frame's `allow`. */
  readonly allow: string;
  readonly wishes: ViewRequirements;
  /** The tool's definition, as the server lists it. */
  readonly tool: Readonly<Record<string, unknown>>;
}

export interface AppViewContract {
  /** Reads a tool's view from its server. Rejects with AppError not_found where the tool has none. */
  openView: { input: { readonly server: string; readonly tool: string } & ViewGrant; output: OpenedView };
  /**
   * Starts a tool of the view's own server, by the server's own name, as a run; where it does not say that it only
   * reads, only with `agreed`. Rejects with AppError not_allowed for a tool that is not for views.
   */
  callFromView: {
    input: {
      readonly server: string;
      readonly view: string;
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly agreed?: boolean;
    };
    output: { readonly id: string } | { readonly asks: 'writes' | 'destroys' };
  };
  /** Reads a resource of the view's own server, up to 8 Mi characters. */
  readForView: {
    input: { readonly server: string; readonly uri: string };
    output: { readonly result: Readonly<Record<string, unknown>> };
  };
}

export interface TimelineContract {
  /** Sums are of all steps that fit, not of the page alone. */
  steps: {
    input: StepQuery;
    output: {
      readonly steps: readonly StepSummary[];
      readonly sums: StepTotals;
      /** How many there are in the same session and time, whatever else is asked for. */
      readonly all: number;
      readonly more: boolean;
      /** So many of the newest were looked through for a filter, and none that are older; missing: all were. */
      readonly lookedThrough?: number;
      /**
       * Savings since then without a step on record: tokens without and with Tooltray. Present if a period is
       * requested.
       */
      readonly apart?: { readonly without: number; readonly with: number };
    };
  };
  step: { input: { readonly id: number }; output: StepDetail };
  /** More of a text, in parts of 64 Ki characters. */
  stepText: {
    input: { readonly id: number; readonly side: 'asked' | 'given'; readonly from: number };
    output: PayloadText;
  };
  /** Ends what runs, for the person; its app is told by whom. Rejects with AppError not_found where it is over. */
  cancelStep: { input: { readonly id: number }; output: Nothing };
  /** Sessions with the newest steps first, at most 100. */
  timelineSessions: { input: { readonly person?: string }; output: { readonly sessions: readonly TimelineSession[] } };
}
