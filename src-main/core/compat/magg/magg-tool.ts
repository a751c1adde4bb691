/** Makes one of Magg's administrative tools: its definition in short, and its answers in Magg's envelope of errors and output. */
import type { ServerChange } from '../../admin/server-change.ts';
import type { ServerFacts } from '../../admin/server-facts.ts';
import { AppError, errorText } from '../../base/errors.ts';
import { isObject, type JsonObject, parseJson, plainNumber } from '../../base/json.ts';
import type { EntryNotes } from '../../config/kits.ts';
import type { HelperContext, HelperTool } from '../../modes/mode.ts';

export interface MaggAnswer {
  readonly output?: unknown;
  readonly errors?: readonly string[];
}

interface MaggTool {
  readonly name: string;
  readonly description: string;
  readonly properties?: JsonObject;
  readonly required?: readonly string[];
  /** It only looks. */
  readonly readOnly?: boolean;
  /** What is thrown becomes an error in the envelope. */
  readonly run: (input: JsonObject, context: HelperContext) => Promise<MaggAnswer>;
}

export function maggTool({ name, description, properties = {}, required = [], readOnly, run }: MaggTool): HelperTool {
  return {
    definition: {
      name,
      description,
      inputSchema: { type: 'object', properties, required },
      annotations: { readOnlyHint: readOnly === true },
    },
    admin: true,
    async run(input, context) {
      return toResult(await run(input, context).catch(toFailure));
    },
  };
}

function toFailure(error: unknown): MaggAnswer {
  if (error instanceof AppError && error.code === 'cancelled') throw error;
  return { errors: [errorText(error)] };
}

function toResult({ output = null, errors = [] }: MaggAnswer): JsonObject {
  const envelope = { errors: errors.length === 0 ? null : errors, output };
  return {
    content: [{ type: 'text', text: JSON.stringify(envelope), annotations: { mimeType: 'application/json' } }],
    structuredContent: envelope,
    ...(errors.length > 0 && { isError: true }),
  };
}

/** Parameters of Magg's tools. Each throws AppError bad_request where the value is of the wrong kind. */
export function readText(input: JsonObject, key: string): string | undefined {
  const value = input[key];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw wrong(key, 'a text');
}

export function requireText(input: JsonObject, key: string): string {
  const value = readText(input, key);
  if (value !== undefined) return value;
  throw new AppError('bad_request', `'${key}' is required.`, { fix: 'Give it as a text.' });
}

/** An object, or its JSON text. */
export function readObject(input: JsonObject, key: string): JsonObject | undefined {
  const value = input[key];
  if (value === undefined || value === null || value === '') return undefined;
  const object = typeof value === 'string' ? parsed(value) : value;
  if (isObject(object)) return object;
  throw wrong(key, 'an object or its JSON text');
}

export function readNumber(input: JsonObject, key: string, otherwise: number): number {
  const value = plainNumber(input[key]) ?? otherwise;
  if (typeof value === 'number' && value > 0) return value;
  throw wrong(key, 'a number above 0');
}

export function readWord<T extends string>(input: JsonObject, key: string, words: readonly [T, ...T[]]): T {
  const value = readText(input, key) ?? words[0];
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  throw wrong(key, `one of ${words.join(', ')}`);
}

function parsed(value: string): unknown {
  try {
    return parseJson(value);
  } catch {
    return undefined;
  }
}

function wrong(key: string, expected: string): AppError {
  return new AppError('bad_request', `'${key}' is not ${expected}.`, { fix: 'Correct it.' });
}

// Asks for a change of servers, and says in Magg's shape what became of it.

/** What the tool answers once it is done, or the same with the word that nothing has changed yet. Rejects as admin.request. */
export async function requestChange(
  change: ServerChange,
  done: JsonObject,
  context: HelperContext,
): Promise<JsonObject> {
  const outcome = await context.admin.request(change, context.author);
  if (outcome.kind === 'applied') return done;
  const { id } = outcome.proposal;
  const message = `Nothing has changed yet: the person must approve this first (tooltray approve ${id}).`;
  return { message, status: 'proposed', proposal: id, ...done };
}

// What Magg's tools say of a server.

/** Its tools are in the list: it runs, or sleeps until it is called. */
export function isMounted({ enabled, state, listedAt }: ServerFacts): boolean {
  return enabled && (state === 'ready' || (state === 'disconnected' && listedAt !== undefined));
}

/** Without environment and headers. */
export function serverEntry(facts: ServerFacts, notes: EntryNotes | undefined, { catalog }: HelperContext): JsonObject {
  const { command, args, url, cwd } = facts.config;
  return {
    name: facts.name,
    source: notes?.source ?? null,
    prefix: facts.config['prefix'] ?? prefixOf(facts.name, catalog),
    enabled: facts.enabled,
    mounted: isMounted(facts),
    ...(typeof command === 'string' && { command: [command, ...(args as string[])].join(' ') }),
    ...(url !== undefined && { uri: url }),
    ...(cwd !== undefined && { cwd }),
    ...(notes?.notes !== undefined && { notes: notes.notes }),
    ...(facts.error !== undefined && { error: facts.error }),
  };
}

/** What its tools' names begin with; nothing where it is the only one. */
export function prefixOf(name: string, catalog: HelperContext['catalog']): string | null {
  return catalog.servers.length === 1 ? null : (catalog.slugs.get(name) ?? null);
}

/** Throws AppError server_not_found. */
export function requireServer(name: string, { admin }: HelperContext): ServerFacts {
  const servers = admin.list();
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  throw new AppError('server_not_found', `Server '${name}' not found.`, {
    fix: servers.length === 0 ? 'There is none.' : `There are: ${servers.map((server) => server.name).join(', ')}.`,
  });
}
