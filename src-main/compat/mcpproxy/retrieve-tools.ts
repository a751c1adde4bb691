/** `retrieve_tools` and `describe_tool`: search tools and return full definitions of those found. */
import { AppError } from '../../core/base/errors.ts';
import type { JsonObject } from '../../core/base/json.ts';
import { truncateName } from '../../core/base/visible-text.ts';
import { type CatalogEntry, usableSchema } from '../../core/catalog/catalog.ts';
import { findTools, moreMatchesText, parseNeeds, toolsNeedingSchema, queryHint } from '../../core/modes/find-tools.ts';
import type { HelperContext, HelperTool } from '../../core/modes/mode.ts';
import { findResources, readResourceTool, resourceLine } from '../../core/modes/read-resource.ts';
import { findSkills, readSkillTool, skillLine } from '../../core/modes/read-skill.ts';
import { readResultTool } from '../../core/modes/read-spill.ts';
import { markSchemaShown } from '../../core/modes/render-tools.ts';
import { jsonResult, readClampedInteger, readTrimmedText, badRequestError } from './results.ts';
import { compactEntry, fullEntry } from './tool-entry.ts';

const maxHits = 100;
/** Number of top hits returned with their schema, which the next call mostly needs. */
const maxSchemas = 2;
const maxDescribed = 5;

const usage =
  'Call a tool through the one in call_with, with its name. In sig, ? is optional; where ~ stands something is left out, and describe_tool shows the schema.';

export const retrieveTools: HelperTool = {
  kind: 'discovery',
  definition: {
    name: 'retrieve_tools',
    description: 'Find tools, best first.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: queryHint }, limit: { type: 'integer' } },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(input, context) {
    await context.settled();
    const query = readTrimmedText(input['query']);
    if (query === undefined) {
      throw new AppError('bad_request', 'The query is missing.', { fix: 'Describe what you want to do in "query".' });
    }
    const limit = readClampedInteger(input['limit'], context.retrieve.limit ?? 0, maxHits) || undefined;
    const needs = parseNeeds(query);
    const { tools, more } = findTools(needs, context, { limit });
    const resources = findResources(needs, context.catalog);
    const skills = findSkills(needs, context.catalog);
    const open = toolsNeedingSchema(tools, maxSchemas);
    const missing = context.finder.missingServers();
    const left = moreMatchesText(more);
    return jsonResult({
      tools: tools.map(({ tool }) => {
        const entry = compactEntry(tool, context);
        return open.has(tool.id) ? withSchema(entry, tool, context) : entry;
      }),
      ...(resources.length > 0 && {
        resources: resources.map(resourceLine),
        read_resources_with: readResourceTool.definition.name,
      }),
      ...(skills.length > 0 && { skills: skills.map(skillLine), read_skills_with: readSkillTool.definition.name }),
      ...(tools.length + resources.length + skills.length === 0 && nothingFound(query, context)),
      ...(left !== undefined && { more: left }),
      ...(tools.length > 0 && !context.memory.markShown('usage', 'retrieve') && { usage_instructions: usage }),
      ...(missing !== undefined && { not_listed: missing }),
    });
  },
};

/** Each schema is shown once per session. */
function withSchema(entry: JsonObject, tool: CatalogEntry, { memory }: HelperContext): JsonObject {
  if (markSchemaShown(tool, memory)) return { ...entry, inputSchema_shown: 'earlier' };
  return { ...entry, inputSchema: usableSchema(tool.definition) };
}

function nothingFound(query: string, { index, catalog }: HelperContext): JsonObject {
  const near = index.suggest(query);
  const meant = near.length === 0 ? '' : `Did you mean ${near.join(', ')}? `;
  return { hint: `${meant}Try other words. Servers: ${catalog.servers.join(', ') || 'none yet'}.` };
}

export const describeTool: HelperTool = {
  kind: 'schema',
  definition: {
    name: 'describe_tool',
    description: 'Whole schemas of tools by id.',
    inputSchema: {
      type: 'object',
      properties: { tool_ids: { type: 'array', items: { type: 'string' }, maxItems: maxDescribed } },
      required: ['tool_ids'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  async run(input, context) {
    const ids = readIds(input['tool_ids']);
    const described = await Promise.all(ids.map((id) => describe(id, context)));
    return jsonResult({
      definitions: described.filter((one) => !('error' in one)),
      errors: described.filter((one) => 'error' in one),
    });
  },
};

/**
 * The definition, once the tool's server has started; otherwise the reason why there is none. Never rejects with
 * AppError.
 */
async function describe(name: string, context: HelperContext): Promise<JsonObject> {
  const id = name.trim();
  try {
    const tool = await context.awaitTool(id);
    const held = context.finder.server(tool.server)?.pins?.refusalOf('tool', tool.name);
    if (held !== undefined) throw held;
    markSchemaShown(tool, context.memory);
    return fullEntry(tool);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
    // The tool for reading truncated results is called directly and through the tools that call others.
    if (id === readResultTool.definition.name) return ownEntry;
    const found = context.finder.tryFind(id);
    const nearest = 'missing' in found ? found.nearest[0] : undefined;
    return {
      id: truncateName(id),
      error: error.code,
      detail: error.message,
      ...(error.fix !== undefined && { remediation: error.fix }),
      ...(nearest !== undefined && { did_you_mean: nearest }),
    };
  }
}

const { name, description, inputSchema, annotations } = readResultTool.definition;
const ownEntry: JsonObject = { name, description, inputSchema, annotations, call_with: 'call_tool_read' };

/** A single ID may be a string. Throws AppError `bad_request`. */
function readIds(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const ids = list.filter((id): id is string => typeof id === 'string' && id.trim() !== '');
  if (ids.length === 0 || ids.length !== list.length)
    throw badRequestError('"tool_ids" must be a list of ids.', 'Use ids like "server:tool".');
  if (ids.length > maxDescribed) {
    throw badRequestError(`${ids.length} ids exceed the limit of ${maxDescribed}.`, 'Use several calls.');
  }
  return [...new Set(ids)];
}
