/** How client apps reach Tooltray over HTTP: an address of each app's own, with the app's own token. */
import { AppError } from '../base/errors.ts';
import { type HttpLaunch, isHttp, type Launch } from './launch.ts';

export interface OwnAddress {
  /** `http://127.0.0.1:8690/mcp` */
  readonly url: string;
  /** Whether it will be the same at the next start. */
  readonly lasting: boolean;
}

/** `http`: where a running core listens, `''` where it does not; undefined: none runs. `port`: what the config says. */
export function ownAddress(http: string | undefined, port: number): OwnAddress | undefined {
  const configured = port === 0 ? undefined : `http://127.0.0.1:${port}/mcp`;
  const url = http ?? configured;
  return url === undefined || url === '' ? undefined : { url, lasting: url === configured };
}

/** Throws AppError `unsupported` where there is no address. */
export function addressLaunch(address: OwnAddress | undefined, app: string, token: string): HttpLaunch {
  if (address === undefined) {
    throw new AppError('unsupported', 'Tooltray has no address now that an app could be given.', {
      fix: 'Set a free "port" in the config file, or connect the app by its command: leave --http away.',
    });
  }
  return {
    url: `${address.url}/app/${encodeURIComponent(app)}`,
    headers: { Authorization: `Bearer ${token}` },
  };
}

/** What to know of an address that holds for this run only; undefined: nothing. */
export function addressWarning({ url, lasting }: OwnAddress): string | undefined {
  if (lasting) return undefined;
  return `${new URL(url).host} is where Tooltray listens in this run, not what "port" in the config file says; after the next start the app will not find it there.`;
}

/** The token of an entry that leads to the app's own address. */
export function tokenIn(launch: Launch | undefined, app: string): string | undefined {
  if (launch === undefined || !isHttp(launch)) return undefined;
  if (!launch.url.endsWith(`/mcp/app/${encodeURIComponent(app)}`)) return undefined;
  return /^Bearer ([\w-]{43})$/.exec(launch.headers?.['Authorization'] ?? '')?.[1];
}
