/** Finds, reads, validates and edits the config file that a command works on. */
import { isFolder } from '../core/servers/launch/tool-folders.ts';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type AppPaths, resolveAppPaths } from '../core/base/app-paths.ts';
import { AppError, toAppError } from '../core/base/errors.ts';
import { closestMatch } from '../core/base/text-format.ts';
import type { ConfigProblem } from '../core/config/app-config.ts';
import type { ServerConfig, StdioServerConfig } from '../core/config/server-config.ts';
import { ConfigDocument } from '../core/config/config-document.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { findProperty } from '../core/config/jsonc-text.ts';
import { parseConfig } from '../core/config/read-config.ts';
import { findContainers } from '../core/config/containers.ts';
import { requiredSecrets, parseSecretVaultKey } from '../core/secrets/resolve-secrets.ts';
import { serverSecretPrefix } from '../core/secrets/secret-store.ts';
import { openVault } from '../core/secrets/vault.ts';
import { findCommand } from '../core/servers/launch/find-command.ts';
import { EnvironmentResolver } from '../core/servers/launch/resolve-environment.ts';
import { knownNames, openConfig, requireReadable } from '../host/open-config.ts';
import { runningCoreFor } from './core-access.ts';

export function cliPaths(): AppPaths {
  return resolveAppPaths(process.env, process.platform, homedir());
}

/**
 * Opens the file named by `--config`, which must exist; else the one that a running core uses; else the user's config
 * file, which is created if missing. Rejects with AppError `config_not_found`, or `config_invalid` if the file cannot
 * be parsed.
 */
export async function openCliConfig(given: string | undefined): Promise<ConfigStore> {
  const store = await openAnyConfig(given);
  requireReadable(store);
  return store;
}

/** Like `openCliConfig`, but also opens a config that has errors, for commands that report them. */
export async function openAnyConfig(given: string | undefined): Promise<ConfigStore> {
  const store = await findConfig(given);
  // Edits made by a command are approved implicitly, with paths resolved now.
  store.changed.on(({ servers }) => void approve(store, servers));
  return store;
}

async function approve(store: ConfigStore, servers: readonly ServerConfig[]): Promise<void> {
  const { createServerSandboxes } = await import('../core/servers/launch/sandbox/server-sandboxes.ts');
  await createServerSandboxes(cliPaths(), store.path).agree(servers);
}

async function findConfig(given: string | undefined): Promise<ConfigStore> {
  if (given !== undefined) return openConfig(resolve(given), true, process.env, cliPaths());
  const core = await runningCoreFor(undefined);
  if (core === undefined) return openConfig(cliPaths().configFile, false, process.env, cliPaths());
  const { home } = await core.ask('state', {});
  await core.close();
  return openConfig(home, false, process.env, cliPaths());
}

/**
 * Edits one server's entry. Rejects with AppError `server_not_found`, which lists the existing names, or
 * `config_invalid`.
 */
export async function updateServer(
  store: ConfigStore,
  name: string,
  edit: (text: string, name: string) => string,
): Promise<void> {
  try {
    await store.update((text) => edit(text, name));
  } catch (error) {
    throw toAppError(error).code === 'server_not_found' ? unknownServer(name, serverNames(store)) : error;
  }
}

/** Returns the error for an unknown server name, with the closest match and the existing names. */
export function unknownServer(name: string, available: readonly string[]): AppError {
  const meant = closestMatch(name, available);
  const guess = meant === undefined ? '' : `Did you mean ${JSON.stringify(meant)}? `;
  return new AppError('server_not_found', `Server ${JSON.stringify(name)} not found.`, {
    fix:
      available.length === 0 ? 'Add one with: tooltray add NAME COMMAND' : `${guess}Servers: ${available.join(', ')}.`,
    data: { available: [...available] },
  });
}

/** Names of all entries in the file, including invalid ones. */
export function serverNames({ current, problems }: ConfigStore): string[] {
  const broken = problems.flatMap(({ server }) => (server === undefined ? [] : [server]));
  return [...new Set([...current.servers.map(({ name }) => name), ...broken])];
}

interface ConfigCheck {
  readonly servers: readonly ServerConfig[];
  /** In the order of the file. */
  readonly problems: readonly ConfigProblem[];
}

/**
 * Checks a config file without starting a server: its entries, and whether its commands exist. `only` limits the
 * problems to those of one server.
 */
export async function checkConfig(text: string, path: string, only?: string): Promise<ConfigCheck> {
  const { config, problems } = parseConfig(text, path, process.env, undefined, knownNames());
  const servers = (config?.servers ?? []).filter(({ name }) => only === undefined || name === only);
  const document = new ConfigDocument(text, path);
  const environment = new EnvironmentResolver({ own: process.env });
  const stored = await storedSecrets();
  for (const server of servers) {
    if (server.kind === 'stdio') await checkLaunch(server, document, environment);
    reportMissingValues(server, document, stored);
  }
  const serverProblems = problems.filter(({ server }) => only === undefined || server === only);
  // If parsing failed, `document` has reported the same syntax errors; this avoids listing them twice.
  const found = config === undefined ? [] : document.problems;
  return { servers, problems: [...serverProblems, ...found].sort((a, b) => a.line - b.line || a.column - b.column) };
}

/** Names of the secrets in the vault; empty if the vault cannot be read. */
async function storedSecrets(): Promise<ReadonlySet<string>> {
  const stored = await openVault(cliPaths().dataDir, process.env)
    .names(serverSecretPrefix)
    .catch(() => []);
  return new Set(stored.flatMap(({ name }) => parseSecretVaultKey(name)));
}

/** Reports a value found neither in the environment nor in the vault: the server is listed and needs setup. */
function reportMissingValues(server: ServerConfig, document: ConfigDocument, stored: ReadonlySet<string>): void {
  for (const [secret, field] of requiredSecrets(server)) {
    const location = stored.has(secret) ? undefined : fieldNode(document, server.name, field);
    if (location === undefined) continue;
    const suggestion = `Set it: tooltray secret set ${secret}, or in the environment.`;
    document.report('warning', location.node, location.path, `${secret} has no value.`, {
      suggestion,
      server: server.name,
    });
  }
}

async function checkLaunch(
  server: StdioServerConfig,
  document: ConfigDocument,
  environment: EnvironmentResolver,
): Promise<void> {
  const { command, cwd, env, name, enabled } = server;
  const report = (field: string, reason: string, suggestion: string): void => {
    const place = fieldNode(document, name, field);
    if (place !== undefined)
      document.report(enabled ? 'error' : 'warning', place.node, place.path, reason, { suggestion, server: name });
  };
  // An unresolved placeholder has already been reported.
  if ([command, cwd ?? ''].some((text) => text.includes('${'))) return;
  if (cwd !== undefined && !(await isFolder(cwd)))
    report('cwd', `Directory not found: ${cwd}`, 'Create it or change the path.');
  else if ((await findCommand(command, await environment.resolve(env), cwd)) === undefined) {
    const what = /[/\\]/.test(command) ? 'does not exist or is not executable' : 'not found in PATH';
    report('command', `"${command}" ${what}.`, 'Install it or use an absolute path.');
  }
}

/** Node of a server's field; the entry's name if it is spelled differently. */
function fieldNode({ root }: ConfigDocument, name: string, field: string) {
  const entries = root === undefined ? [] : findContainers(root).flatMap((container) => container.entries);
  const entry = entries.find((one) => one.name === name);
  if (entry === undefined) return undefined;
  return { node: findProperty(entry.valueNode, field)?.valueNode ?? entry.nameNode, path: [...entry.path, field] };
}
