/** Client app rows, previews and outcomes for the dashboard and CLI. The contract re-exports these types. */
import type { ChangedLine } from './text-diff.ts';
import type { FoundSecret } from '../secrets/find-plaintext-secrets.ts';

export interface AppRow {
  readonly id: string;
  readonly name: string;
  readonly installed: boolean;
  readonly running: boolean;
  /** Whether it uses Tooltray; `stale`: through an outdated entry. */
  readonly connected: 'no' | 'yes' | 'stale';
  /** How its entry connects to Tooltray. */
  readonly via: 'none' | 'stdio' | 'http';
  /** It has one entry per server, instead of one for all. */
  readonly split: boolean;
  /** How its entries per server differ from the enabled servers, as a sentence; absent if they do not. */
  readonly outOfStep?: string;
  /** Whether the user has revoked its access. */
  readonly revoked: boolean;
  readonly configFile: string;
  /** Number of its own servers, without Tooltray. */
  readonly servers: number;
  /** Why it cannot be changed; empty if it can. */
  readonly problem: string;
  /** The link that installs Tooltray instead. */
  readonly link: string | undefined;
}

/** The planned change to an app's config file. */
export interface InstallPreview {
  readonly app: AppRow;
  readonly file: string;
  readonly backup: string;
  readonly diff: readonly ChangedLine[];
  /** Text to paste, for users who edit the file themselves. */
  readonly snippet: string;
  /** A warning if the app is running and may overwrite it. */
  readonly warning: string | undefined;
  /** Whether one entry per server is written. */
  readonly split: boolean;
  /** Why one entry per server suits the app, and what it costs; undefined if a single entry suits it. */
  readonly splitReason: string | undefined;
  /** To pass to install, which refuses if the file has changed since. */
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
  /** Id of the change for `undoInstall`. */
  readonly undo: string;
}

export interface ImportableServer {
  /** Id of the offer for `importServers`. */
  readonly id: string;
  /** Display names of the apps and products that have it. */
  readonly app: string;
  /** Ids of the apps that have it, one per entry. */
  readonly apps: readonly string[];
  readonly name: string;
  /** The text that would be written, verbatim. */
  readonly endpoint: string;
  /** Names of settings with secrets. */
  readonly secrets: readonly string[];
  /** Values that can be encrypted on import, by their position in the entry. */
  readonly sealable: readonly FoundSecret[];
  /** Losses on import, one sentence each. */
  readonly losses: readonly string[];
  /** The equal server here, if there is one. */
  readonly already: string | undefined;
}

/** The access of one client app. */
export interface AccessRow {
  /** The id in `--app` and `/mcp/app/<app>`. */
  readonly app: string;
  /** The display name. */
  readonly name: string;
  /** How its config file connects to Tooltray; `none`: not at all, or through an unknown entry. */
  readonly via: 'none' | 'stdio' | 'http';
  /** When an install granted it, in ms since 1970; undefined: its entry was written by hand. */
  readonly since: number | undefined;
  /** When its last session started or ended, in ms since 1970. */
  readonly seen: number | undefined;
  /** When the user revoked it, in ms since 1970; undefined: it is in force. */
  readonly revoked: number | undefined;
}
