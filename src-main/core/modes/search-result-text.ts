/**
 * The text of `search`: hits grouped by need, one line each, and the signature of the best hit of every need, so that
 * it can be called at once.
 */
import { textOrEmpty, toPlainNumber, type JsonObject } from '../base/json.ts';
import { truncateText } from '../base/visible-text.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { condenseLine } from '../condense/condense-tool.ts';
import { isLossy, outputType, parametersText, parameterTypes } from '../condense/signature.ts';
import type { Result } from '../wire/message.ts';
import { findTools, type FoundTools, moreMatchesText, parseNeeds } from './find-tools.ts';
import type { HelperContext } from './mode.ts';
import { otherHits } from './read-skill.ts';
import { markSchemaShown, withUnavailableServers } from './render-tools.ts';
import { hasAnyTag, readDetail, toolTexts } from './run-code.ts';

/** Maximum number of tools per need, if the caller sets a limit. */
const maxFound = 50;
/** Number of hits of a single need that are shown with signature; for several needs it is one each. */
const signedOfOne = 3;
/** Maximum length of a hit's line, in characters. */
const maxLineLength = 300;
/** Maximum length of a hit's description, in characters. */
const maxDescriptionLength = 80;
/**
 * From this number of needs on, the same hits are shown with fewer words, because a second search would cost more.
 * Measured: a query of six needs over 13 servers, median 327 o200k tokens instead of 553.
 */
const manyNeeds = 4;
const lengthsOfMany = { line: 120, best: 44, other: 34 };
/** Number of hits of one of many needs that are described; the others are only named. */
const describedOfMany = 2;
/** Maximum length of a group's heading, in characters. */
const maxNeedLength = 60;

/** Finds tools for the query. `nothing`: the sentence for a query without matches. */
export async function searchAnswer(input: JsonObject, context: HelperContext, nothing: string): Promise<Result> {
  // A program often follows.
  context.sandbox.prewarm();
  await context.settled();
  const detail = readDetail(input['detail'], 'brief');
  const limit = Number(toPlainNumber(input['limit']) ?? Number.NaN);
  const tags = Array.isArray(input['tags']) ? input['tags'].filter((tag) => typeof tag === 'string') : [];
  const needs = parseNeeds(input['query']);
  const found = findTools(needs, context, {
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, maxFound) : undefined,
    ...(tags.length > 0 && { accepts: (tool) => hasAnyTag(tool, tags) }),
  });
  const tools = found.tools.map(({ tool }) => tool);
  if (detail === 'full') for (const tool of tools) markSchemaShown(tool, context.memory);
  const all = context.catalog.tools.length;
  const header = tools.length === all || detail === 'full' ? '' : `${tools.length} of ${all} tools:\n`;
  // In ToolMux's format, if configured.
  const isPlain = detail !== 'brief' || context.firstUse === true;
  const lines = isPlain ? toolTexts(tools, detail) : groupsText(found);
  const toolLines = tools.length === 0 ? [] : [header + lines];
  const text = [...toolLines, ...otherHits(needs, context)].join('\n');
  return withUnavailableServers(
    { content: [{ type: 'text', text: text || nothing + nearNames(needs, context) }] },
    context.finder.missingServers(),
  );
}

function nearNames(needs: readonly string[], { catalog, index }: HelperContext): string {
  const ids = needs.flatMap((need) => index.suggest(need));
  const near = new Set(ids.flatMap((id) => catalog.lookup.tools.byId(id)[0]?.listedName ?? []));
  return near.size === 0 ? '' : ` Did you mean ${[...near].join(', ')}?`;
}

/** A tool that fits several needs is described for the first one, and only named for the others. */
function groupsText({ byNeed, more }: FoundTools): string {
  const isSingle = byNeed.length === 1;
  const isMany = byNeed.length >= manyNeeds;
  const shown = new Set<string>();
  const lines = byNeed.flatMap(({ need, tools }) => {
    const hits = tools.map(({ tool }, place) => {
      if (shown.has(tool.id) || (isMany && place >= describedOfMany)) return `- ${tool.listedName}`;
      shown.add(tool.id);
      if (place < (isSingle ? signedOfOne : 1)) {
        return isMany ? signatureLine(tool, lengthsOfMany.line, lengthsOfMany.best) : signatureLine(tool);
      }
      return briefLine(tool, isMany ? lengthsOfMany.other : maxDescriptionLength);
    });
    if (isSingle) return hits;
    const heading = `${truncateText(need, maxNeedLength)}:`;
    return hits.length === 0 ? [`${heading} no matches`] : [heading, ...hits];
  });
  const isPart = lines.some((line) => isLossy(line));
  // With many needs, the number of other matches is that of all together, and says nothing about one of them.
  const notes = [isMany ? undefined : moreMatchesText(more), isPart ? '~ = omitted: detail "full" has it.' : undefined];
  return [...lines, ...notes.filter((note) => note !== undefined)].join('\n');
}

function briefLine({ listedName, definition }: CatalogEntry, maxLength: number): string {
  return lineOf(`- ${listedName}`, condenseLine(textOrEmpty(definition['description']), maxLength), maxLineLength);
}

/**
 * Returns a tool with its parameters and, if its server declares it, the type of its result: enough to write the call.
 * Optional parameters are left out of a line that would be too long, the last ones first.
 */
export function signatureLine(
  { listedName, definition }: CatalogEntry,
  maxLength = maxLineLength,
  maxDescription = maxDescriptionLength,
): string {
  const description = condenseLine(textOrEmpty(definition['description']), maxDescription);
  const room = maxLength - `- ${listedName}(): ${description}`.length;
  const head = `- ${listedName}(${parametersWithin(room, usableSchema(definition))})`;
  const gives = outputType(definition['outputSchema']);
  const end = gives === undefined ? '' : `${/[.!?]$/.test(description) ? '' : '.'} Gives ${gives}`;
  const isTyped = head.length + description.length + end.length + 2 <= maxLength;
  return lineOf(head, isTyped ? description + end : description, maxLength);
}

/** Returns the parameters as text; if they are longer, the required ones and as many others as fit, and `~`. */
function parametersWithin(length: number, schema: JsonObject): string {
  const whole = parametersText(schema);
  if (whole.length <= length) return whole;
  const shown = new Set<string>();
  const text = (): string => {
    const some = parametersText(schema, (name, required) => required || shown.has(name));
    return some.endsWith('~') ? some : [some, '~'].filter(Boolean).join(', ');
  };
  for (const { name, required } of parameterTypes(schema).parameters) {
    if (required) continue;
    shown.add(name);
    if (text().length > length) shown.delete(name);
  }
  return text();
}

function lineOf(head: string, text: string, maxLength: number): string {
  return truncateText(`${head}: ${text}`, maxLength);
}
