/**
 * The scope of a profile: servers by name, tools by name and by their servers' annotations. Everything else is denied.
 */
import { AppError } from '../base/errors.ts';
import { type JsonObject, objectOrEmpty } from '../base/json.ts';
import { truncateName } from '../base/visible-text.ts';
import type { AppConfig, Profile, ProfileSettings } from '../config/app-config.ts';

export interface ProfileScope {
  hasServer(server: string): boolean;
  /** `definition`: the server's definition of the tool. */
  hasTool(server: string, definition: JsonObject): boolean;
}

/** The combined scope of these profiles, read from the config at each check. A removed profile permits nothing. */
export function createProfileScope(profiles: readonly string[], config: () => AppConfig): ProfileScope {
  const each = profiles.map((profile) => scopeOfOne(profile, config));
  return {
    hasServer: (server) => each.every((scope) => scope.hasServer(server)),
    hasTool: (server, definition) => each.every((scope) => scope.hasTool(server, definition)),
  };
}

function scopeOfOne(profile: string, config: () => AppConfig): ProfileScope {
  if (profile.startsWith(grantMark)) return grantScope(JSON.parse(profile.slice(grantMark.length)) as string[], config);
  const fixed = ruleIn(profile);
  const now = (): Profile | undefined => fixed ?? findProfile(config(), profile);
  const hasServer = (server: string): boolean => {
    const found = now();
    return found !== undefined && (found.servers?.includes(server) ?? true);
  };
  return {
    hasServer,
    hasTool: (server, definition) => {
      const found = now();
      return found !== undefined && hasServer(server) && allows(found, server, definition);
    },
  };
}

/** The combined grant of these profiles; nothing without profiles. `everything` is a profile, too. */
export function grantOf(profiles: readonly string[]): string {
  return `${grantMark}${JSON.stringify([...new Set(profiles)].sort())}`;
}

/** Used in a grant; no configured name is equal to it. */
export const everything = '*';
/** Cannot occur at the start of a configured name. */
const grantMark = '(grant) ';

function grantScope(profiles: readonly string[], config: () => AppConfig): ProfileScope {
  const each = profiles.map((profile) => createProfileScope(profile === everything ? [] : [profile], config));
  return {
    hasServer: (server) => each.some((scope) => scope.hasServer(server)),
    hasTool: (server, definition) => each.some((scope) => scope.hasTool(server, definition)),
  };
}

/** Always exists; no configured name is equal to it. */
export const readOnlyProfile = '(read-only)';

/** Canonical name of a config layer's scope: equal for all users with an equal scope. */
export function scopeName(rules: Profile): string {
  return `${scopeMark}${JSON.stringify(Object.fromEntries(Object.entries(rules).sort()))}`;
}

/** Cannot occur in a configured name. */
const scopeMark = '(scope) ';

export function isScopeName(name: string): boolean {
  return name.startsWith(scopeMark);
}

function ruleIn(name: string): Profile | undefined {
  return isScopeName(name) ? (JSON.parse(name.slice(scopeMark.length)) as Profile) : undefined;
}

export function findProfile({ profiles }: Pick<ProfileSettings, 'profiles'>, name: string): Profile | undefined {
  if (name === readOnlyProfile) return { readOnly: true };
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/**
 * The profiles of a connection: the requested one (by address, token or option), the one of its app, and those of the
 * user. All apply, so that a client cannot avoid one by naming itself differently.
 */
export function effectiveProfiles(
  { appProfiles }: Pick<ProfileSettings, 'appProfiles'>,
  app: string | undefined,
  came: string | undefined,
  bounds: readonly string[] = [],
): readonly string[] {
  const held = app !== undefined && Object.hasOwn(appProfiles, app) ? appProfiles[app] : undefined;
  return [...new Set([came, held, ...bounds])].filter((name) => name !== undefined);
}

/** `known`: the profiles that the caller may know, possibly only one. */
export function profileNotFoundError(name: string, known: readonly string[] = []): AppError {
  return new AppError('not_found', `No profile named ${JSON.stringify(truncateName(name))}.`, {
    fix:
      known.length === 0
        ? 'The user can find profiles under "profiles" in the config file.'
        : `There are: ${known.join(', ')}.`,
  });
}

/** Missing annotations mean the worst, as in MCP: the tool writes, destroys, and is open-world. */
function allows({ tools, except = [], ...rules }: Profile, server: string, { name, annotations }: JsonObject): boolean {
  const isNamed = (names: readonly string[]): boolean =>
    names.some((one) => one === name || one === `${server}:${String(name)}`);
  if ((tools !== undefined && !isNamed(tools)) || isNamed(except)) return false;
  const { readOnlyHint, destructiveHint, openWorldHint } = objectOrEmpty(annotations);
  const isReading = readOnlyHint === true;
  if (rules.readOnly === true && !isReading) return false;
  // A read-only tool is not destructive, whatever its other annotations.
  if (rules.noDestructive === true && !isReading && destructiveHint !== false) return false;
  return rules.noOpenWorld !== true || openWorldHint === false;
}
