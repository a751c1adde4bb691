/**
 * Replaces `${env:NAME}` with environment variables, `${secret:NAME}` with secrets, and `${user:NAME}` with a user's
 * own values.
 */

import { mapTexts } from '../base/json.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** A placeholder without a value. */
export interface UnresolvedPlaceholder {
  /** Keys and list indexes of the value. */
  readonly path: readonly PropertyKey[];
  /**
   * `env`: the variable is not set; `input`: another product would ask for it; `secret`: filled in when the server
   * starts.
   */
  readonly source: 'env' | 'input' | 'secret';
  readonly name: string;
}

/** Returns the replacement for a placeholder without a value; undefined for none. */
type OnUnfilled = (unfilled: UnresolvedPlaceholder) => string | undefined;

const placeholder = /\$\{(env|input|secret|keyring|user):([^}:]+)(?::-([^}]*))?\}/g;

/**
 * `${keyring:NAME}` is MCPProxy's spelling of `${secret:NAME}`. `${user:NAME}` is each user's own value; with a single
 * user, it is that secret.
 */
const secretSources: ReadonlySet<string> = new Set(['secret', 'keyring', 'user']);

/**
 * Replaces `${env:NAME}` and `${env:NAME:-default}` (the default applies, as in a shell, if the variable is unset or
 * empty) in every text
 * inside `value`. A placeholder without a value is passed to `onUnfilled` and becomes its result; `${input:…}`
 * is VS Code's. A secret is reported too, and stays as written, because it is filled in when the server starts and is
 * never part of a config.
 */
export function replaceVariables<T>(value: T, env: Env, onUnfilled: OnUnfilled): T {
  return mapTexts(value, (text, path) =>
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

/** The names of the secrets in every text inside `value`, in order. */
export function secretNamesIn(value: unknown): readonly string[] {
  const names = new Set<string>();
  replaceSecrets(value, (name) => {
    names.add(name);
    return '';
  });
  return [...names];
}

/** The names of users' own values in every text inside `value`, in order. */
export function userValueNamesIn(value: unknown): readonly string[] {
  const names = new Set<string>();
  replaceSecrets(value, (name, _fallback, isUsers) => {
    if (isUsers) names.add(name);
    return '';
  });
  return [...names];
}

/** `fallback`: the text after `:-`; `isUsers`: whether it is a user's own value. */
type ValueOf = (name: string, fallback: string | undefined, isUsers: boolean) => string;

/** `value` with each `${secret:NAME}` and `${user:NAME}` replaced by the result of `valueOf`. */
export function replaceSecrets<T>(value: T, valueOf: ValueOf): T {
  return mapTexts(value, (text) =>
    text.replace(placeholder, (whole: string, source: string, name: string, fallback?: string) =>
      secretSources.has(source) ? valueOf(name, fallback, source === 'user') : whole,
    ),
  ) as T;
}
