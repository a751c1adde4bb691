/** How a client app reaches Tooltray: a command it starts, or an address it asks. */

export interface StdioLaunch {
  /** Absolute: client apps start with a bare PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface HttpLaunch {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export type Launch = StdioLaunch | HttpLaunch;

/** One server entry as an app's config file has it. */
export type AppEntry = Readonly<Record<string, unknown>>;

/** The name of our entry in every app's config file. */
export const entryName = 'tooltray';

export function isHttp(launch: Launch): launch is HttpLaunch {
  return 'url' in launch;
}
