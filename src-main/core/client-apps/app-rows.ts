/** Client app rows, previews and outcomes for the dashboard and CLI. The contract re-exports these types. */
import type { ChangedLine } from './text-diff.ts';
import type { FoundSecret } from '../secrets/find-plaintext-secrets.ts';

export interface AppRow {
  readonly id: string;
  readonly name: string;
  readonly installed: boolean;
  readonly running: boolean;
  /** It is set up to use Tooltray; `stale`: through an entry that no longer fits. */
  readonly connected: 'no' | 'yes' | 'stale';
  /** How its entry reaches us. */
  readonly via: 'none' | 'stdio' | 'http';
  /** It has one entry per server, instead of one for all. */
  readonly split: boolean;
  /** The user took its access back. */
  readonly revoked: boolean;
  readonly configFile: string;
  /** Its own servers, without ours. */
  readonly servers: number;
  /** Why it cannot be changed; empty if it can. */
  readonly problem: string;
  /** The link that installs us instead. */
  readonly link: string | undefined;
}

/** The planned change to an app's config file. */
export interface InstallPreview {
  readonly app: AppRow;
  readonly file: string;
  readonly backup: string;
  readonly diff: readonly ChangedLine[];
  /** For the clipboard, where the user would rather do it themselves. */
  readonly snippet: string;
  /** A warning if the app is running and may overwrite it. */
  readonly warning: string | undefined;
  /** Why one entry per server suits the app; undefined if one entry for all does. */
  readonly splitReason: string | undefined;
  /** To be given back on install: refused when the file has changed since. */
  readonly revision: string;
}

/** The planned removal from an app's config file. */
export interface UninstallPreview extends Pick<InstallPreview, 'file' | 'backup' | 'revision' | 'diff'> {
  /** Whether the file is deleted, because it did not exist before Tooltray. */
  readonly removesFile: boolean;
}

export interface InstallOutcome {
  readonly sentence: string;
  readonly backup: string;
  /** Names the change for `undoInstall`. */
  readonly undo: string;
}

export interface ImportableServer {
  /** Names the offer for `importServers`. */
  readonly id: string;
  /** Display names of the apps and products that have it. */
  readonly app: string;
  /** Ids of the apps that have it, one for each entry. */
  readonly apps: readonly string[];
  readonly name: string;
  /** All of what would be written, verbatim. */
  readonly endpoint: string;
  /** Names of settings that hold secrets. */
  readonly secrets: readonly string[];
  /** Values that could be sealed on import, by their position in the entry. */
  readonly sealable: readonly FoundSecret[];
  /** Losses on import, a sentence each. */
  readonly losses: readonly string[];
  /** The server here that is the same, if there is one. */
  readonly already: string | undefined;
}

/** The access of one client app. */
export interface AccessRow {
  /** The id in `--app` and `/mcp/app/<app>`. */
  readonly app: string;
  /** The display name. */
  readonly name: string;
  /** How its config file reaches us; `none`: not at all, or not by an entry that we know of. */
  readonly via: 'none' | 'stdio' | 'http';
  /** When an install gave it; undefined: its entry was written by hand. */
  readonly since: number | undefined;
  /** When its last session began or ended. */
  readonly seen: number | undefined;
  /** When the user took it back; undefined: it is in force. */
  readonly revoked: number | undefined;
}
