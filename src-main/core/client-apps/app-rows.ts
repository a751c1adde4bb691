/** What the dashboard and the command line are told of client apps: rows, previews, outcomes. The contract hands these types on. */
import type { ChangedLine } from './text-diff.ts';
import type { FoundSecret } from '../secrets/find-plain.ts';

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

/** What would be written into an app's config file. */
export interface InstallPreview {
  readonly app: AppRow;
  readonly file: string;
  readonly backup: string;
  readonly diff: readonly ChangedLine[];
  /** For the clipboard, where the person would rather do it themselves. */
  readonly snippet: string;
  /** What to know before: the app runs and may overwrite it. */
  readonly warning: string | undefined;
  /** To be given back on install: refused when the file has changed since. */
  readonly revision: string;
}

/** What would be taken out of an app's config file. */
export interface UninstallPreview extends Pick<InstallPreview, 'file' | 'backup' | 'revision' | 'diff'> {
  /** There was no file before Tooltray came, so there will be none. */
  readonly removesFile: boolean;
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
  /** All of what would be written, verbatim. */
  readonly endpoint: string;
  /** Names of settings that hold secrets. */
  readonly secrets: readonly string[];
  /** What could be sealed when it is brought over, by where it stands in its entry. */
  readonly sealable: readonly FoundSecret[];
  /** What bringing it over leaves behind, a sentence each. */
  readonly losses: readonly string[];
  /** The server here that is the same, if there is one. */
  readonly already: string | undefined;
}

/** What one client app may. */
export interface AccessRow {
  /** As `--app` and `/mcp/app/<app>` name it. */
  readonly app: string;
  /** As people call it. */
  readonly name: string;
  /** How its config file reaches us; `none`: not at all, or not by an entry that we know of. */
  readonly via: 'none' | 'stdio' | 'http';
  /** When an install gave it; undefined: its entry was written by hand. */
  readonly since: number | undefined;
  /** When its last session began or ended. */
  readonly seen: number | undefined;
  /** When the person took it back; undefined: it is in force. */
  readonly revoked: number | undefined;
}
