/** ToolMux's tools for managing servers: callable in every mode, listed where the config enables them. */
import { isObject, tryParseJson, type JsonObject, textOrEmpty } from '../../core/base/json.ts';
import type { ServerChange } from '../../core/admin/server-change.ts';
import type { ServerSummary } from '../../core/admin/server-summary.ts';
import type { ServerProbe } from '../../core/admin/probe-entry.ts';
import { AppError } from '../../core/base/errors.ts';
import { readServerName } from '../../core/calls/read-arguments.ts';
import { type CatalogEntry, resolveServer } from '../../core/catalog/catalog.ts';
import { endpointText } from '../../core/client-apps/heal-candidates.ts';
import { truncateLine } from '../../core/condense/condense-tool.ts';
import { maxDescriptionLength } from '../../core/condense/description-store.ts';
import type { HelperContext, HelperTool } from '../../core/modes/mode.ts';
import { type Action, dataError, dataResult, runAction } from './results.ts';
import { fullDescription, requiredNames, toolsByServer } from './tool-summaries.ts';

// `manage_servers`: lists servers and their state, and changes them under the policy for models.

const serverActions: Readonly<Record<string, Action>> = { list, add, remove, validate, test };

const manageServers: HelperTool = {
  admin: true,
  kind: 'change',
  inPrograms: true,
  definition: {
    name: 'manage_servers',
    description: 'List, check and change the servers behind Tooltray. Changes wait for the user.',
    inputSchema: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: Object.keys(serverActions) },
        name: { type: 'string' },
        command: { type: 'string' },
        args: { type: 'array', items: { type: 'string' } },
        description: { type: 'string' },
        transport: { type: 'string', enum: ['stdio', 'http', 'sse'] },
        base_url: { type: 'string' },
      },
      required: ['action'],
    },
    annotations: { readOnlyHint: false },
  },
  run: (input, context) => runAction(serverActions, input, context),
};

async function list(_input: JsonObject, { admin }: HelperContext): Promise<JsonObject> {
  const facts = admin.list();
  const failed = facts.flatMap(({ name, error }) => (error === undefined ? [] : [[name, error] as const]));
  return dataResult({
    servers: facts.map(serverRow),
    total: facts.length,
    config_path: admin.configPath,
    ...(failed.length > 0 && { failed_count: failed.length, failed_servers: Object.fromEntries(failed) }),
  });
}

async function add(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const server = requireName(input);
  if (!describesLaunch(input)) return addFound(server, input, context);
  const change = { kind: 'add', server, entry: newEntry(input) } as const;
  return requestServerChange(
    change,
    { done: `Added '${server}'.`, proposed: `Adding '${server}' has been proposed.` },
    context,
  );
}

/** Adds a server found in another app or a bundle by name alone, as in ToolMux. The user reviews its command first. */
async function addFound(server: string, input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const { source, entry } = await context.admin.findLaunch(server);
  const texts = {
    done: `Added '${server}' with the launch from ${source.title}.`,
    proposed: `Adding '${server}' with the launch from ${source.title} has been proposed.`,
    sentence: `Add the server "${server}" with the launch found in ${source.title}: ${endpointText(entry)}`,
  };
  return requestServerChange(
    { kind: 'add', server, entry: described(entry, input), isFoundHere: true },
    texts,
    context,
  );
}

async function remove(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const server = requireName(input);
  const texts = { done: `Removed '${server}'.`, proposed: `Removing '${server}' has been proposed.` };
  return requestServerChange({ kind: 'remove', server }, texts, context);
}

async function validate(input: JsonObject, { admin }: HelperContext): Promise<JsonObject> {
  const checks = await admin.validate();
  const wanted = nameOf(input);
  const results = checks.filter(({ name }) => wanted === undefined || name === wanted);
  if (wanted !== undefined && results.length === 0) {
    return dataError(`There is no server named '${wanted}'.`, { available: checks.map(({ name }) => name) });
  }
  return dataResult({
    results: results.map((check) => ({ ...check })),
    total: results.length,
    errors: results.filter(({ valid }) => !valid).length,
  });
}

async function test(input: JsonObject, { admin }: HelperContext): Promise<JsonObject> {
  const wanted = nameOf(input);
  const enabled = admin.list().flatMap((server) => (server.enabled ? server.name : []));
  const results = await Promise.all(
    (wanted === undefined ? enabled : [wanted]).map((name) => admin.probe(name, 'wake')),
  );
  return dataResult({
    results: results.map(({ name, ok, tools, error }) => ({ name, ok, tools, ...(error !== undefined && { error }) })),
    total_tools: results.reduce((sum, { tools }: ServerProbe) => sum + tools, 0),
  });
}

function requireName(input: JsonObject): string {
  const name = nameOf(input);
  if (name !== undefined) return name;
  throw new AppError('bad_request', "The action needs the 'name' of a server.");
}

function nameOf({ name }: JsonObject): string | undefined {
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : undefined;
}

// `optimize_descriptions`: lets a model write shorter tool descriptions. Since every app's model reads them, saving
// requires the user's approval next to the server's own text; an empty text restores the original.

/** The maximum of ToolMux, in characters; saved texts are listed untruncated. */
const maxSavedLength = 60;

const descriptionActions: Readonly<Record<string, Action>> = { status, generate, save };

const optimizeDescriptions: HelperTool = {
  admin: true,
  kind: 'change',
  inPrograms: true,
  definition: {
    name: 'optimize_descriptions',
    description: 'Shorter descriptions for listed tools: see what is saved, get the texts to shorten, save yours.',
    inputSchema: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: Object.keys(descriptionActions) },
        server: { type: 'string' },
        descriptions: { type: ['object', 'string'], description: 'text by tool name; object or JSON text' },
      },
      required: ['action'],
    },
    annotations: { readOnlyHint: false },
  },
  run: (input, context) => runAction(descriptionActions, input, context),
};

/** Counts only texts in use, not those whose tool is gone or has a new description. */
function status(_input: JsonObject, { catalog, descriptions }: HelperContext): JsonObject {
  const rows = [...toolsByServer(catalog)].map(([server, tools]) => {
    const isWritten = ({ name, definition }: CatalogEntry): boolean =>
      descriptions.find(server, name, definition['description']) !== undefined;
    return {
      server,
      tools: tools.length,
      written: tools.filter(isWritten).length,
      last: descriptions.forServer(server),
    };
  });
  const total = rows.reduce((sum, { written }) => sum + written, 0);
  if (total === 0)
    return dataResult({ cached: false, message: 'No descriptions are saved; lists are condensed by rule.' });
  const shown = rows.filter(({ written }) => written > 0);
  const dates = shown.flatMap(({ last }) => last?.at ?? descriptions.inheritedAt ?? []);
  return dataResult({
    cached: true,
    ...(dates.length > 0 && { generated_at: new Date(Math.max(...dates)).toISOString() }),
    model: 'agent-generated',
    total_descriptions: total,
    servers: Object.fromEntries(
      shown.map(({ server, tools, written, last }) => [
        server,
        { tool_count: tools, descriptions: written, by: last?.by },
      ]),
    ),
  });
}

async function generate(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  await context.settled();
  const { catalog } = context;
  const wanted = readServerName(input);
  const servers = [...toolsByServer(catalog, wanted && resolveServer(catalog, wanted))].map(
    ([server, tools]): [string, JsonObject] => [server, { tool_count: tools.length, tools: tools.map(toShorten) }],
  );
  return dataResult({
    instruction:
      `Write one line of at most ${maxSavedLength} characters per tool that states what it does, starting with a verb. ` +
      'Then call optimize_descriptions with action "save" for each server, with "descriptions" as {tool: text}.',
    servers: Object.fromEntries(servers),
  });
}

function toShorten(tool: CatalogEntry): JsonObject {
  return {
    name: tool.name,
    description: truncateLine(fullDescription(tool), maxDescriptionLength),
    required: requiredNames(tool),
  };
}

async function save(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  // The tools of a starting server are available soon.
  await context.settled();
  const { catalog } = context;
  const [wanted, texts] = [readServerName(input), readTexts(input['descriptions'])];
  if (wanted === undefined || texts === undefined) {
    return dataError("Saving requires 'server' and 'descriptions' (an object of strings by tool name).");
  }
  const server = resolveServer(catalog, wanted);
  const tools = new Map((toolsByServer(catalog, server).get(server) ?? []).map((tool) => [tool.name, tool]));
  const known = texts.flatMap(([name, text]) => {
    const tool = tools.get(name);
    const own = tool?.definition['description'];
    const line = { text: truncateLine(text, maxDescriptionLength), own: textOrEmpty(own) };
    return tool === undefined || isLong(text) ? [] : [[name, line] as const];
  });
  const long = texts.flatMap(([name, text]) => (tools.has(name) && isLong(text) ? [name] : []));
  const unknown = texts.flatMap(([name]) => (tools.has(name) ? [] : name));
  const more = {
    ...(unknown.length > 0 && { unknown }),
    ...(long.length > 0 && { too_long: long, longest: maxSavedLength }),
  };
  if (known.length === 0 && long.length > 0) {
    return dataError(
      `A text of more than ${maxSavedLength} characters cannot be saved, because every app lists it in full.`,
      more,
    );
  }
  if (known.length === 0) return dataError(`None of these is a tool of '${server}'.`, more);
  const change = { kind: 'describe', server, texts: Object.fromEntries(known) } as const;
  const count = `${known.length} descriptions for '${server}'`;
  return requestServerChange(change, { done: `Saved ${count}`, proposed: `${count} were proposed.` }, context, more);
}

function isLong(text: string): boolean {
  return truncateLine(text, maxDescriptionLength).length > maxSavedLength;
}

function readTexts(value: unknown): [string, string][] | undefined {
  const texts = typeof value === 'string' ? tryParseJson(value) : value;
  if (!isObject(texts)) return undefined;
  const entries = Object.entries(texts);
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string') ? entries : undefined;
}

export const toolmuxAdminTools: readonly HelperTool[] = [manageServers, optimizeDescriptions];

// The config entry described by the input of `manage_servers add`.

/** Whether the input contains a launch. */
function describesLaunch(input: JsonObject): boolean {
  return ['command', 'base_url', 'args', 'transport'].some(
    (key) => ![undefined, null, ''].includes(input[key] as null),
  );
}

/** Throws AppError `bad_request` if it describes no launch, or two. */
function newEntry(input: JsonObject): JsonObject {
  const [command, url] = [textIn(input, 'command'), textIn(input, 'base_url')];
  if ((command === undefined) === (url === undefined)) {
    throw refusal("A server requires either 'command' (started here) or 'base_url' (accessed over HTTP).");
  }
  return described(url === undefined ? startedEntry(input, command ?? '') : reachedEntry(input, url), input);
}

/** The entry with the input's description, if any. Throws AppError `bad_request`. */
function described(entry: JsonObject, input: JsonObject): JsonObject {
  const description = textIn(input, 'description');
  return { ...entry, ...(description !== undefined && { description }) };
}

function startedEntry({ args = [], transport = 'stdio' }: JsonObject, command: string): JsonObject {
  if (transport !== 'stdio') throw refusal(`A server with a 'command' has the transport 'stdio'.`);
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) {
    throw refusal("'args' must be a list of strings.");
  }
  return { command, args };
}

function reachedEntry({ transport = 'http' }: JsonObject, url: string): JsonObject {
  if (transport !== 'http' && transport !== 'sse') throw refusal("'transport' must be 'http' or 'sse'.");
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') throw refusal("'base_url' must begin with http:// or https://.");
  return { type: transport, url };
}

function textIn(input: JsonObject, key: string): string | undefined {
  const value = input[key];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw refusal(`'${key}' must be a string.`);
}

function refusal(text: string): AppError {
  return new AppError('bad_request', text);
}

/** A server as listed by `manage_servers`. */
function serverRow({ name, transport, config, enabled, error, state }: ServerSummary): JsonObject {
  const { command, args, url, description } = config;
  return {
    name,
    transport,
    ...(command !== undefined && { command, args }),
    ...(url !== undefined && { base_url: url }),
    ...(description !== undefined && { description }),
    status: enabled ? (error === undefined ? 'ok' : 'failed') : 'disabled',
    state,
    ...(error !== undefined && { error }),
  };
}

// Requests a change of the servers and reports the outcome in ToolMux's format.

interface ChangeTexts {
  readonly done: string;
  readonly proposed: string;
  /** Explanation for the user, if the change is not self-explanatory. */
  readonly sentence?: string;
}

/** Rejects with AppError as ModelAdmin.request does. */
async function requestServerChange(
  change: ServerChange,
  { done, proposed: proposedText, sentence }: ChangeTexts,
  { admin, author }: HelperContext,
  more: JsonObject = {},
): Promise<JsonObject> {
  const outcome = await admin.request(change, author, sentence);
  if (outcome.kind === 'applied')
    return dataResult({ success: true, message: done, note: 'It is in effect now.', ...more });
  const { id } = outcome.proposal;
  return dataResult({
    success: true,
    status: 'proposed',
    proposal: id,
    message: proposedText,
    note: `Nothing has changed yet. The user must approve it first: tooltray inbox approve ${id}`,
    ...more,
  });
}
