/** What people may ask about the access of client apps. Types only. Times in ms since 1970. */

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
  /** When it connected or left last. */
  readonly seen: number | undefined;
  /** When the person took it back; undefined: it is in force. */
  readonly revoked: number | undefined;
}

export interface AccessContract {
  /** Takes an app's access back, its open sessions with it, or gives it back; its config file stays as it is. */
  setAccess: {
    input: { readonly app: string; readonly allowed: boolean };
    output: { readonly sentence: string };
  };
}
