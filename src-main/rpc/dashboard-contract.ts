/** What the dashboard may ask beyond the command line's questions. Types only. */
import type { AppRow, CallSummary, SettingsFacts } from './app-state.ts';

export interface ActivityQuery {
  readonly text?: string;
  readonly outcomes?: readonly CallSummary['outcome'][];
  /** Only calls whose answer was kept on disk. */
  readonly spilled?: boolean;
  readonly app?: string;
  readonly server?: string;
  readonly beforeId?: number;
  readonly afterId?: number;
  /** At most 1 000. */
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
}

/** One call in full. Texts are masked and cut at 64 kB; undefined: no longer held (they live in memory only). */
export interface CallDetail extends CallSummary {
  readonly arguments: string | undefined;
  readonly given: string | undefined;
  readonly sent: string | undefined;
  /** Time in each stage, in ms. */
  readonly stages: { readonly resolve: number; readonly allow: number; readonly call: number; readonly shape: number };
}

export interface ServerTool {
  readonly name: string;
  readonly listedName: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly readOnly: boolean | undefined;
  readonly destructive: boolean | undefined;
  readonly tokens: number;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ServerDetail {
  readonly tools: readonly ServerTool[];
  /** The entry as it stands in the config file, secrets masked as `***`; a masked value sent back keeps what is there. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly logFile: string;
}

/** What a trial in a temporary connection found. */
export interface ServerTrialResult {
  readonly ok: boolean;
  readonly sentence: string;
  readonly tools: readonly string[];
  readonly tookMs: number;
  readonly stderr: readonly string[];
}

export interface SpillRow {
  readonly id: string;
  readonly at: number;
  /** As people call it. */
  readonly app: string;
  readonly server: string;
  readonly tool: string;
  readonly kind: 'text' | 'json' | 'toon' | 'image' | 'audio' | 'binary';
  readonly mimeType: string;
  readonly bytes: number;
  readonly tokens: number;
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

/** What the model was given in its place (empty: no longer held), and the parts it has read back since: 1-based lines, both ends included. */
export interface SpillUse {
  readonly given: string;
  readonly marks: readonly { readonly fromLine: number; readonly toLine: number; readonly at: number }[];
}

/** What would be written into an app's config file. */
export interface InstallPreview {
  readonly app: AppRow;
  readonly file: string;
  readonly backup: string;
  readonly diff: readonly { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }[];
  /** For the clipboard, where the person would rather do it themselves. */
  readonly snippet: string;
  /** What to know before: the app runs and may overwrite it. */
  readonly warning: string | undefined;
  /** To be given back on install: refused when the file has changed since. */
  readonly revision: string;
}

export interface InstallOutcome {
  readonly sentence: string;
  readonly backup: string;
  /** Names the change for `undoInstall`. */
  readonly undo: string;
}

export interface OfferedServer {
  /** Names the offer for `importServers`. */
  readonly id: string;
  readonly app: string;
  readonly name: string;
  readonly endpoint: string;
  /** Names of settings that hold secrets. */
  readonly secrets: readonly string[];
  /** What bringing it over leaves behind, a sentence each. */
  readonly losses: readonly string[];
  /** The server here that is the same, if there is one. */
  readonly already: string | undefined;
}

type Nothing = Record<string, never>;

export interface DashboardContract {
  activity: { input: ActivityQuery; output: ActivityPage };
  callDetail: { input: { readonly id: number }; output: CallDetail };
  serverDetail: { input: { readonly server: string }; output: ServerDetail };
  setToolEnabled: {
    input: { readonly server: string; readonly tool: string; readonly enabled: boolean };
    output: Nothing;
  };
  setServerEnabled: { input: { readonly server: string; readonly enabled: boolean }; output: Nothing };
  /** Tries an entry in a temporary connection; writes nothing. `server`: masked values stand for those of that one. */
  tryServer: {
    input: { readonly server?: string; readonly entry: Readonly<Record<string, unknown>> };
    output: ServerTrialResult;
  };
  /** Adds a server, or replaces the entry of one there is where `replace` says so. */
  saveServer: {
    input: { readonly name: string; readonly entry: Readonly<Record<string, unknown>>; readonly replace: boolean };
    output: Nothing;
  };
  removeServer: { input: { readonly server: string }; output: Nothing };
  /** The servers in a text that a person pasted: any of the known config shapes, or one entry, or a command line. */
  readServers: {
    input: { readonly text: string };
    output: {
      readonly servers: readonly { readonly name: string; readonly entry: Readonly<Record<string, unknown>> }[];
    };
  };
  setMode: { input: { readonly mode: string }; output: Nothing };
  setSettings: {
    input: {
      /** A threshold of null: what suits the client app. */
      readonly results?: Partial<Omit<SettingsFacts['results'], 'threshold'>> & { readonly threshold?: number | null };
      readonly pricePerMillion?: number | null;
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
  /** `http`: by an address of the app's own with a token, which is masked here, or by a command; absent: as it is, else by a command. */
  previewInstall: { input: { readonly app: string; readonly http?: boolean }; output: InstallPreview };
  installApp: {
    input: { readonly app: string; readonly revision: string; readonly http?: boolean };
    output: InstallOutcome;
  };
  uninstallApp: { input: { readonly app: string }; output: InstallOutcome };
  undoInstall: { input: { readonly undo: string }; output: { readonly sentence: string } };
  /** The entry for an app that is not known, to be copied: our launcher as it is here, or the app's own address with its token. */
  otherEntry: { input: { readonly app: string; readonly http: boolean }; output: { readonly entry: string } };
  offeredServers: { input: Nothing; output: { readonly servers: readonly OfferedServer[] } };
  /** Starts an offered server once to see whether it works; writes nothing. */
  tryOffer: { input: { readonly id: string }; output: ServerTrialResult };
  importServers: {
    input: { readonly servers: readonly { readonly id: string; readonly name: string }[]; readonly move: boolean };
    output: { readonly added: readonly string[]; readonly sentence: string; readonly undo: string | undefined };
  };
  /** Looks for client apps and their servers anew. */
  rescan: { input: Nothing; output: Nothing };
}
