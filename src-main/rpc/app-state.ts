/**
 * What the dashboard and the tray show, in slices. A watcher is first sent all of it, then only the slices that changed;
 * an absent slice is unchanged. Types only. Times are in ms since 1970 or, where said, durations in ms; sizes in bytes.
 */
import type { AccessRow, ProposalSummary, ServerStatus, SessionStatus } from './contract.ts';

export interface AppState {
  readonly core: CoreFacts;
  /** Ill ones first. */
  readonly servers: readonly ServerRow[];
  readonly sessions: readonly SessionStatus[];
  /** What waits for a person, most urgent first. */
  readonly attention: readonly AttentionItem[];
  readonly proposals: readonly ProposalSummary[];
  readonly savings: SavingsOverview;
  readonly activity: ActivityOverview;
  readonly spills: SpillUsage;
  readonly setup: SetupFacts;
  /** Client apps that are connected or were seen. */
  readonly access: readonly AccessRow[];
  readonly modes: ModesOverview;
  readonly settings: SettingsFacts;
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
  readonly startedAt: number;
  /** Every server is held still; calls are refused with a sentence. */
  readonly paused: boolean;
  /** The core runs inside the desktop app: settings of the system can be changed, folders be revealed. */
  readonly desktop: boolean;
  readonly platform: string;
  /** What is wrong in the config file, a sentence each. */
  readonly configProblems: readonly string[];
}

export interface ServerRow extends ServerStatus {
  readonly enabled: boolean;
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
  /** What the connected apps are shown of it; without one, what the next would be. */
  readonly listed: readonly ListedCost[];
  /** What it offers comes from the cache; when it was read. */
  readonly asOf: number | undefined;
}

/** What some apps, as people call them, are shown of a server's list in their mode. */
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
  readonly action: AttentionAction;
}

export interface AttentionAction {
  readonly kind:
    | 'retry'
    | 'sign-in'
    | 'enable'
    | 'edit-config'
    | 'view-log'
    | 'decide'
    | 'open-config'
    | 'connect-app'
    | 'resume'
    | 'heal';
  readonly label: string;
}

export type SavingsPeriod = 'today' | 'week' | 'month' | 'all';

export interface SavingsOverview {
  readonly periods: Readonly<Record<SavingsPeriod, SavingsSummary>>;
  readonly tokenizer: string;
  /** How it is counted, a sentence each. */
  readonly assumptions: readonly string[];
  readonly pricePerMillion: number | undefined;
  readonly currency: string;
}

export interface SavingsSummary {
  /** Tokens that the apps would have read without us. */
  readonly without: number;
  /** Tokens that they did read. */
  readonly with: number;
  /** May be negative. */
  readonly net: number;
  /** Share of `with` and `without` that is an estimate, 0 to 1. */
  readonly estimatedShare: number;
  readonly causes: readonly { readonly cause: string; readonly net: number }[];
}

export interface ActivityOverview {
  /** Grows with each recorded call: the table asks for newer ones when it moves. */
  readonly lastId: number;
  /** The last 24 hours, oldest first. */
  readonly hours: readonly { readonly from: number; readonly ok: number; readonly failed: number }[];
  /** The last calls, equal ones in a row put together. */
  readonly recent: readonly (CallSummary & { readonly times: number })[];
  readonly costliest: readonly { readonly server: string; readonly tokens: number; readonly calls: number }[];
}

export interface CallSummary {
  readonly id: number;
  readonly at: number;
  readonly app: string;
  /** As people call the app. */
  readonly appName: string;
  readonly mode: string;
  readonly server: string;
  readonly tool: string;
  readonly via: string | undefined;
  /** What the model said it calls for, where it said it. */
  readonly why: string | undefined;
  /** How sensitive it said the data is, where it said it. */
  readonly sensitivity: string | undefined;
  readonly outcome: 'ok' | 'tool_error' | 'failed' | 'cancelled' | 'blocked';
  readonly error: string | undefined;
  readonly durationMs: number;
  readonly tokensIn: number | undefined;
  readonly tokensOut: number | undefined;
  readonly estimated: boolean;
  readonly argumentBytes: number;
  readonly resultBytes: number;
  readonly givenBytes: number;
  /** The answer was kept on disk under this id. */
  readonly spillId: string | undefined;
}

export interface SpillUsage {
  readonly bytes: number;
  readonly count: number;
  readonly maxBytes: number;
  readonly maxCount: number;
  readonly keepDays: number;
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
}

export interface AppRow {
  readonly id: string;
  readonly name: string;
  readonly installed: boolean;
  readonly running: boolean;
  /** It is set up to use Tooltray; `stale`: through an entry that no longer fits. */
  readonly connected: 'no' | 'yes' | 'stale';
  /** How its entry reaches us. */
  readonly via: 'none' | 'stdio' | 'http';
  /** The person took its access back. */
  readonly revoked: boolean;
  readonly configFile: string;
  /** Its own servers, without ours. */
  readonly servers: number;
  /** Why it cannot be changed; empty where it can. */
  readonly problem: string;
  /** Where a link installs us instead. */
  readonly link: string | undefined;
}

export interface ModesOverview {
  /** What the config says. */
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
    readonly keepDays: number;
    readonly maxBytes: number;
    readonly deleteAtExit: boolean;
  };
  readonly agentChanges: 'ask' | 'allow' | 'refuse';
  /** What models may do and what waits for the person, in sentences. */
  readonly changeRule: string;
  readonly pricePerMillion: number | undefined;
  readonly theme: 'system' | 'light' | 'dark';
  /** Desktop app only. */
  readonly startAtLogin: boolean | undefined;
  readonly notifications: boolean | undefined;
  readonly updates: 'off' | 'notify' | 'install' | undefined;
}
