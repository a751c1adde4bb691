/** `protocol` and `session`: the app's own scheme, served to Chromium under an equivalent https host. */
import type { CustomScheme, Protocol, Session } from 'electron';
import { refuseUnwritten } from './refuse-unwritten.ts';
import { app } from './app.ts';

type Handler = Parameters<Protocol['handle']>[1];

const ending = '.stand-in.invalid';
/** URLs that Chromium must pass to us. */
export const handledUrls = `https://*${ending}/*`;

const schemes = new Set<string>();
const handlers = new Map<string, Handler>();

export const protocol: Pick<Protocol, 'registerSchemesAsPrivileged' | 'handle' | 'unhandle'> = {
  registerSchemesAsPrivileged(customSchemes: CustomScheme[]) {
    if (app.isReady()) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready');
    for (const { scheme } of customSchemes) schemes.add(scheme);
  },
  handle(scheme: string, handler: Handler) {
    if (handlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`);
    handlers.set(scheme, handler);
  },
  unhandle: (scheme: string) => void handlers.delete(scheme),
};
refuseUnwritten(protocol, 'protocol');

export class StandInSession implements Pick<
  Session,
  'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'resolveProxy'
> {
  readonly protocol = protocol;
  _mayAsk: Parameters<Session['setPermissionRequestHandler']>[0] = null;
  _mayHave: Parameters<Session['setPermissionCheckHandler']>[0] = null;

  setPermissionRequestHandler(handler: Parameters<Session['setPermissionRequestHandler']>[0]): void {
    this._mayAsk = handler;
  }

  async resolveProxy(): Promise<string> {
    return 'DIRECT';
  }

  setPermissionCheckHandler(handler: Parameters<Session['setPermissionCheckHandler']>[0]): void {
    this._mayHave = handler;
  }
}
refuseUnwritten(StandInSession.prototype, 'session');

export const session = { defaultSession: new StandInSession() };
refuseUnwritten(session, 'session');

/** Chromium's URL for one of the app. */
export function toChromium(address: string): string {
  const url = new URL(address);
  const scheme = url.protocol.slice(0, -1);
  if (!schemes.has(scheme)) return address;
  return `https://${url.hostname}.${scheme}${ending}${url.pathname}${url.search}${url.hash}`;
}

/** The app's URL for one of Chromium. */
export function toApp(address: string): string {
  const [, host, scheme, rest] = /^https:\/\/(.*)\.([a-z][a-z0-9+-]*)\.stand-in\.invalid(\/.*)?$/.exec(address) ?? [];
  return host === undefined ? address : `${scheme}://${host}${rest ?? '/'}`;
}

export async function answerRequest(address: string, method: string): Promise<Response> {
  const handler = handlers.get(new URL(address).protocol.slice(0, -1));
  if (handler === undefined) throw new Error(`Nobody handles ${address}.`);
  return handler(new Request(address, { method }));
}
