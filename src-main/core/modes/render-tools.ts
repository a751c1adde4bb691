/** A server's tool as shown to a model: at one of four levels, from one line to unchanged. */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../base/json.ts';
import { truncateText } from '../base/visible-text.ts';
import type { ShownSchemas } from '../calls/call-tool.ts';
import { type Catalog, type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { appTraits } from '../client-apps/app-traits.ts';
import { toSingleLine, leadingSentences } from '../condense/clauses.ts';
import { condenseDescription, condenseLine, condenseSchema, withoutFillers } from '../condense/condense-tool.ts';
import type { AppConfig, CondenseLevel } from '../config/app-config.ts';
import { viewUriOf } from '../servers/ui-metadata.ts';
import { type ModeView, RenderCache, type ShownItems } from './mode.ts';

/** Maximum length of a description at level `lean`, in characters. */
const maxLeanDescriptionLength = 160;

/**
 * Returns the level of detail for a client app. A ToolMux file keeps its level, except for apps that load definitions
 * on demand: for them, leaving things out saves nothing.
 */
export function levelFor(
  { raw, condense, product }: Pick<AppConfig, 'raw' | 'condense' | 'product'>,
  app: string | undefined,
): CondenseLevel {
  if (condense !== undefined) return condense;
  if (raw) return 'full';
  return product === 'toolmux' && !appTraits(app).defersTools ? 'toolmux' : 'lean';
}

/** `written`: a rewritten, shorter description. */
export function renderTool(
  tool: CatalogEntry,
  { level, shapes = new RenderCache() }: Pick<ModeView, 'level' | 'shapes'>,
  written?: string,
): JsonObject {
  return level === 'full' ? renderFullTool(tool) : condensedTool(tool, level, shapes, written);
}

/** The same if the list must match the results. */
export function renderCallableTool(
  tool: CatalogEntry,
  view: Pick<ModeView, 'level' | 'shapes' | 'spills' | 'handles'>,
  written?: string,
): JsonObject {
  const { outputSchema, ...shown } = renderTool(tool, view, written);
  const { spills, handles } = view;
  // A summary or a handle in place of a result would not match the output schema.
  return outputSchema === undefined || spills === true || handles === true ? shown : { ...shown, outputSchema };
}

/** Every member of the server's definition, under the listed name. */
export function renderFullTool({ definition, listedName }: CatalogEntry): JsonObject {
  return { ...definition, name: listedName, inputSchema: usableSchema(definition) };
}

type Condensed = Exclude<CondenseLevel, 'full'>;

/** Condenses a tool to what a model needs to choose and call it; icons, output schema and long texts are dropped. */
function condensedTool(tool: CatalogEntry, level: Condensed, shapes: RenderCache, written?: string): JsonObject {
  const { description, _meta } = tool.definition;
  const annotations =
    level === 'toolmux' ? tool.definition['annotations'] : statedHints(tool.definition['annotations']);
  const text =
    written ??
    (typeof description === 'string'
      ? shapes.text(tool.definition, level, () => describe[level](description))
      : undefined);
  return {
    name: tool.listedName,
    ...(text !== undefined && { description: text }),
    inputSchema: schemaAt(tool, level, shapes),
    ...(isObject(annotations) && { annotations }),
    ...(isObject(_meta) && { _meta }),
  };
}

/** Defaults for absent annotations. Source: ToolAnnotations in the MCP schema. */
const defaultHints: Readonly<JsonObject> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** Returns hints that differ from the defaults; undefined if none. Hints about writes are dropped if it only reads. */
function statedHints(annotations: unknown): JsonObject | undefined {
  if (!isObject(annotations)) return undefined;
  const isReading = annotations['readOnlyHint'] === true;
  const shown = Object.entries(annotations).filter(
    ([key, value]) =>
      key !== 'title' &&
      value !== defaultHints[key] &&
      !(isReading && (key === 'destructiveHint' || key === 'idempotentHint')),
  );
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

const describe: Readonly<Record<Condensed, (text: string) => string>> = {
  toolmux: (text) => condenseDescription(text),
  shape: (text) => condenseLine(text),
  lean: (text) => leadingSentences(withoutFillers(toSingleLine(text)), maxLeanDescriptionLength),
};

function schemaAt({ definition }: CatalogEntry, level: Condensed, shapes: RenderCache): JsonObject {
  return level === 'toolmux' ? condenseSchema(usableSchema(definition)) : shapes.of(definition, level);
}

// Names servers in instructions, as many as fit into a mode's fixed cost.

/** In characters; about 30 tokens. */
const maxDescriptionLength = 120;

export function joinServerNames(servers: readonly string[]): string {
  if (servers.length === 0) return 'none yet';
  const all = servers.join(', ');
  if (all.length <= maxDescriptionLength) return all;
  const whole = servers.filter((_, index) => servers.slice(0, index + 1).join(', ').length <= maxDescriptionLength);
  if (whole.length === 0) return truncateText(all, maxDescriptionLength);
  return `${whole.join(', ')} and ${servers.length - whole.length} more`;
}

// Decides whether a tool of our own may be added to a list of servers' tools.

/** False if the list would become longer than the servers' own. */
export function fitsInList(own: JsonObject, tools: readonly JsonObject[], { tools: entries }: Catalog): boolean {
  const whole = entries.map(({ definition }) => definition);
  return JSON.stringify(tools).length + JSON.stringify(own).length <= JSON.stringify(whole).length;
}

// Tools with a user interface, listed in addition to a mode's own, because apps that show interfaces find them only in
// the list.

export interface ListedViews {
  readonly tools: readonly JsonObject[];
  /** Estimated tokens of the list. */
  readonly tokens: number;
  /** Number of tools with an interface that did not fit. */
  readonly leftOut: number;
}

/** In catalog order, as many as fit into the tokens; a smaller one may still fit after a larger. */
export function listViews(
  view: ModeView,
  maxLength: number,
  tokensOf: (tools: readonly JsonObject[]) => number,
): ListedViews {
  const all = view.catalog.tools.filter(({ definition }) => viewUriOf(definition) !== undefined);
  const tools: JsonObject[] = [];
  let tokens = 0;
  for (const tool of all) {
    const written = view.descriptions.find(tool.server, tool.name, tool.definition['description']);
    const shown = renderCallableTool(tool, view, written);
    const cost = tokensOf([shown]);
    if (tokens + cost > maxLength) continue;
    tokens += cost;
    tools.push(shown);
  }
  return { tools, tokens, leftOut: all.length - tools.length };
}

// Adds to a list of tools which servers are unavailable and why, in one line.

/** `missing`: from `finder.missingServers()`. Removes `structuredContent`, which would be incomplete. */
export function withUnavailableServers(result: JsonObject, missing: string | undefined): JsonObject {
  if (missing === undefined) return result;
  const { structuredContent: _less, ...unstructured } = result;
  const content = Array.isArray(unstructured['content']) ? (unstructured['content'] as unknown[]) : [];
  return { ...unstructured, content: [...content, { type: 'text', text: `Not listed: ${missing}.` }] };
}

/** Records that the session sees a tool's schema; returns whether it did before. */
export function markSchemaShown(tool: CatalogEntry, memory: ShownItems): boolean {
  return memory.markShown('schema', schemaVersion(tool));
}

/** The same in the form that argument errors use. */
export function shownSchemas(memory: ShownItems): ShownSchemas {
  return {
    has: (tool) => memory.has('schema', schemaVersion(tool)),
    note: (tool) => void markSchemaShown(tool, memory),
  };
}

function schemaVersion({ id, definition }: CatalogEntry): string {
  const hash = createHash('sha256').update(JSON.stringify(usableSchema(definition)));
  return `${id} ${hash.digest('base64url').slice(0, 12)}`;
}
