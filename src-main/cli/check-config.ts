/** Everything about a config file that can be told without starting a server: what it says, and whether its commands are there. */
import { stat } from 'node:fs/promises';
import type { ConfigProblem, ServerConfig, StdioServerConfig } from '../core/config/app-config.ts';
import { ConfigDocument } from '../core/config/config-document.ts';
import { findProperty } from '../core/config/json-node.ts';
import { readConfig } from '../core/config/read-config.ts';
import { findContainers } from '../core/config/server-container.ts';
import { findCommand } from '../core/servers/launch/find-command.ts';
import { EnvironmentResolver } from '../core/servers/launch/resolve-environment.ts';
import { knownNames } from '../host/open-config.ts';

export interface ConfigCheck {
  readonly servers: readonly ServerConfig[];
  /** In the order of the file. */
  readonly problems: readonly ConfigProblem[];
}

/** `only`: leaves out whatever does not concern this server. */
export async function checkConfig(text: string, path: string, only?: string): Promise<ConfigCheck> {
  const { config, problems } = readConfig(text, path, process.env, undefined, knownNames(process.env));
  const servers = (config?.servers ?? []).filter(({ name }) => only === undefined || name === only);
  const document = new ConfigDocument(text, path);
  const environment = new EnvironmentResolver({ own: process.env });
  for (const server of servers) if (server.kind === 'stdio') await checkLaunch(server, document, environment);
  const own = problems.filter(({ server }) => only === undefined || server === only);
  // The document found the faults of the text as a whole once more.
  const found = config === undefined ? [] : document.problems;
  return { servers, problems: [...own, ...found].sort((a, b) => a.line - b.line || a.column - b.column) };
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
  if (cwd !== undefined && !(await isFolder(cwd)))
    report('cwd', `The folder ${cwd} does not exist.`, 'Create it, or change the path.');
  else if ((await findCommand(command, await environment.resolve(env), cwd)) === undefined) {
    const what = /[/\\]/.test(command) ? 'does not exist or is not executable' : 'was not found on PATH';
    report('command', `"${command}" ${what}.`, 'Install it, or write the whole path of it.');
  }
}

/** Where a field of a server is written; the entry's name when it is spelled another way. */
function fieldNode({ root }: ConfigDocument, name: string, field: string) {
  const entries = root === undefined ? [] : findContainers(root).flatMap((container) => container.entries);
  const entry = entries.find((one) => one.name === name);
  if (entry === undefined) return undefined;
  return { node: findProperty(entry.valueNode, field)?.valueNode ?? entry.nameNode, path: [...entry.path, field] };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
