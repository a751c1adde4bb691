/** Fills secrets into the launch or address of a server, at its start and for that connection only. */
import { AppError } from '../base/errors.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { replaceSecrets, secretNamesIn } from '../config/replace-variables.ts';
import { serverSecretPrefix, type SecretStore } from './secret-store.ts';

/** The fields that may contain secrets, in every kind of server. */
const fields = ['args', 'env', 'url', 'headers', 'oauth'] as const;

/** The names of the secrets that a server receives. */
export function secretNamesOf(config: ServerConfig): readonly string[] {
  return secretNamesIn(fieldsOf(config));
}

/** The same without those with a default, with the first field that names each. */
export function requiredSecrets(config: ServerConfig): ReadonlyMap<string, string> {
  const required = new Map<string, string>();
  for (const [field, value] of Object.entries(fieldsOf(config))) {
    replaceSecrets(value, (name, fallback) => {
      if (fallback === undefined && !required.has(name)) required.set(name, field);
      return '';
    });
  }
  return required;
}

/** Returns the vault key of a server secret. */
export function secretVaultKey(name: string): string {
  return `${serverSecretPrefix}${name}`;
}

/** The reverse; empty if the key is not that of a server secret. */
export function parseSecretVaultKey(name: string): string[] {
  return name.startsWith(serverSecretPrefix) ? [name.slice(serverSecretPrefix.length)] : [];
}

type ReadSecret = (name: string) => Promise<string | undefined>;

export interface ResolveSecretsOptions {
  /**
   * Reads `${user:NAME}` of the user that the server is started for; absent on a desktop, where it means the secret of
   * that name.
   */
  readonly readUsers?: ReadSecret;
  /** The command to set one (`SecretStore.setWith`), and to set a user's own value, if different. */
  readonly setWith?: string;
  readonly setUsersWith?: string;
}

/** Resolves secrets without a user, so that per-user values are missing. */
export function forNobody({
  setWith,
  setUsersWith,
}: Pick<SecretStore, 'setWith' | 'setUsersWith'>): ResolveSecretsOptions {
  const readUsers = (): Promise<undefined> => Promise.resolve(undefined);
  return { setWith, ...(setUsersWith !== undefined && { readUsers, setUsersWith }) };
}

/**
 * The config with its secrets filled in. Rejects with AppError `secret_missing` or `secret_locked`, naming the server.
 */
export async function resolveSecrets<C extends ServerConfig>(
  config: C,
  read: ReadSecret,
  options: ResolveSecretsOptions = {},
): Promise<C> {
  const { readUsers = (name) => read(secretVaultKey(name)), setWith = 'tooltray secret set' } = options;
  const { setUsersWith = setWith } = options;
  const secrets = await readAll(config, namesIn(config, false), (name) => read(secretVaultKey(name)));
  const users = await readAll(config, namesIn(config, true), readUsers);
  const put = (name: string, fallback: string | undefined, isUsers: boolean): string => {
    const value = (isUsers ? users : secrets).get(name) ?? fallback;
    if (value === undefined) {
      throw new AppError('secret_missing', `${config.name} needs the secret ${name}, which is not set.`, {
        fix: `Set it: ${isUsers ? setUsersWith : setWith} ${name}`,
        data: { secret: name, ...(isUsers && options.readUsers !== undefined && { whose: 'user' }) },
      });
    }
    // Invalid in a program's arguments or a header; their own errors would quote the value.
    if (value.includes('\0') || (config.kind !== 'stdio' && /[\r\n]/.test(value))) {
      throw new AppError(
        'secret_missing',
        `The secret ${name} of ${config.name} has characters that are not allowed.`,
        {
          fix: `Set it again, in one line: ${isUsers ? setUsersWith : setWith} ${name}`,
          data: { secret: name },
        },
      );
    }
    return value;
  };
  const { url, ...others } = fieldsOf(config);
  return {
    ...config,
    ...replaceSecrets(others, put),
    // Placeholders are replaced before the address is parsed, so that no value can change the host.
    ...(url !== undefined && { url: replaceSecrets(url, (...named) => encodeURIComponent(put(...named))) }),
  };
}

function namesIn(config: ServerConfig, areUsers: boolean): readonly string[] {
  const names = new Set<string>();
  replaceSecrets(fieldsOf(config), (name, _fallback, isUsers) => {
    if (isUsers === areUsers) names.add(name);
    return '';
  });
  return [...names];
}

async function readAll(
  { name: server }: ServerConfig,
  names: readonly string[],
  read: ReadSecret,
): Promise<ReadonlyMap<string, string | undefined>> {
  const values = new Map<string, string | undefined>();
  for (const name of names) {
    values.set(
      name,
      await read(name).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        throw new AppError(error.code, `${server} needs the secret ${name}. ${error.message}`, {
          ...(error.fix !== undefined && { fix: error.fix }),
          cause: error,
        });
      }),
    );
  }
  return values;
}

function fieldsOf(config: ServerConfig): { readonly url?: string } {
  return Object.fromEntries(Object.entries(config).filter(([key]) => (fields as readonly string[]).includes(key)));
}
