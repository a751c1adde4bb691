/** Puts the values of environment variables in the place of `${env:NAME}`. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** A placeholder that has no value here. */
export interface UnfilledPlaceholder {
  /** Where in the value, as keys and list positions. */
  readonly path: readonly PropertyKey[];
  /** `env`: the variable is not set; `input`, `keyring`: another product would have asked for it or kept it. */
  readonly source: 'env' | 'input' | 'keyring';
  readonly name: string;
}

const placeholder = /\$\{(env|input|keyring):([^}:]+)(?::-([^}]*))?\}/g;

/**
 * `${env:NAME}` and `${env:NAME:-default}` (used, as in a shell, when the variable is unset or empty) in every text inside `value`.
 * What cannot be filled is told to `onUnfilled` and becomes nothing, a keyring's stays as it is; `${input:…}` is VS Code's, `${keyring:…}` is MCPProxy's.
 */
export function replaceVariables<T>(
  value: T,
  env: Environment,
  onUnfilled: (unfilled: UnfilledPlaceholder) => void,
): T {
  return replaceAt(value, [], env, onUnfilled) as T;
}

type OnUnfilled = (unfilled: UnfilledPlaceholder) => void;

function replaceAt(value: unknown, path: readonly PropertyKey[], env: Environment, onUnfilled: OnUnfilled): unknown {
  if (typeof value === 'string') return replaceInText(value, path, env, onUnfilled);
  if (Array.isArray(value)) return value.map((item, index) => replaceAt(item, [...path, index], env, onUnfilled));
  if (typeof value !== 'object' || value === null) return value;
  const replaced = Object.entries(value).map(
    ([key, item]) => [key, replaceAt(item, [...path, key], env, onUnfilled)] as const,
  );
  return Object.fromEntries(replaced);
}

function replaceInText(text: string, path: readonly PropertyKey[], env: Environment, onUnfilled: OnUnfilled): string {
  return text.replace(
    placeholder,
    (whole: string, source: UnfilledPlaceholder['source'], name: string, fallback?: string) => {
      const value = source === 'env' ? env[name] : undefined;
      if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
      if (value === undefined) onUnfilled({ path, source, name });
      // A reference to a keyring stays what it is: whoever can read it later finds it here.
      return value ?? (source === 'keyring' ? whole : '');
    },
  );
}
