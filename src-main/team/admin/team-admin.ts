/**
 * Administrative changes of a team: users, grants, tokens, secrets, and sign-ins. Used by the dashboard and the
 * command line; each change is recorded in the audit log with its author.
 */
import {
  type AuditEntry,
  type AuditRecorder,
  everything,
  type SecretStore,
  secretVaultKey,
  validateSecret,
} from '../../core/edition.ts';
import type { TeamSignIns, VaultedSignIn } from '../oauth/team-sign-ins.ts';
import type { DocumentTable } from '../documents/document-table.ts';
import type { TeamVaults } from '../secrets/team-vault.ts';
import type { AccessToken, AccessTokenStore, NewToken } from '../users/access-tokens.ts';
import type { NewUser, Role, User, UserStore } from '../users/user-store.ts';

/** Author of a change: a user by name, or the operating system's user who runs a command. */
export interface AdminActor {
  readonly name: string;
  readonly place: 'dashboard' | 'command line';
}

export interface TeamAdminDeps {
  readonly people: UserStore;
  readonly tokens: AccessTokenStore;
  readonly audit: Pick<AuditRecorder, 'note' | 'flush'>;
  readonly actor: AdminActor;
}

/** Secrets of the organization, or of one user. */
export interface SecretOwner {
  readonly vault: SecretStore;
  /** undefined: the organization. */
  readonly user: User | undefined;
}

type AccessEntry = Extract<AuditEntry, { kind: 'access' }>;

/**
 * Each method resolves when its audit record is written, or buffered because the database is unavailable. All reject
 * as the stores do.
 */
export class TeamAdmin {
  readonly #parts: TeamAdminDeps;

  constructor(parts: TeamAdminDeps) {
    this.#parts = parts;
  }

  async addUser(user: NewUser): Promise<User> {
    const added = await this.#parts.people.add(user);
    const { id, name, role, groups } = added;
    const inGroups = groups.length === 0 ? '' : `, groups ${groups.join(', ')}`;
    await this.#record('given', `added the user ${name} (${role}${inGroups})`, { user: id });
    return added;
  }

  async setSuspended(name: string, isSuspended: boolean): Promise<User> {
    const changed = await this.#parts.people.change(name, { isSuspended });
    const what = isSuspended ? 'suspended' : 'restored';
    await this.#record(isSuspended ? 'revoked' : 'given', `${what} the user ${name}`, { user: changed.id });
    return changed;
  }

  async setRole(name: string, role: Role): Promise<User> {
    const changed = await this.#parts.people.change(name, { role });
    await this.#record('changed', `made ${name} ${role}`, { user: changed.id });
    return changed;
  }

  async setGroups(name: string, groups: readonly string[]): Promise<User> {
    const changed = await this.#parts.people.change(name, { groups });
    await this.#record('changed', `set the groups of ${name} to ${groups.join(', ') || 'none'}`, { user: changed.id });
    return changed;
  }

  /** Suspends the user, signs them out everywhere, and deletes their secrets. Returns the number of sign-ins. */
  async deleteUser(name: string, signIns: TeamSignIns): Promise<{ readonly user: User; readonly signIns: number }> {
    const user = await this.#parts.people.change(name, { isSuspended: true });
    const held = await signIns.list(user.id);
    await signIns.erase(user.id);
    await this.#record('revoked', `deleted the user ${name}, with sign-ins and secrets`, { user: user.id });
    return { user, signIns: held.length };
  }

  async grant(group: string, profile: string): Promise<void> {
    await this.#parts.people.grant(group, profile);
    await this.#record('given', `granted ${grantName(profile)} to the group ${group}`);
  }

  /** `profile` undefined: all grants of the group. */
  async ungrant(group: string, profile: string | undefined): Promise<void> {
    await this.#parts.people.ungrant(group, profile);
    const what = profile === undefined ? 'all grants' : grantName(profile);
    await this.#record('revoked', `revoked ${what} of the group ${group}`);
  }

  async createToken(token: NewToken): Promise<AccessToken & { readonly token: string }> {
    const created = await this.#parts.tokens.create(token);
    const { id, user, expiresAt } = created;
    await this.#record('given', `created the token ${id} of ${user}, until ${expiresAt.toISOString()}`, { token: id });
    return created;
  }

  async revokeToken(id: string): Promise<AccessToken> {
    const revoked = await this.#parts.tokens.revoke(id);
    await this.#record('revoked', `revoked the token ${id} of ${revoked.user}`, { token: id });
    return revoked;
  }

  /** Throws AppError `bad_request` for a name or value that cannot be stored. */
  async setSecret({ vault, user }: SecretOwner, name: string, value: string): Promise<void> {
    validateSecret(name, value);
    await vault.write(secretVaultKey(name), value);
    await this.#record('given', `set the secret ${name} of ${ownerName(user)}`, idOf(user));
  }

  /** Returns whether there was one. */
  async removeSecret({ vault, user }: SecretOwner, name: string): Promise<boolean> {
    const isRemoved = await vault.remove(secretVaultKey(name));
    if (isRemoved) await this.#record('revoked', `deleted the secret ${name} of ${ownerName(user)}`, idOf(user));
    return isRemoved;
  }

  /** Encrypts all secrets and documents with the first team key. Returns their number. */
  async rotateKeys(vaults: Pick<TeamVaults, 'rotate'>, documents: Pick<DocumentTable, 'rotate'>): Promise<number> {
    const count = (await vaults.rotate()) + (await documents.rotate());
    await this.#record('changed', `encrypted all secrets and documents (${count}) with the first team key`);
    return count;
  }

  /** Returns the link with which the user signs in. */
  async createSignInLink(signIns: Pick<TeamSignIns, 'link'>, user: User, server: string): Promise<string> {
    const link = signIns.link({ user: user.id, server });
    await this.#record('given', `created a sign-in link to ${server} for ${user.name}`, { user: user.id });
    return link;
  }

  /** `server` undefined: all of them. Returns the sign-ins that ended. */
  async signOut(
    signIns: Pick<TeamSignIns, 'signOut'>,
    user: Pick<User, 'id' | 'name'>,
    server: string | undefined,
  ): Promise<readonly VaultedSignIn[]> {
    const left = await signIns.signOut(user.id, server);
    const names = left.map((one) => one.server).join(', ');
    if (left.length > 0) await this.#record('signed out', `signed ${user.name} out of ${names}`, { user: user.id });
    return left;
  }

  async recordMigration(from: number, to: number): Promise<void> {
    await this.#record('changed', `migrated the database from step ${from} to step ${to}`);
  }

  /** Records that every replica was asked to reconnect a server. */
  async recordRetry(server: string): Promise<void> {
    const { actor, audit } = this.#parts;
    const sentence = `${actor.name} retried the server ${server}.`;
    audit.note({ kind: 'decision', about: 'server', id: server, choice: 'retry', by: actor.place, server, sentence });
    await audit.flush();
  }

  async #record(
    change: AccessEntry['change'],
    what: string,
    about: Pick<AccessEntry, 'user' | 'token'> = {},
  ): Promise<void> {
    const { actor, audit } = this.#parts;
    const sentence = `${actor.name} ${what}, ${actor.place === 'dashboard' ? 'in the dashboard' : 'on the command line'}.`;
    audit.note({ kind: 'access', change, by: actor.name, sentence, ...about });
    await audit.flush();
  }
}

function grantName(profile: string): string {
  return profile === everything ? 'everything' : `the profile ${profile}`;
}

function ownerName(user: User | undefined): string {
  return user?.name ?? 'the organization';
}

function idOf(user: User | undefined): { readonly user?: string } {
  return user === undefined ? {} : { user: user.id };
}
