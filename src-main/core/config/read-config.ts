/** Parses the text of a config file, of any known product, into the config of the core. */
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AppConfig, ConfigProblem } from './app-config.ts';
import type { ServerConfig } from './server-config.ts';
import { buildServerConfig } from './build-server-config.ts';
import { ConfigDocument } from './config-document.ts';
import { type ContainerEntry, findContainers, type ServerContainer } from './containers.ts';
import { commonDialect } from './dialects/dialect-table.ts';
import { findServers, type FoundServers } from './dialects/find-servers.ts';
import { EntryReader } from './entry-reader.ts';
import { foreignProblem, reportUnreadPlaces } from './foreign-file.ts';
import { doubledKeys, nodeValue } from './jsonc-text.ts';
import { type KnownNames, readSettings } from './read-settings.ts';
import type { Env } from './replace-variables.ts';

export interface ParsedConfig {
  /** Undefined if the text cannot be parsed. */
  readonly config?: AppConfig;
  readonly problems: readonly ConfigProblem[];
}

interface Context {
  readonly document: ConfigDocument;
  readonly path: string;
  readonly env: Env;
  readonly lastGood: AppConfig | undefined;
  readonly settings: AppConfig;
  /** The servers found in the file. */
  readonly found: FoundServers;
}

/** Parses `text`. Invalid parts keep their value from `lastGood`; a server that was never valid is omitted. */
export function parseConfig(
  text: string,
  path: string,
  env: Env,
  lastGood?: AppConfig,
  known?: KnownNames,
): ParsedConfig {
  const document = new ConfigDocument(text, path);
  const { root } = document;
  const found = root === undefined ? undefined : findServers(nodeValue(root), path);
  const foreign = foreignProblem(text, path, found);
  if (foreign !== undefined) return { problems: [foreign] };
  if (root === undefined || found === undefined) return { problems: document.problems };
  const settings = readSettings(document, { path, env, lastGood, known });
  const context = { document, path, env, lastGood, settings, found };
  const containers = findContainers(root);
  const servers = containers.flatMap((container) => readContainer(container, context));
  reportSecondContainer(containers, document);
  reportUnreadPlaces(document, found, path);
  for (const { key, keyNode } of doubledKeys(root))
    document.report('warning', keyNode, [key], `"${key}" is duplicated. The last one is used.`, {
      suggestion: 'Remove the others.',
    });
  const config = { ...settings, servers: firstOfEachName(servers) };
  return { config, problems: document.problems.map((problem) => sayWhatIsUsed(problem, config)) };
}

/** The servers in `text`, with the given settings; invalid ones are omitted. */
export function parseServerConfigs(text: string, settings: AppConfig, env: Env): readonly ServerConfig[] {
  const { path } = settings;
  const document = new ConfigDocument(text, path);
  if (document.root === undefined) return [];
  const found = findServers(nodeValue(document.root), path);
  const context = { document, path, env, lastGood: undefined, settings, found };
  return firstOfEachName(findContainers(document.root).flatMap((container) => readContainer(container, context)));
}

/** Reports servers of a second container that one of the first, with the same name, replaces. */
function reportSecondContainer([first, second]: readonly ServerContainer[], document: ConfigDocument): void {
  for (const { name, nameNode, path } of second?.entries ?? []) {
    if (name === undefined || !first?.entries.some((entry) => entry.name === name)) continue;
    document.report('warning', nameNode, path, `Another server is named ${JSON.stringify(name)}.`, {
      suggestion: `The one under "${first.key}" is used. Rename or remove this one.`,
      server: name,
    });
  }
}

function readContainer(container: ServerContainer, context: Context): readonly ServerConfig[] {
  const { key, node, entries } = container;
  if (node.type === 'null') return [];
  if (node.type !== 'object' && node.type !== 'array') {
    context.document.report('error', node, [key], 'An object with one entry per server is expected here.');
    return context.lastGood?.servers ?? [];
  }
  const lastByName = new Map(entries.map((entry) => [entry.name, entry]));
  return entries.flatMap((entry) => {
    const name = usableName(entry, lastByName, context.document);
    return name === undefined ? [] : readServer(entry, name, context);
  });
}

function usableName(
  entry: ContainerEntry,
  lastByName: ReadonlyMap<string | undefined, ContainerEntry>,
  document: ConfigDocument,
): string | undefined {
  const { name, nameNode, path } = entry;
  if (name === undefined || name.trim() === '') {
    document.report('error', nameNode, path, 'The server name is missing.', { suggestion: 'Add a name.' });
    return undefined;
  }
  if (lastByName.get(name) === entry) return name;
  const suggestion = 'The last one is used. Rename or remove the others.';
  document.report('warning', nameNode, path, `Another server is named ${JSON.stringify(name)}.`, {
    suggestion,
    server: name,
  });
  return undefined;
}

function readServer(entry: ContainerEntry, name: string, context: Context): ServerConfig[] {
  const { document, env, lastGood, path, settings, found } = context;
  const own = found.entries.find((one) => isDeepStrictEqual(one.path, entry.path));
  const reader = new EntryReader(document, entry, name, own ?? { dialect: commonDialect, policy: {} });
  const server = buildServerConfig(reader, { env, folder: dirname(path), settings });
  return server === undefined ? (lastGood?.servers ?? []).filter((good) => good.name === name) : [server];
}

function firstOfEachName(servers: readonly ServerConfig[]): ServerConfig[] {
  const byName = new Map<string, ServerConfig>();
  for (const server of servers) if (!byName.has(server.name)) byName.set(server.name, server);
  return [...byName.values()];
}

/** Adds to the problem which value is in use. A server with an error can only be present in its last valid form. */
function sayWhatIsUsed(problem: ConfigProblem, config: AppConfig): ConfigProblem {
  const isStored = problem.severity === 'error' && config.servers.some(({ name }) => name === problem.server);
  return isStored
    ? { ...problem, reason: `${problem.reason} The last valid version of this server stays in use.` }
    : problem;
}
