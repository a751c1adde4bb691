/** Checks whether the entries of the config can work, without starting anything; the output of `validate`. */
import { maskText } from '../base/mask.ts';
import type { ConfigProblem } from '../config/app-config.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { findCommand } from '../servers/launch/find-command.ts';
import type { EnvironmentResolver } from '../servers/launch/resolve-environment.ts';

export interface EntryCheck {
  readonly name: string;
  readonly valid: boolean;
  /** The problem, or the command or address that will be used. */
  readonly detail: string;
}

/** Returns the results in the order of the config; entries that cannot be parsed come last. */
export async function checkEntries(config: ConfigStore, environment: EnvironmentResolver): Promise<EntryCheck[]> {
  const { servers } = config.current;
  const errors = config.problems.filter(({ severity, server }) => severity === 'error' && server !== undefined);
  const broken = new Map(errors.map((problem) => [problem.server ?? '', maskText(sentence(problem))]));
  const checks = servers.map(async (server): Promise<EntryCheck> => {
    const problem = broken.get(server.name) ?? (await missingCommand(server, environment));
    return { name: server.name, valid: problem === undefined, detail: problem ?? (await found(server, environment)) };
  });
  const unread = [...broken].filter(([name]) => !servers.some((server) => server.name === name));
  return [...(await Promise.all(checks)), ...unread.map(([name, detail]) => ({ name, valid: false, detail }))];
}

/** Returns why a server's command cannot be started, as far as this shows without starting it. */
async function missingCommand(server: ServerConfig, environment: EnvironmentResolver): Promise<string | undefined> {
  if (server.kind !== 'stdio' || (await locate(server, environment)) !== undefined) return undefined;
  return `The command ${JSON.stringify(server.command)} was not found. Install it, or set its absolute path.`;
}

async function found(server: ServerConfig, environment: EnvironmentResolver): Promise<string> {
  if (server.kind === 'stdio') return `command: ${(await locate(server, environment)) ?? server.command}`;
  return server.kind === 'builtin' ? 'built in' : `address: ${maskText(server.url)}`;
}

async function locate(
  { command, env, cwd }: ServerConfig & { kind: 'stdio' },
  environment: EnvironmentResolver,
): Promise<string | undefined> {
  return findCommand(command, await environment.resolve(env), cwd);
}

function sentence({ path, reason, suggestion = '' }: ConfigProblem): string {
  return `${path}: ${reason} ${suggestion}`.trim();
}
