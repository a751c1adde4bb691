/** `search`: tools by what they do, as text. */
import { plainNumber } from '../../base/json.ts';
import { withMissing } from '../missing-servers.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { findTools } from './find-tools.ts';
import { readDetail, toolTexts } from './tool-texts.ts';

export const searchCode: HelperTool = {
  definition: {
    name: 'search',
    description: 'Find tools by what you want to do; names and descriptions, best first.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        detail: { enum: ['brief', 'detailed', 'full'] },
        limit: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(input, context) {
    // A program is what comes next.
    context.sandbox.warm();
    await context.settled();
    const detail = readDetail(input['detail'], 'brief');
    const limit = Number(plainNumber(input['limit']) ?? Number.NaN);
    const tags = Array.isArray(input['tags']) ? input['tags'].filter((tag) => typeof tag === 'string') : [];
    const query = typeof input['query'] === 'string' ? input['query'] : '';
    const found = findTools(context, query, Number.isInteger(limit) && limit > 0 ? limit : undefined, tags);
    const all = context.catalog.tools.length;
    const header = found.length === all || detail === 'full' ? '' : `${found.length} of ${all} tools:\n`;
    const text = found.length === 0 ? nothingFound(query, context) : header + toolTexts(found, detail);
    return withMissing({ content: [{ type: 'text', text }] }, context.finder.missingServers());
  },
};

function nothingFound(query: string, { catalog, index }: HelperContext): string {
  const near = index.suggest(query).flatMap((id) => catalog.lookup.tools.withId(id)[0]?.listedName ?? []);
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
  return `No tools matched the query.${meant}`;
}
