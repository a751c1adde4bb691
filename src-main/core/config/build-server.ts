/** Makes a server of a checked entry: decides its kind, fills defaults in, converts units. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { AppConfig, ServerConfig, ToolSwitch } from './app-config.ts';
import { kindByType } from './entry-keys.ts';
import { hashServer } from './hash-server.ts';
import type { EntryReader } from './read-entry.ts';
import { type Environment, replaceVariables, type UnfilledPlaceholder } from './replace-variables.ts';
import type { Entry } from './schema.ts';
import type { containerKeys } from './server-container.ts';
import { serverLimits } from './server-limits.ts';
import { splitCommand } from './split-command.ts';

export interface BuildContext {
  readonly env: Environment;
  /** Folder of the config file: relative paths start there. */
  readonly folder: string;
  readonly container: (typeof containerKeys)[number];
  /** What the file says for all servers. */
  readonly settings: Pick<AppConfig, 'callTimeoutSeconds' | 'initTimeoutSeconds' | 'isolateCommands'>;
}

/** The server, or undefined when the entry cannot be used; `reader` then holds at least one error. */
export function buildServer(reader: EntryReader, context: BuildContext): ServerConfig | undefined {
  const written = reader.read();
  if (reader.failed) return undefined;
  const enabled = isEnabled(reader, written);
  const entry = replaceVariables(written, context.env, (unfilled) => reportUnfilled(reader, enabled, unfilled));
  const kind = decideKind(reader, entry);
  if (kind === undefined) return undefined;
  const base = { name: reader.name, enabled, ...toolSwitch(entry), ...serverLimits(entry, kind, context) };
  const server =
    kind === 'stdio'
      ? { ...base, kind, ...stdioPart(reader, entry, context) }
      : kind === 'builtin'
        ? { ...base, kind, builtin: entry.builtin ?? reader.name, folders: allowedFolders(reader, entry, context) }
        : { ...base, kind, ...httpPart(reader, entry) };
  return reader.failed ? undefined : { ...server, hash: hashServer(server) };
}

function isEnabled(reader: EntryReader, entry: Entry): boolean {
  // MCPProxy holds such a server back until a person has looked at it; so must we.
  if (entry.quarantined === true) {
    reader.report(
      'warning',
      ['quarantined'],
      'MCPProxy has this server in quarantine, so it stays off here.',
      'Set it to false.',
    );
  }
  return (entry.enabled ?? true) && entry.disabled !== true && entry.quarantined !== true;
}

function toolSwitch({ disabledTools, enabledTools }: Entry): { toolSwitch?: ToolSwitch } {
  if (disabledTools === undefined && enabledTools === undefined) return {};
  return { toolSwitch: { off: disabledTools ?? [], only: enabledTools } };
}

/** A server that is off can wait for its variables. */
function reportUnfilled(reader: EntryReader, enabled: boolean, { path, source, name }: UnfilledPlaceholder): void {
  const reason =
    source === 'env'
      ? `The environment variable ${name} is not set.`
      : `\${${source}:${name}} cannot be filled in here.`;
  const suggestion =
    source === 'env' ? `Set ${name}, or write \${env:${name}:-default}.` : `Write \${env:NAME} and set that variable.`;
  reader.report(enabled ? 'error' : 'warning', path, reason, suggestion);
}

function decideKind(reader: EntryReader, entry: Entry): ServerConfig['kind'] | undefined {
  const written = entry.type === undefined ? 'auto' : kindByType.get(entry.type.toLowerCase().replace(/[-_]/g, ''));
  if (written === undefined)
    reader.report('error', ['type'], 'This kind of server is not known.', 'Use "stdio", "http" or "sse".');
  if (written === 'stdio' && entry.command === undefined)
    reportMissing(reader, 'a command', '"command": "npx", "args": […]');
  if ((written === 'http' || written === 'sse') && entry.url === undefined)
    reportMissing(reader, 'a URL', '"url": "https://…"');
  if (written !== 'auto') return reader.failed ? undefined : written;
  if (entry.builtin !== undefined) return 'builtin';
  if (entry.command !== undefined && entry.url !== undefined) {
    reader.report(
      'error',
      [],
      'The server has both a command and a URL.',
      'Remove one of them, or say which counts with "type".',
    );
    return undefined;
  }
  if (entry.command !== undefined) return 'stdio';
  // Magg's rule: an address that ends so is the older transport.
  if (entry.url !== undefined) return reader.keyOf('url') === 'uri' && /\/sse\/?$/.test(entry.url) ? 'sse' : 'http';
  reportMissing(reader, 'a command or a URL', '"command": "npx", "args": […] or "url": "https://…"');
  return undefined;
}

function reportMissing(reader: EntryReader, what: string, example: string): void {
  reader.report('error', [], `The server needs ${what}.`, `Add ${example}.`);
}

function stdioPart(reader: EntryReader, entry: Entry, { folder, env }: BuildContext) {
  const written = entry.command ?? '';
  // Magg's file may hold the whole command line in `command`.
  const isWholeLine = (reader.has('source') || reader.has('uri')) && entry.args === undefined;
  const [command = written, ...args] = isWholeLine ? splitCommand(written) : [written, ...(entry.args ?? [])];
  if (!isWholeLine && entry.args === undefined && /^[^\s/\\]+\s+\S/.test(command)) {
    reader.report('warning', ['command'], 'The command holds spaces.', 'Put what follows the first word into "args".');
  }
  if (command.trim() === '') reader.report('error', ['command'], 'The command is empty.');
  const cwd = entry.cwd === undefined ? undefined : resolve(folder, expandHome(entry.cwd, env));
  return { command, args, env: entry.env ?? {}, cwd };
}

function httpPart(reader: EntryReader, entry: Entry) {
  const url = URL.canParse(entry.url ?? '') ? new URL(entry.url ?? '') : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    reader.report(
      'error',
      ['url'],
      'This is not an address that starts with http:// or https://.',
      'Write "https://host/mcp".',
    );
  }
  // ToolMux adds /mcp to an address without a path.
  const isBase = reader.keyOf('url') === 'base_url' && url?.pathname === '/';
  return {
    url: isBase ? new URL('/mcp', url).href : (entry.url ?? ''),
    headers: entry.headers ?? entry.transport?.headers ?? {},
  };
}

function allowedFolders(reader: EntryReader, entry: Entry, { env }: BuildContext): string[] {
  return (entry.folders ?? []).map((written, index) => {
    const folder = expandHome(written, env);
    if (!isAbsolute(folder)) {
      reader.report(
        'error',
        ['folders', index],
        'The whole path of the folder is needed.',
        'Write it from the root or from "~/".',
      );
    }
    return resolve(folder);
  });
}

function expandHome(path: string, env: Environment): string {
  return /^~(?=$|[/\\])/.test(path) ? join(env['HOME'] ?? env['USERPROFILE'] ?? homedir(), path.slice(1)) : path;
}
