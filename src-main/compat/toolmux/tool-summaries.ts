/** Texts of a tool in lists: its short description, its required parameters, and the hint made of both. */
import { isObject, textOrEmpty } from '../../core/base/json.ts';
import { AppError, type ErrorCode } from '../../core/base/errors.ts';
import { truncateName } from '../../core/base/visible-text.ts';
import {
  type Catalog,
  type CatalogEntry,
  entriesByPrefix,
  findServer,
  usableSchema,
} from '../../core/catalog/catalog.ts';
import { condenseLine } from '../../core/condense/condense-tool.ts';
import { parametersText } from '../../core/condense/signature.ts';
import type { HelperContext, ModeView } from '../../core/modes/mode.ts';

export function fullDescription({ definition }: CatalogEntry): string {
  return textOrEmpty(definition['description']);
}

/** The saved short description, else the tool's own, condensed. A saved text is truncated only with `hard`. */
export function summaryOf(tool: CatalogEntry, { descriptions, shapes }: ModeView, max = 80, hard = false): string {
  const written = descriptions.find(tool.server, tool.name, tool.definition['description']);
  if (written !== undefined && (!hard || written.length <= max)) return written;
  if (written !== undefined || shapes === undefined) return condenseLine(written ?? fullDescription(tool), max);
  return shapes.text(tool.definition, `summary ${max}`, () => condenseLine(fullDescription(tool), max));
}

export function parameterNames({ definition }: CatalogEntry): string[] {
  const { properties } = usableSchema(definition);
  return isObject(properties) ? Object.keys(properties) : [];
}

export function requiredNames({ definition }: CatalogEntry): string[] {
  const { required } = usableSchema(definition);
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/**
 * Candidate texts after a tool's name, best first, the last empty: its purpose and required arguments in ToolMux's
 * form, `(Reverse a string; required: text) [upper?: boolean]`; then shorter, then without types.
 */
export function summaryVariants(tool: CatalogEntry, view: ModeView): readonly string[] {
  const schema = usableSchema(tool.definition);
  const typed = parametersText(schema, (_, required) => required);
  const optional = parametersText(schema, (_, required) => !required);
  const named = requiredNames(tool).join(', ');
  const needs = [...new Set(isObject(schema['properties']) ? [typed, named] : [named])].filter(
    (one) => one.length <= maxRequirementsLength || one === named,
  );
  const texts = [...new Set(textLengths.map((length) => summaryOf(tool, view, length, true)))];
  const [most = '', ...fewer] = texts.flatMap((text) => needs.map((need) => bracket(text, need)));
  const all = optional === '' ? [most] : [`${most} [${optional}]`.trimStart(), most];
  const last = [...texts.slice(-1), ''].map((text) => bracket(text, ''));
  return [...all, ...fewer, ...last];
}

/** Lengths of a tool's text, beginning with ToolMux's. */
const textLengths = [60, 45, 32, 22];
const maxRequirementsLength = 160;

function bracket(text: string, needs: string): string {
  const inside = [text, needs === '' ? '' : `required: ${needs}`].filter((part) => part !== '').join('; ');
  return inside === '' ? '' : `(${inside})`;
}

// The tools of each server that has any, in config order.

/** `only`: only that server, in any spelling; none if it does not exist. */
export function toolsByServer(catalog: Catalog, only?: string): ReadonlyMap<string, readonly CatalogEntry[]> {
  const wanted = only === undefined ? undefined : findServer(catalog, only);
  const groups = new Map<string, CatalogEntry[]>();
  for (const tool of catalog.tools) {
    if (only !== undefined && tool.server !== wanted) continue;
    const group = groups.get(tool.server);
    if (group === undefined) groups.set(tool.server, [tool]);
    else group.push(tool);
  }
  return groups;
}

/** The shortest unambiguous name for calling a tool through `invoke`. */
export function callableName(tool: CatalogEntry, catalog: Catalog): string {
  return isClear(tool, catalog) ? tool.name : tool.listedName;
}

function isClear(tool: CatalogEntry, catalog: Catalog): boolean {
  const { name } = tool;
  const { tools } = catalog.lookup;
  // Clients interpret the text before a colon as a server name.
  if (name.includes(':') || catalog.reserved.has(name) || tools.byName(name).length > 1) return false;
  const others = [tools.byListedName(name) ?? tool, ...entriesByPrefix(catalog, tools, name)];
  return others.every((other) => other === tool);
}

// Tool lookup for ToolMux's tools.

/** The tool with this spelling, once its server has started. Rejects with AppError in ToolMux's words. */
export async function awaitNamedTool(
  spelling: string,
  server: string | undefined,
  { awaitTool }: Pick<HelperContext, 'awaitTool'>,
): Promise<CatalogEntry> {
  try {
    return await awaitTool(spelling, server);
  } catch (error) {
    throw toToolMuxError(error, spelling, server);
  }
}

/** Errors that mean that the server is unavailable. */
const isGone: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'command_not_found',
  'paused',
  'server_disabled',
  'server_exited',
  'server_not_started',
  'server_starting',
  'server_timeout',
  'server_unauthorized',
  'server_unreachable',
]);

/** The same error with the prefix that programs made for ToolMux look for. */
export function toToolMuxError(error: unknown, tool: string, server: string | undefined): unknown {
  if (!(error instanceof AppError)) return error;
  const retold = (text: string): AppError => {
    const { fix, data } = error;
    return new AppError(error.code, text, { cause: error, ...(fix !== undefined && { fix }), ...(data && { data }) });
  };
  if (error.code === 'tool_not_found') return retold(`Tool '${truncateName(tool)}' not found.`);
  const named = error.data?.['server'] ?? server;
  return typeof named === 'string' && isGone.has(error.code)
    ? retold(`Server '${truncateName(named)}' not available: ${error.message}`)
    : error;
}
