/** `magg_add_server`: a server from a command line or an address. */
import type { ServerFacts } from '../../admin/server-facts.ts';
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { maskText } from '../../base/mask.ts';
import { splitCommand } from '../../config/build-server.ts';
import type { HelperContext, OwnPrompt } from '../../modes/mode.ts';
import { rpcCode, RpcError } from '../../wire/message.ts';
import {
  isMounted,
  type MaggAnswer,
  maggTool,
  prefixOf,
  readNumber,
  readObject,
  readText,
  readWord,
  requestChange,
  requireServer,
  requireText,
  serverEntry,
} from './magg-tool.ts';

const text = { type: 'string' };
const objectOrText = { type: ['object', 'string'], description: 'object or its JSON text' };

export const addServer = maggTool({
  name: 'magg_add_server',
  description: 'Add an MCP server by command line or address.',
  properties: {
    name: text,
    source: { type: 'string', description: 'where it comes from: address of the project or package' },
    prefix: { type: 'string', description: 'of the names of its tools; else the server' },
    command: { type: 'string', description: 'whole command line' },
    uri: { type: 'string', description: 'address of a server over HTTP' },
    env: objectOrText,
    cwd: text,
    notes: text,
    enable: { type: 'boolean' },
    transport: objectOrText,
  },
  required: ['name', 'source'],
  run,
});

async function run(input: JsonObject, context: HelperContext): Promise<MaggAnswer> {
  return addEntry(requireText(input, 'name'), readEntry(input), context);
}

/** Asks for a new server, which is tried first. Rejects with AppError config_conflict, config_invalid, command_not_found. */
export async function addEntry(name: string, entry: JsonObject, context: HelperContext): Promise<MaggAnswer> {
  requireFreeName(name, context);
  await context.admin.checkNew(name, entry).catch((error: unknown) => Promise.reject(notMounted(name, error)));
  const answer = await requestChange({ kind: 'add', server: name, entry }, { action: 'server_added' }, context);
  const added = context.admin.list().find((server) => server.name === name);
  if (added?.state === 'error') return takeBack(name, added, context);
  return { output: { ...answer, server: shown(name, entry, added) } };
}

/** A server that cannot start is not kept, as Magg means it to be. */
async function takeBack(name: string, { error }: ServerFacts, context: HelperContext): Promise<MaggAnswer> {
  await context.admin.request({ kind: 'remove', server: name }, context.author);
  return { errors: [`Failed to mount server '${name}': ${error ?? 'it did not start.'} It was not added.`] };
}

/** The entry in the config that Magg's parameters stand for. Throws AppError bad_request. */
export function readEntry(input: JsonObject): JsonObject {
  const [command, ...args] = splitCommand(readText(input, 'command')?.trim() ?? '');
  const url = readText(input, 'uri');
  const entry = {
    source: requireText(input, 'source'),
    ...(command !== undefined && command !== '' && { command, args }),
    ...(url !== undefined && { url }),
    // Magg's rule: an address that ends so is the older transport.
    ...(url !== undefined && /\/sse\/?$/.test(url) && { type: 'sse' }),
    env: readObject(input, 'env') ?? readObject(input, 'env_vars'),
    prefix: readText(input, 'prefix'),
    cwd: readText(input, 'cwd'),
    notes: readText(input, 'notes'),
    transport: readObject(input, 'transport'),
    ...(input['enable'] === false && { enabled: false }),
  };
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

function requireFreeName(name: string, { admin }: HelperContext): void {
  if (!admin.list().some((server) => server.name === name)) return;
  throw new AppError('config_conflict', `Server '${name}' already exists.`, { fix: 'Choose another name.' });
}

function notMounted(name: string, cause: unknown): AppError {
  const { text = String(cause), code = 'config_invalid' } = cause instanceof AppError ? cause : {};
  return new AppError(code, `Failed to mount server '${name}': ${text}`, { cause });
}

/** What was asked for, without secrets; `added` where it is there already. */
function shown(name: string, entry: JsonObject, added: ServerFacts | undefined): JsonObject {
  const { source, command, args, url, cwd, notes } = entry;
  return {
    name,
    source,
    prefix: entry['prefix'] ?? null,
    command: typeof command === 'string' ? maskText([command, ...(args as string[])].join(' ')) : null,
    uri: typeof url === 'string' ? maskText(url) : null,
    cwd: cwd ?? null,
    notes: notes ?? null,
    enabled: entry['enabled'] !== false,
    mounted: added !== undefined && isMounted(added),
  };
}

// `magg_remove_server`, `magg_enable_server`, `magg_disable_server`.

const byName = { properties: { name: { type: 'string' } }, required: ['name'] };

export const removeServer = maggTool({
  name: 'magg_remove_server',
  description: 'Remove an MCP server.',
  ...byName,
  async run(input, context) {
    const { name } = requireServer(requireText(input, 'name'), context);
    const done = { action: 'server_removed', server: { name } };
    return { output: await requestChange({ kind: 'remove', server: name }, done, context) };
  },
});

export const enableServer = maggTool({
  name: 'magg_enable_server',
  description: 'Switch an MCP server on.',
  ...byName,
  run: (input, context) => switchServer(input, true, context),
});

export const disableServer = maggTool({
  name: 'magg_disable_server',
  description: 'Switch an MCP server off; its tools disappear.',
  ...byName,
  run: (input, context) => switchServer(input, false, context),
});

async function switchServer(input: JsonObject, on: boolean, context: HelperContext): Promise<MaggAnswer> {
  const { name, enabled } = requireServer(requireText(input, 'name'), context);
  const word = on ? 'enabled' : 'disabled';
  if (enabled === on) throw new AppError('bad_request', `Server '${name}' is already ${word}.`);
  const done = { action: `server_${word}`, server: { name } };
  const answer = await requestChange({ kind: on ? 'enable' : 'disable', server: name }, done, context);
  return { output: { ...answer, mounted: isMounted(requireServer(name, context)) } };
}

/** `magg_list_servers` and `magg_status`: which servers there are, and how many of them work. */
export const listServers = maggTool({
  name: 'magg_list_servers',
  description: 'List the configured MCP servers.',
  readOnly: true,
  async run(_input, context) {
    const notes = await context.admin.notes();
    return { output: context.admin.list().map((facts) => serverEntry(facts, notes.get(facts.name), context)) };
  },
});

export const showStatus = maggTool({
  name: 'magg_status',
  description: 'Count servers and tools.',
  readOnly: true,
  async run(_input, { admin, catalog }) {
    const servers = admin.list();
    const enabled = servers.filter((server) => server.enabled);
    const count = { total: servers.length, enabled: enabled.length, mounted: servers.filter(isMounted).length };
    return {
      output: {
        servers: { ...count, disabled: servers.length - enabled.length },
        tools: { total: catalog.tools.length },
        prefixes: Object.fromEntries(enabled.map(({ name }) => [name, prefixOf(name, catalog)])),
      },
    };
  },
});

// `magg_check`: which servers answer, and what is done about those that do not.

const actions = ['report', 'remount', 'unmount', 'disable'] as const;
type Action = (typeof actions)[number];

/** In seconds; a longer wait is no check any more. */
const defaultTimeout = 2.5;
const longestTimeout = 60;

export const checkServers = maggTool({
  name: 'magg_check',
  description: 'Check whether servers answer; try the others again, or switch them off.',
  properties: { action: { enum: actions }, timeout: { type: 'number', description: 'seconds, 2.5 by default' } },
  async run(input, context) {
    const action = readWord(input, 'action', actions);
    const limitMs = Math.min(readNumber(input, 'timeout', defaultTimeout), longestTimeout) * 1000;
    const servers = context.admin.list().filter((server) => server.enabled);
    const checks = await Promise.all(servers.map((server) => check(server, action, limitMs, context)));
    const healthy = checks.filter(({ result }) => result['status'] === 'healthy').length;
    const taken = checks.flatMap(({ name, result }) =>
      'action' in result ? [`${name}: ${String(result['action'])}`] : [],
    );
    return {
      output: {
        servers_checked: checks.length,
        healthy,
        unresponsive: checks.length - healthy,
        results: Object.fromEntries(checks.map(({ name, result }) => [name, result])),
        actions_taken: action === 'report' ? null : taken,
      },
    };
  },
});

interface Check {
  readonly name: string;
  readonly result: JsonObject;
}

async function check(
  { name, tools }: ServerFacts,
  action: Action,
  limitMs: number,
  context: HelperContext,
): Promise<Check> {
  const { status, error: reason, asleep } = await context.admin.try(name, 'leave', limitMs);
  if (asleep === true)
    return { name, result: { status, reason: 'Asleep; it starts when it is called.', tools_count: tools } };
  if (status === 'healthy') return { name, result: { status, tools_count: tools } };
  if (action === 'report') return { name, result: { status, reason } };
  return { name, result: { status, reason, action: await act(name, action, context) } };
}

/**
 * What was done. Magg's `unmount` is for the session and writes nothing; here a server that is on comes back by itself, so it is not
 * taken for the wish to switch it off in the config.
 */
async function act(name: string, action: Action, { admin, author }: HelperContext): Promise<string> {
  if (action === 'remount') {
    const { ok, error = '' } = await admin.try(name, 'retry');
    return ok ? 'remounted' : `remount_failed: ${error}`;
  }
  if (action === 'unmount')
    return 'not_unmounted: it is on, and is tried again when it is called; disable switches it off';
  const outcome = await admin.request({ kind: 'disable', server: name }, author);
  return outcome.kind === 'applied' ? 'disabled' : `proposed: tooltray approve ${outcome.proposal.id}`;
}

/** `magg_reload_config`: the config file read again now. What differs takes effect by itself anyway. */
export const reloadConfig = maggTool({
  name: 'magg_reload_config',
  description: 'Read the config file again.',
  async run(_input, { admin }) {
    const problems = (await admin.reload()).filter(({ severity }) => severity === 'error');
    const errors = problems.map(({ line, path, reason }) => `Line ${line}, ${path}: ${reason}`);
    const message =
      errors.length === 0 ? 'The configuration was read again.' : 'The last good configuration stays in use.';
    return { errors, output: { message, config_path: admin.configPath, read_only: false } };
  },
});

// Magg's prompt `magg_configure_server`: has the model find out how a server is started, and add it.

const configureServer: OwnPrompt = {
  definition: {
    name: 'magg_configure_server',
    description: 'Find out how an MCP server is started, and add it.',
    arguments: [
      { name: 'source', description: 'Address of its project or package', required: true },
      { name: 'server_name', description: 'What to call it', required: false },
    ],
  },
  get({ source, server_name: name }, context) {
    if (!isText(source)) {
      throw new RpcError(
        rpcCode.invalidParams,
        "The prompt magg_configure_server needs 'source', where the server comes from.",
      );
    }
    const text = [
      `Set up the MCP server from ${source.trim()}${isText(name) ? `, and call it "${name.trim()}"` : ''}.`,
      'Read there how it is started: a command line such as "npx -y PACKAGE" or "uvx PACKAGE", or the address of a server over HTTP. Note the environment variables it needs.',
      'Invent no value. Write a secret as ${env:NAME}, so that it is taken from the environment and is written down nowhere, and ask the person for what else you cannot know.',
      'Then call the tool magg_add_server with name, source, command or uri, and env where there is any. Tell the person if its answer says that they have to approve the change.',
      takenNames(context),
    ].join('\n');
    return {
      description: `Add the MCP server from ${source.trim()}`,
      messages: [{ role: 'user', content: { type: 'text', text } }],
    } satisfies JsonObject;
  },
};

export const maggPrompts: readonly OwnPrompt[] = [configureServer];

function takenNames({ admin }: HelperContext): string {
  const names = admin.list().map(({ name }) => name);
  return names.length === 0 ? 'No server is configured yet.' : `Names that are taken: ${names.join(', ')}.`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
