/** `magg_add_server`: a server from a command line or an address. */
import type { ServerFacts } from '../../admin/server-facts.ts';
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { maskText } from '../../base/mask-secrets.ts';
import { splitCommand } from '../../config/split-command.ts';
import type { HelperContext } from '../mode.ts';
import { type MaggAnswer, maggTool } from './magg-tool.ts';
import { readObject, readText, requireText } from './read-input.ts';
import { requestChange } from './request-change.ts';
import { isMounted } from './server-entry.ts';

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
