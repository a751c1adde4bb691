/** describe_tool: whole definitions of named tools, or a check whether they could be called now. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { shortName } from '../../base/short-name.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { filtersIn } from './annotations.ts';
import { checkTools } from './check-tools.ts';
import { type BlockReason, findTool, type Missing } from './find-tool.ts';
import { jsonResult } from './json-result.ts';
import { readSwitch } from './read-options.ts';
import { fullEntry, sawSchema } from './tool-entry.ts';

const mostDescribed = 5;
const mostChecked = 50;

export const describeTool: HelperTool = {
  definition: {
    name: 'describe_tool',
    description: 'Whole schemas of tools by id; with check, whether they can be called now.',
    inputSchema: {
      type: 'object',
      properties: {
        tool_ids: { type: 'array', items: { type: 'string' }, maxItems: mostChecked },
        check: { type: 'boolean' },
      },
      required: ['tool_ids'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  async run(input, context) {
    const check = readSwitch(input['check']);
    const ids = readIds(input['tool_ids'], check ? mostChecked : mostDescribed);
    if (input['expect_hashes'] !== undefined) throw refused('"expect_hashes" is reserved.', 'Leave it away.');
    const filters = isObject(input['filters']) ? input['filters'] : {};
    if (check) return jsonResult(checkTools(ids, filtersIn(filters), context));
    if (input['filters'] !== undefined)
      throw refused('"filters" go with "check": true only.', 'Leave one of them away.');
    return jsonResult(await describe(ids, context));
  },
};

/** Servers that are starting are waited for. */
async function describe(ids: readonly string[], context: HelperContext): Promise<JsonObject> {
  await Promise.allSettled(ids.map((id) => context.awaitTool(id.trim())));
  const definitions: JsonObject[] = [];
  const errors: JsonObject[] = [];
  for (const id of ids) {
    const found = findTool(id, context);
    if (!('missing' in found)) {
      sawSchema(found, context.memory);
      definitions.push(fullEntry(found));
    } else errors.push(errorOf(id, found));
  }
  return { definitions, errors };
}

/** MCPProxy's words for what it has words for; a server that is only not there now is told by its reason. */
const errors: Partial<Record<BlockReason, string>> = {
  server_disabled: 'disabled',
  tool_blocked_by_user: 'disabled',
  server_quarantined: 'quarantined',
  server_not_configured: 'not_found',
};

function errorOf(id: string, { missing, nearest, remediation, detail }: Missing): JsonObject {
  const error = errors[missing] ?? missing;
  const guess = nearest === undefined ? {} : { did_you_mean: nearest };
  return { id: shortName(id), error, ...(error !== 'not_found' && { detail }), remediation, ...guess };
}

/** One id may come as a text by itself. */
function readIds(value: unknown, most: number): string[] {
  const list = typeof value === 'string' ? [value] : value;
  const ids = Array.isArray(list) ? list.filter((id): id is string => typeof id === 'string' && id.trim() !== '') : [];
  if (ids.length === 0 || ids.length !== (list as unknown[]).length) {
    throw refused('"tool_ids" is not a list of ids.', 'Give ids like "server:tool".');
  }
  if (ids.length > most) throw refused(`${ids.length} ids are more than ${most}.`, 'Ask in several calls.');
  return [...new Set(ids)];
}

function refused(what: string, fix: string): AppError {
  return new AppError('bad_request', what, { fix });
}
