/** The ways in which a team's users connect to a replica, each opened once, and their identities. */
import { UserStore } from '../../src-main/team/users/user-store.ts';
import { AccessTokenStore } from '../../src-main/team/users/access-tokens.ts';
import { bearer, type Caller } from './callers.ts';
import { HttpClient } from './http-client.ts';
import { ModernClient } from './modern-client.ts';
import type { Params } from './raw-client.ts';
import type { TestReplica } from './start-replica.ts';

const day = 24 * 60 * 60_000;

/** Two tokens of ana, for two apps, and one of ben. */
const holders = ['ana', 'ana elsewhere', 'ben'] as const;
const eras = ['2025-11-25', '2026-07-28'] as const;

/** All report the same app name. */
export const teamCallers: readonly string[] = holders.flatMap((holder) => eras.map((era) => `${holder}, ${era}`));
export const modernTeamCallers = teamCallers.filter((how) => how.endsWith('2026-07-28'));

/** Owner of the token. */
export function holderOf(how: string): string {
  return how.split(', ')[0] ?? '';
}

export class TeamPeople {
  readonly people: UserStore;
  readonly tokens: AccessTokenStore;

  constructor({ replica }: Pick<TestReplica, 'replica'>) {
    const sql = replica.database.sql;
    this.people = new UserStore(sql);
    this.tokens = new AccessTokenStore(sql);
  }

  async give(user: string, more: Partial<Parameters<AccessTokenStore['create']>[0]> = {}): Promise<string> {
    return (await this.tokens.create({ user, label: 'a test', expiresAt: Date.now() + day, ...more })).token;
  }
}

export class TeamCallers {
  readonly tokens: ReadonlyMap<string, string>;
  readonly #url: string;
  readonly #opened = new Map<string, Promise<Caller>>();

  static async of(on: TestReplica): Promise<TeamCallers> {
    const all = new TeamPeople(on);
    await all.people.add({ name: 'ana' });
    await all.people.add({ name: 'ben' });
    const given = holders.map(async (holder) => [holder, await all.give(holder.split(' ')[0] ?? '')] as const);
    return new TeamCallers(on.url, new Map(await Promise.all(given)));
  }

  private constructor(url: string, tokens: ReadonlyMap<string, string>) {
    this.#url = url;
    this.tokens = tokens;
  }

  /** With the same tokens, at another replica. */
  at({ url }: TestReplica): TeamCallers {
    return new TeamCallers(url, this.tokens);
  }

  /** `again`: the same on another connection. */
  open(how: string, capabilities: Params = {}, again = ''): Promise<Caller> {
    const key = JSON.stringify([how, capabilities, again]);
    const known = this.#opened.get(key) ?? this.enter(how, '', capabilities);
    this.#opened.set(key, known);
    return known;
  }

  /** At another endpoint. */
  async enter(how: string, path: string, capabilities: Params = {}): Promise<Caller> {
    const headers = bearer(this.tokens.get(holderOf(how)) ?? '');
    if (how.endsWith('2026-07-28')) {
      const client = new ModernClient(new HttpClient(this.#url + path, true, headers), capabilities, 'cursor');
      return { ask: (method, params) => client.once(method, params) };
    }
    const client = new HttpClient(this.#url + path, false, headers);
    const clientInfo = { name: 'cursor', version: '1' };
    await client.exchange('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
    client.onRequest('elicitation/create', () => ({ action: 'accept', content: {} }));
    return { ask: async (method, params) => (await client.exchange(method, params)).message };
  }
}
