/** Action `search`: tools that hold the query as it stands, and those that the index finds by its words. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { leavesOut, signature } from '../../condense/signature.ts';
import { cutText } from '../cut-text.ts';
import type { ModeView } from '../mode.ts';
import { envelope } from './envelope.ts';
import { foundFields, literalFields } from './matched-fields.ts';
import { readCount, readFirst, readFlag, wantsDetail } from './read-input.ts';
import type { Connection, ShownCatalog } from './shown-catalog.ts';
import { toDetailText } from './to-detail-text.ts';
import { compactTool, detailedTool, wantedFacts } from './tool-summary.ts';

interface Match {
  readonly tool: CatalogEntry;
  /** Holds the query as it stands. */
  readonly literal: boolean;
  readonly fields: readonly string[];
}

/** Without a limit all literal matches are given, as documented, and this many of those that share words only. */
const otherMatches = 10;
/** Nobody needs to read a long query again. */
const longestEcho = 200;

/** Throws AppError bad_request. */
export function searchTools(
  input: JsonObject,
  shown: ShownCatalog,
  only: Connection | undefined,
  view: ModeView,
): JsonObject {
  const query = readFirst(input, ['query'])?.text;
  if (query === undefined) throw new AppError('bad_request', "Action 'search' requires a non-empty 'query'.");
  const tools = (only ?? shown.catalog).tools;
  const matches = find(query, tools, readFlag(input, 'includeInputSchema', false), view);
  const detail = wantsDetail(input);
  const results = cut(matches, readCount(input, 'limit', 1)).map((match) =>
    detail ? detailedHit(match, input, shown) : compactHit(match, input, shown, view),
  );
  const head = { action: 'search', query: cutText(query, longestEcho), totalMatches: matches.length };
  const found = { ...head, results };
  return envelope(head, detail ? toDetailText(found) : JSON.stringify(found));
}

/** Best first; what only its letters speak for comes last, in the order of the catalog. */
function find(query: string, tools: readonly CatalogEntry[], inSchema: boolean, { index }: ModeView): Match[] {
  const text = query.toLowerCase();
  const waiting = new Map(tools.map((tool) => [tool.id, tool]));
  const ranked = index
    .search(query, { limit: index.size, accepts: (id) => waiting.has(id) })
    .hits.flatMap((hit): Match[] => {
      const tool = waiting.get(hit.id);
      if (!waiting.delete(hit.id) || tool === undefined) return [];
      const literal = literalFields(tool, text, inSchema);
      const fields = [...new Set([...literal, ...foundFields(hit.why)])];
      return [{ tool, literal: literal.length > 0, fields }];
    });
  const others = [...waiting.values()].flatMap((tool): Match[] => {
    const fields = literalFields(tool, text, inSchema);
    return fields.length === 0 ? [] : [{ tool, literal: true, fields }];
  });
  return withoutNamesakes([...ranked, ...others]);
}

/** A server's name alone finds its tools only where no tool says the word itself. */
function withoutNamesakes(matches: readonly Match[]): Match[] {
  const telling = matches.filter(({ fields }) => fields.some((field) => field !== 'connection'));
  return telling.length === 0 ? [...matches] : telling;
}

function cut(matches: readonly Match[], limit: number | undefined): readonly Match[] {
  if (limit !== undefined) return matches.slice(0, limit);
  const others = new Set(matches.filter(({ literal }) => !literal).slice(0, otherMatches));
  return matches.filter((match) => match.literal || others.has(match));
}

/** With its signature, so that most calls need no second look. */
function compactHit({ tool, fields }: Match, input: JsonObject, { catalog }: ShownCatalog, view: ModeView): JsonObject {
  const line = signature({ name: tool.name, inputSchema: tool.definition['inputSchema'] });
  return {
    alias: catalog.aliases.get(tool.server),
    ...compactTool(tool, view),
    ...wantedFacts(tool, input, false),
    signature: line,
    ...(leavesOut(line) && { '~': 'includeInputSchema shows the rest' }),
    matchedFields: fields,
  };
}

function detailedHit({ tool, fields }: Match, input: JsonObject, { connections }: ShownCatalog): JsonObject {
  const connection = connections.find(({ id }) => id === tool.server);
  return {
    connection: { alias: connection?.alias, serverInfo: connection?.serverInfo },
    tool: detailedTool(tool, input),
    matchedFields: fields,
  };
}
