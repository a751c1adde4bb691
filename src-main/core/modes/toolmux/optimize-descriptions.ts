/**
 * `optimize_descriptions`: lets a model write shorter descriptions of tools. They are what every app's model reads, so saving
 * is a change like any other, which the person decides on with the server's own text beside it; an empty text takes one back.
 */
import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import { readServerName } from '../../calls/read-arguments.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { resolveServer } from '../../catalog/resolve-entry.ts';
import { cleanLine } from '../../condense/clean-line.ts';
import { maxDescription } from '../../condense/description-store.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { dataError, dataResult } from './data-result.ts';
import { requestChange } from './request-change.ts';
import { type Action, runAction } from './run-action.ts';
import { fullText, requiredNames } from './tool-texts.ts';
import { toolsByServer } from './tools-by-server.ts';

/** ToolMux's: what is saved stands whole in every list. */
const longestSaved = 60;

const actions: Readonly<Record<string, Action>> = { status, generate, save };

export const optimizeDescriptions: HelperTool = {
  admin: true,
  definition: {
    name: 'optimize_descriptions',
    description: 'Shorter descriptions for listed tools: see what is saved, get the texts to shorten, save yours.',
    inputSchema: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: Object.keys(actions) },
        server: { type: 'string' },
        descriptions: { type: ['object', 'string'], description: 'text by tool name; object or JSON text' },
      },
      required: ['action'],
    },
  },
  run: (input, context) => runAction(actions, input, context),
};

/** Counts only texts that are shown: one whose tool is gone or described anew is none. */
function status(_input: JsonObject, { catalog, descriptions }: HelperContext): JsonObject {
  const rows = [...toolsByServer(catalog)].map(([server, tools]) => {
    const isWritten = ({ name, definition }: CatalogEntry): boolean =>
      descriptions.find(server, name, definition['description']) !== undefined;
    return { server, tools: tools.length, written: tools.filter(isWritten).length, last: descriptions.of(server) };
  });
  const total = rows.reduce((sum, { written }) => sum + written, 0);
  if (total === 0)
    return dataResult({ cached: false, message: 'No descriptions are saved; the lists condense by rule.' });
  const shown = rows.filter(({ written }) => written > 0);
  return dataResult({
    cached: true,
    generated_at: new Date(Math.max(...shown.map(({ last }) => last?.at ?? 0))).toISOString(),
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

async function generate(input: JsonObject, { settled, ...context }: HelperContext): Promise<JsonObject> {
  await settled();
  const { catalog } = context;
  const wanted = readServerName(input);
  const servers = [...toolsByServer(catalog, wanted && resolveServer(catalog, wanted))].map(
    ([server, tools]): [string, JsonObject] => [server, { tool_count: tools.length, tools: tools.map(toShorten) }],
  );
  return dataResult({
    instruction:
      `Write one line of at most ${longestSaved} characters per tool that says what it does, beginning with a verb. ` +
      'Then call optimize_descriptions with action "save" for each server, with "descriptions" as {tool: text}.',
    servers: Object.fromEntries(servers),
  });
}

function toShorten(tool: CatalogEntry): JsonObject {
  return { name: tool.name, description: cleanLine(fullText(tool), maxDescription), required: requiredNames(tool) };
}

async function save(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const { catalog } = context;
  const [wanted, texts] = [readServerName(input), readTexts(input['descriptions'])];
  if (wanted === undefined || texts === undefined) {
    return dataError("Saving needs 'server' and 'descriptions' (an object of texts by tool name).");
  }
  const server = resolveServer(catalog, wanted);
  const tools = new Map((toolsByServer(catalog, server).get(server) ?? []).map((tool) => [tool.name, tool]));
  const known = texts.flatMap(([name, text]) => {
    const tool = tools.get(name);
    const own = tool?.definition['description'];
    const line = { text: cleanLine(text, maxDescription), own: typeof own === 'string' ? own : '' };
    return tool === undefined || isLong(text) ? [] : [[name, line] as const];
  });
  const long = texts.flatMap(([name, text]) => (tools.has(name) && isLong(text) ? [name] : []));
  const unknown = texts.flatMap(([name]) => (tools.has(name) ? [] : name));
  const more = {
    ...(unknown.length > 0 && { unknown }),
    ...(long.length > 0 && { too_long: long, longest: longestSaved }),
  };
  if (known.length === 0 && long.length > 0) {
    return dataError(
      `A text of more than ${longestSaved} characters is not saved: every app's list has it whole.`,
      more,
    );
  }
  if (known.length === 0) return dataError(`None of these is a tool of '${server}'.`, more);
  const change = { kind: 'describe', server, texts: Object.fromEntries(known) } as const;
  const count = `${known.length} descriptions for '${server}'`;
  return requestChange(change, { done: `Saved ${count}`, asked: `${count} were proposed.` }, context, more);
}

function isLong(text: string): boolean {
  return cleanLine(text, maxDescription).length > longestSaved;
}

function readTexts(value: unknown): [string, string][] | undefined {
  const texts = typeof value === 'string' ? parsed(value) : value;
  if (!isObject(texts)) return undefined;
  const entries = Object.entries(texts);
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string') ? entries : undefined;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
