/** The ways in which client apps connect to a core that requires tokens, each opened once, and their identities. */
import { newSpillId } from '../../src-main/core/spills/spill.ts';
import { allCases } from './all-cases.ts';
import { HttpClient } from './http-client.ts';
import { ModernClient } from './modern-client.ts';
import type { Params, RawMessage } from './raw-client.ts';
import type { TestCore } from './start-core.ts';

/** A client app, with full responses. */
export interface Caller {
  ask(method: string, params?: Params): Promise<RawMessage>;
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Two with the same name are the same app. */
const ways: Readonly<
  Record<string, readonly [who: string, open: (on: Callers, capabilities: Params) => Promise<Caller>]>
> = {
  'cursor over the socket': ['cursor', (on, more) => on.onSocket('cursor', 'a', more)],
  'an app over the socket that says it is cursor': ['cursor', (on, more) => on.onSocket(undefined, 'cursor', more)],
  'cursor over the socket, 2026-07-28': ['cursor', (on, more) => on.modernOnSocket('cursor', more)],
  'cursor by its token': ['cursor', (on, more) => on.inSession('/app/cursor', on.tokens.cursor, 'a', more)],
  'cursor by its token, 2026-07-28': ['cursor', (on, more) => on.modern('/app/cursor', on.tokens.cursor, 'a', more)],
  'zed over the socket': ['zed', (on, more) => on.onSocket('zed', 'cursor', more)],
  'zed over the socket, 2026-07-28': ['zed', (on, more) => on.modernOnSocket('zed', more)],
  'zed by its token': ['zed', (on, more) => on.inSession('/app/zed', on.tokens.zed, 'cursor', more)],
  'zed by its token, 2026-07-28': ['zed', (on, more) => on.modern('/app/zed', on.tokens.zed, 'cursor', more)],
  'a token of a profile': ['work', (on, more) => on.inSession('/p/wide', on.tokens.wide, 'cursor', more)],
  'a token of a profile, 2026-07-28': ['work', (on, more) => on.modern('/p/wide', on.tokens.wide, 'cursor', more)],
  'the token of all': ['one', (on, more) => on.inSession('', on.tokens.all, 'cursor', more)],
  'the token of all, another session': ['other', (on, more) => on.inSession('', on.tokens.all, 'cursor', more)],
  'the token of all at the address of cursor': [
    'third',
    (on, more) => on.inSession('/app/cursor', on.tokens.all, 'a', more),
  ],
  'the token of all, 2026-07-28': ['nobody', (on, more) => on.modern('', on.tokens.all, 'cursor', more)],
  'the token of all at the address of cursor, 2026-07-28': [
    'nobody',
    (on, more) => on.modern('/app/cursor', on.tokens.all, 'a', more),
  ],
};

export const allCallers: readonly string[] = Object.keys(ways);
export const modernCallers = allCallers.filter((how) => how.endsWith('2026-07-28'));

/** Owners to test: in `npm test` one way each, and an app's own token in 2026-07-28. */
export const owners = allCases ? allCallers : oneOfEach(allCallers);
export const modernOwners = allCases ? modernCallers : oneOfEach(modernCallers);

function oneOfEach(callers: readonly string[]): readonly string[] {
  const first = new Map(callers.toReversed().map((how) => [whoIs(how), how]));
  return [...new Set([...first.values(), 'cursor by its token, 2026-07-28'])];
}

export function whoIs(how: string): string {
  return ways[how]?.[0] ?? '';
}

/** Those of `among` with another identity. */
export function othersThan(owner: string, among: readonly string[] = allCallers): readonly string[] {
  return among.filter((how) => whoIs(how) !== whoIs(owner));
}

export class Callers {
  readonly tokens: { readonly cursor: string; readonly zed: string; readonly wide: string; readonly all: string };
  readonly #core: TestCore;
  readonly #opened = new Map<string, Promise<Caller>>();

  /** The core has a profile `wide`. */
  static async of(core: TestCore): Promise<Callers> {
    const own = async (app: string): Promise<string> => (await core.host.appAccess.grant(app, true)).token ?? '';
    const { token: wide } = await core.host.core.clients.profileTokens.issue('wide', Date.now() + 3_600_000);
    return new Callers(core, {
      cursor: await own('cursor'),
      zed: await own('zed'),
      wide,
      all: core.host.core.clients.token,
    });
  }

  private constructor(core: TestCore, tokens: Callers['tokens']) {
    this.#core = core;
    this.tokens = tokens;
  }

  /** `again`: the same app on another connection. */
  open(how: string, capabilities: Params = {}, again = ''): Promise<Caller> {
    const key = JSON.stringify([how, capabilities, again]);
    const known = this.#opened.get(key) ?? ways[how]?.[1](this, capabilities) ?? Promise.reject(new Error(how));
    this.#opened.set(key, known);
    return known;
  }

  /** A new HTTP session. */
  async inSession(path: string, token: string, name: string, capabilities: Params = {}): Promise<Caller> {
    const client = new HttpClient(this.#core.url + path, false, bearer(token));
    const clientInfo = { name, version: '1' };
    await client.exchange('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
    client.onRequest('elicitation/create', () => ({ action: 'accept', content: {} }));
    return { ask: async (method, params) => (await client.exchange(method, params)).message };
  }

  async onSocket(app: string | undefined, name: string, capabilities: Params): Promise<Caller> {
    const client = await this.#core.connect(app === undefined ? {} : { app });
    const clientInfo = { name, version: '1' };
    await client.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
    client.onRequest('elicitation/create', () => ({ action: 'accept', content: {} }));
    return { ask: async (method, params) => (await client.exchange(method, params)).message };
  }

  async modernOnSocket(app: string, capabilities: Params): Promise<Caller> {
    const client = new ModernClient(await this.#core.connect({ app }), capabilities);
    return { ask: (method, params) => client.once(method, params) };
  }

  modern(path: string, token: string, name: string, capabilities: Params): Promise<Caller> {
    const line = new HttpClient(this.#core.url + path, true, bearer(token));
    const client = new ModernClient(line, capabilities, name);
    return Promise.resolve({ ask: (method, params) => client.once(method, params) });
  }
}

export function callBy(caller: Caller, name: string, args: Params = {}, more: Params = {}): Promise<RawMessage> {
  return caller.ask('tools/call', { name, arguments: args, ...more });
}

/** An ID of the same form that was never issued. */
export function guessLike(id: string): string {
  const made = id.replace(/[a-km-np-z2-9]{20}(?=$|\.)/, newSpillId());
  return made === id ? `${id.slice(0, -4)}${id.endsWith('abcd') ? 'dcba' : 'abcd'}` : made;
}

/** The response, with the requested name replaced. */
function told({ result, error }: RawMessage, ref: string): string {
  return JSON.stringify({ content: result?.['content'], isError: result?.['isError'], error }).replaceAll(ref, 'IT');
}

/**
 * Whether something is accessible to callers by each way, or looks exactly like an unknown name. If neither, both
 * responses are returned.
 */
export async function reachBy(
  caller: Caller,
  ref: string,
  ways: Readonly<Record<string, (caller: Caller, ref: string) => Promise<RawMessage>>>,
): Promise<Record<string, string>> {
  const reached: Record<string, string> = {};
  const guess = guessLike(ref);
  for (const [way, go] of Object.entries(ways)) {
    const answer = await go(caller, ref);
    const [itself, unknown] = [told(answer, ref), told(await go(caller, guess), guess)];
    const isRefused = answer.error !== undefined || answer.result?.['isError'] === true;
    reached[way] = itself === unknown ? 'as unknown' : isRefused ? `${itself} beside ${unknown}` : 'through';
  }
  return reached;
}
