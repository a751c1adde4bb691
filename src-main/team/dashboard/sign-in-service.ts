/**
 * The viewer's own sign-ins to the team's servers: list, sign in, sign out, and the values that servers need from them.
 */
import { placementOf, type ServerConfig, userValueNamesIn } from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import type { UserSignInRow, RpcMethods, TeamMethods } from '../../rpc/contract.ts';
import type { TeamAdmin } from '../admin/team-admin.ts';
import type { TeamSignIns } from '../oauth/team-sign-ins.ts';
import type { Viewer } from './viewer.ts';

export interface SignInServiceDeps {
  readonly signIns: Pick<TeamSignIns, 'list' | 'link' | 'signOut' | 'of' | 'valuesOf'>;
  /** Entries that the viewer may access. */
  readonly servers: () => readonly ServerConfig[];
  readonly admin: Pick<TeamAdmin, 'signOut'>;
}

/** For one viewer. All methods reject with AppError `store_unreachable`. */
export class SignInService {
  readonly #parts: SignInServiceDeps;
  readonly #viewer: Viewer;

  constructor(parts: SignInServiceDeps, viewer: Viewer) {
    this.#parts = parts;
    this.#viewer = viewer;
  }

  /** Remote servers with user sign-in, and others where the viewer is still signed in. */
  async rows(): Promise<TeamMethods['ownSignIns']['output']> {
    const { signIns: authorizations, servers } = this.#parts;
    const held = new Map((await authorizations.list(this.#viewer.user)).map((one) => [one.server, one]));
    const wanted = servers().flatMap((server) =>
      server.enabled ? userValueNamesIn(server).map((name) => ({ server: server.name, name })) : [],
    );
    const own = new Set(wanted.length === 0 ? [] : await authorizations.valuesOf(this.#viewer.user));
    // A server that uses a per-user value has no sign-in.
    const may = servers().filter(
      (server) => this.#takesSignIn(server) && !wanted.some((value) => value.server === server.name),
    );
    const names = [...new Set([...may.map(({ name }) => name), ...held.keys()])];
    const signIns = names.map((server): UserSignInRow => {
      const { account, issuer, grantedAt } = held.get(server) ?? {};
      return {
        server,
        isSignedIn: held.has(server),
        maySignIn: may.some(({ name }) => name === server),
        account: account ?? '',
        at: hostOf(issuer),
        since: grantedAt,
      };
    });
    return { signIns, values: wanted.map((value) => ({ ...value, isStored: own.has(value.name) })) };
  }

  /** Rejects with AppError `not_found` if there is no such server, `unsupported` if it has no user sign-in. */
  signIn({ server }: RpcMethods['signIn']['input']): RpcMethods['signIn']['output'] {
    const found = this.#parts.servers().find(({ name }) => name === server);
    if (found === undefined) throw new AppError('not_found', 'Server not found.');
    if (!this.#takesSignIn(found))
      throw new AppError('unsupported', `${server} does not use per-user sign-in.`, {
        fix: 'Ask an admin how it is configured.',
      });
    return { url: this.#parts.signIns.link({ user: this.#viewer.user, server }) };
  }

  async signOut({ server }: RpcMethods['signOut']['input']): Promise<RpcMethods['signOut']['output']> {
    const { name, user } = this.#viewer;
    const { admin, signIns } = this.#parts;
    const left = await admin.signOut(signIns, { id: user, name }, server);
    if (left.length === 0) return { wasSignedIn: false, sentence: `You are not signed in to ${server}.` };
    return { wasSignedIn: true, sentence: `Signed out of ${server} on all replicas.` };
  }

  #takesSignIn(server: ServerConfig): boolean {
    if (!server.enabled || !placementOf(server).isEachOnes) return false;
    if ((server.kind !== 'http' && server.kind !== 'sse') || server.oauth?.tokenExchange !== undefined) return false;
    return this.#parts.signIns.of(this.#viewer.user).find(server) !== undefined;
  }
}

/** Empty if unknown. */
function hostOf(issuer: string | undefined): string {
  return URL.parse(issuer ?? '')?.host ?? '';
}
