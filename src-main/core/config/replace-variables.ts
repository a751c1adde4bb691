/**
 * Puts the values of environment variables in the place of `${env:NAME}`, of secrets in that of `${secret:NAME}`, of a
 * user's own in that of `${user:NAME}`.
 */

export type Env = Readonly<Record<string, string | undefined>>;

/** A placeholder that has no value here. */
export interface UnresolvedPlaceholder {
  /** Position in the value, as keys and list indexes. */
  readonly path: readonly PropertyKey[];
  /**
   * `env`: the variable is not set; `input`: another product would have asked for it; `secret`: filled when the server
   * starts.
   */
  readonly source: 'env' | 'input' | 'secret';
  readonly name: string;
}

/** Returns the replacement for a placeholder without a value; undefined for none. */
type OnUnfilled = (unfilled: UnresolvedPlaceholder) => string | undefined;

const placeholder = /\$\{(env|input|secret|keyring|user):([^}:]+)(?::-([^}]*))?\}/g;

/**
 * `${keyring:NAME}` is MCPProxy's name for what `${secret:NAME}` is here. `${user:NAME}` is each user's own; where
 * there is one user, it is that secret.
 */
const secretSources: ReadonlySet<string> = new Set(['secret', 'keyring', 'user']);

/**
 * `${env:NAME}` and `${env:NAME:-default}` (used, as in a shell, when the variable is unset or empty) in every text
 * inside `value`. A placeholder without a value is reported to `onUnfilled` and becomes what that returns; `${input:…}`
 * is VS Code's. A secret is reported as well and stays as written: its value is filled in when the server starts and is
 * never part of a config.
 */
export function replaceVariables<T>(value: T, env: Env, onUnfilled: OnUnfilled): T {
  return mapTexts(value, [], (text, path) =>
    text.replace(placeholder, (whole: string, source: string, name: string, fallback?: string) => {
      if (secretSources.has(source)) {
        onUnfilled({ path, source: 'secret', name });
        return whole;
      }
      const value = source === 'env' ? env[name] : undefined;
      if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
      return value ?? onUnfilled({ path, source: source === 'env' ? 'env' : 'input', name }) ?? '';
    }),
  ) as T;
}

/** The names of the secrets in every text inside `value`, in their order. */
export function secretNamesIn(value: unknown): readonly string[] {
  const names = new Set<string>();
  replaceSecrets(value, (name) => {
    names.add(name);
    return '';
  });
  return [...names];
}

/** The names of each user's own values in every text inside `value`, in their order. */
export function userValueNamesIn(value: unknown): readonly string[] {
  const names = new Set<string>();
  replaceSecrets(value, (name, _fallback, isUsers) => {
    if (isUsers) names.add(name);
    return '';
  });
  return [...names];
}

/** `fallback`: what stands behind `:-`; `isUsers`: it is written as each user's own. */
type ValueOf = (name: string, fallback: string | undefined, isUsers: boolean) => string;

/** `value` with what `valueOf` answers in the place of each `${secret:NAME}` and `${user:NAME}`. */
export function replaceSecrets<T>(value: T, valueOf: ValueOf): T {
  return mapTexts(value, [], (text) =>
    text.replace(placeholder, (whole: string, source: string, name: string, fallback?: string) =>
      secretSources.has(source) ? valueOf(name, fallback, source === 'user') : whole,
    ),
  ) as T;
}

type OnText = (text: string, path: readonly PropertyKey[]) => string;

function mapTexts(value: unknown, path: readonly PropertyKey[], onText: OnText): unknown {
  if (typeof value === 'string') return onText(value, path);
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, [...path, index], onText));
  if (typeof value !== 'object' || value === null) return value;
  const mapped = Object.entries(value).map(([key, item]) => [key, mapTexts(item, [...path, key], onText)] as const);
  return Object.fromEntries(mapped);
}
