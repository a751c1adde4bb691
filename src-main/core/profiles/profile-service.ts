/**
 * Profiles as the user sees them, and tokens that the user creates and revokes: for the dashboard and the command
 * line, never for a model.
 */
import { displayNameOf } from '../client-apps/app-traits.ts';
import type { Profile, ProfileSettings } from '../config/app-config.ts';
import { profileNotFoundError } from './profile-scope.ts';
import type { ProfileToken, ProfileTokenStore } from './profile-tokens.ts';

/** A profile from the config. Names in it may come from servers: show them as text, never as HTML. */
export interface ProfileRow extends Profile {
  readonly name: string;
  /** Rules for its servers' tools, in words; empty: everything is permitted. */
  readonly rules: readonly string[];
  /** The apps that are restricted to it. */
  readonly apps: readonly { readonly app: string; readonly appName: string }[];
  /** Its HTTP address; empty if there is none. */
  readonly url: string;
}

/** Times in ms since 1970; `state`: at the time of the request. */
export interface ProfileTokenRow extends ProfileToken {
  readonly state: 'active' | 'expired' | 'revoked';
}

export interface ProfilesOverview {
  readonly profiles: readonly ProfileRow[];
  /** Oldest first. */
  readonly tokens: readonly ProfileTokenRow[];
}

/** Only this response contains the token. */
export type IssuedToken = ProfileTokenRow & { readonly token: string; readonly url: string };

interface ServiceDeps {
  readonly config: () => ProfileSettings;
  readonly tokens: ProfileTokenStore;
  /** Address of the HTTP endpoint, `http://127.0.0.1:PORT/mcp`; empty if it is not open. */
  readonly http: () => string;
}

export class ProfileService {
  readonly #parts: ServiceDeps;

  constructor(parts: ServiceDeps) {
    this.#parts = parts;
  }

  overview(): ProfilesOverview {
    return { profiles: this.#profiles(), tokens: this.#parts.tokens.list().map(tokenRow) };
  }

  /** `expiresAt`: in ms since 1970, within a year. Rejects with AppError `not_found`, `bad_request`, `not_allowed`. */
  async issueToken(profile: string, expiresAt: number): Promise<IssuedToken> {
    const profiles = this.#profiles();
    const row = profiles.find(({ name }) => name === profile);
    const names = profiles.map(({ name }) => name);
    if (row === undefined) throw profileNotFoundError(profile, names);
    const { token, ...given } = await this.#parts.tokens.issue(profile, expiresAt);
    return { ...tokenRow(given), token, url: row.url };
  }

  /** Rejects with AppError `not_found`. */
  async revoke(id: string): Promise<ProfileTokenRow & { readonly sentence: string }> {
    const { wasInForce, ...token } = await this.#parts.tokens.revoke(id);
    const sentence = wasInForce
      ? `Token ${id} of the profile ${token.profile} was revoked, and its sessions were closed.`
      : `Token ${id} of the profile ${token.profile} was already revoked or expired.`;
    return { ...tokenRow(token), sentence };
  }

  #profiles(): readonly ProfileRow[] {
    const { profiles, appProfiles } = this.#parts.config();
    const http = this.#parts.http();
    return Object.entries(profiles).map(([name, profile]) => ({
      name,
      ...profile,
      rules: rulesOf(profile),
      apps: Object.entries(appProfiles).flatMap(([app, held]) =>
        held === name ? [{ app, appName: displayNameOf(app) }] : [],
      ),
      url: http === '' ? '' : `${http}/p/${encodeURIComponent(name)}`,
    }));
  }
}

function rulesOf({ tools, except = [], readOnly, noDestructive, noOpenWorld }: Profile): string[] {
  return [
    ...(tools === undefined ? [] : [tools.length === 0 ? 'no tool' : `only ${tools.join(', ')}`]),
    ...(except.length === 0 ? [] : [`not ${except.join(', ')}`]),
    ...(readOnly === true ? ['only read-only tools'] : []),
    ...(noDestructive === true ? ['no destructive tools'] : []),
    ...(noOpenWorld === true ? ['no open-world tools'] : []),
  ];
}

function tokenRow(token: ProfileToken): ProfileTokenRow {
  const state = token.revoked !== undefined ? 'revoked' : token.expiresAt <= Date.now() ? 'expired' : 'active';
  return { ...token, state };
}
