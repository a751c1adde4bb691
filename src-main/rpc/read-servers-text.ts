/** The servers in a text that a person pasted: a config of any product, one entry, or a command line. */
import { AppError } from '../core/base/errors.ts';
import { isObject, type JsonObject } from '../core/base/json.ts';
import { ConfigDocument } from '../core/config/config-document.ts';
import { nodeValue } from '../core/config/json-node.ts';
import { findContainers } from '../core/config/server-container.ts';
import { nameOfEntry, type PastedServer, readCommandLines } from './read-command-line.ts';

/**
 * `isProgram` tells whether a command can be started here: any text is a command line to a parser.
 * Rejects with AppError bad_request where there is no server in it.
 */
export async function readServersText(
  text: string,
  isProgram: (command: string) => Promise<boolean>,
): Promise<readonly PastedServer[]> {
  const trimmed = text.trim();
  if (/^[{["]/.test(trimmed)) {
    const found = ofJson(trimmed);
    if (found.length > 0) return found;
    throw noServer('There is no server in this text.');
  }
  const found = readCommandLines(trimmed);
  for (const { entry } of found) {
    const { command } = entry;
    if (typeof command !== 'string' || runners.has(command) || (await isProgram(command))) continue;
    throw noServer(`There is no server in this text: "${command.slice(0, 60)}" is no program on this computer.`);
  }
  if (found.length > 0) return found;
  throw noServer('There is no server in this text.');
}

/** What servers are started with; where it is missing, the trial says what to install. */
const runners: ReadonlySet<string> = new Set([
  'npx',
  'node',
  'npm',
  'pnpm',
  'bunx',
  'bun',
  'deno',
  'uvx',
  'uv',
  'python',
  'python3',
  'pipx',
  'docker',
  'podman',
  'go',
  'java',
  'dotnet',
]);

function noServer(message: string): AppError {
  return new AppError('bad_request', message, {
    fix: 'Paste the JSON that a server\'s page shows, with "mcpServers" or one entry, the command that starts it, a "claude mcp add …" line, or its address.',
  });
}

function ofJson(text: string): PastedServer[] {
  // Pages often show the inside of a config, without the braces around it.
  const { root, problems } = new ConfigDocument(text.startsWith('"') ? `{${text}}` : text, 'the pasted text');
  if (root === undefined) {
    throw new AppError('bad_request', `The text cannot be read: ${problems[0]?.reason ?? 'it is not JSON'}`, {
      fix: 'Copy it whole.',
    });
  }
  const contained = findContainers(root).flatMap(({ entries }) =>
    entries.flatMap(({ name, valueNode }) => named(name, nodeValue(valueNode))),
  );
  if (contained.length > 0) return contained;
  const value = nodeValue(root);
  if (!isObject(value)) return [];
  if (isEntry(value)) return named(nameOfEntry(value), value);
  return Object.entries(value).flatMap(([name, entry]) =>
    isObject(entry) && isEntry(entry) ? named(name, entry) : [],
  );
}

function named(name: string | undefined, value: unknown): PastedServer[] {
  if (!isObject(value)) return [];
  const { name: _own, ...entry } = value;
  return [{ name: name ?? nameOfEntry(value), entry }];
}

function isEntry(value: JsonObject): boolean {
  return ['command', 'url', 'serverUrl', 'httpUrl', 'base_url', 'uri'].some((key) => typeof value[key] === 'string');
}
