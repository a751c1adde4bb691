/**
 * The tool `proxy`: tools, resources, and prompts of all servers through a single tool. Source: MCP Proxy Extension
 * 0.1.0 (Magg).
 */
import { isObject, tryParseJson, type JsonObject, objectOrEmpty, textOrEmpty } from '../../core/base/json.ts';
import { AppError } from '../../core/base/errors.ts';
import { truncateName } from '../../core/base/visible-text.ts';
import { errorResult } from '../../core/calls/error-result.ts';
import { wrapUri } from '../../core/catalog/resource-uris.ts';
import { notFoundText } from '../../core/catalog/resolve-resource.ts';
import type { HelperContext, HelperTool } from '../../core/modes/mode.ts';
import { findTools, isOwnTool, moreMatchesText, parseNeeds } from '../../core/modes/find-tools.ts';
import { otherHits } from '../../core/modes/read-skill.ts';
import { signatureLine } from '../../core/modes/search-result-text.ts';
import { markSchemaShown, withUnavailableServers } from '../../core/modes/render-tools.ts';
import { type Result, RpcError } from '../../core/wire/message.ts';
import { scalarOf, RawJson, toObject } from '../../core/wire/raw-json.ts';
import {
  filterEntries,
  findEntry,
  jsonItem,
  listTypes,
  entryNotFoundError,
  proxyEntries,
  type ProxyMeta,
  withProxyMeta,
} from './proxy-entries.ts';
import { proxyMetaKey } from './proxy-meta.ts';
import {
  type ProxyCallRequest,
  type ProxyInfoRequest,
  type ProxyListRequest,
  proxyTypes,
  readProxyRequest,
} from './proxy-request.ts';

export const proxyTool: HelperTool = {
  kind: ({ action }) => (action === 'list' ? 'discovery' : action === 'info' ? 'schema' : 'call'),
  definition: {
    name: 'proxy',
    description: 'Tools, resources and prompts of all servers: list them, get info on one, call it.',
    inputSchema: {
      type: 'object',
      properties: {
        action: { enum: ['list', 'info', 'call', 'batch'] },
        type: { enum: proxyTypes },
        path: { type: 'string', description: 'name or URI' },
        args: { type: ['object', 'string'], description: 'or JSON text' },
        query: { type: 'string', description: 'for list: wordings , several ;' },
        limit: { type: 'integer' },
        offset: { type: 'integer' },
        filter_server: { type: 'string' },
        filter: { type: 'object', description: 'prefix, tags' },
        operations: { type: 'array', description: 'for batch (any type): [{action, type, path, args}]' },
      },
      required: ['action', 'type'],
    },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  spills: true,
  run,
};

async function run(input: JsonObject, context: HelperContext): Promise<Result> {
  const request = readProxyRequest(input);
  switch (request.action) {
    case 'list':
      await context.settled();
      return withUnavailableServers(
        listEntries(request, context),
        request.offset === 0 ? context.finder.missingServers(request.server) : undefined,
      );
    case 'info':
      return entryInfo(request, context);
    case 'call':
      return callCapability(request, context);
    case 'batch':
      return runBatch(request.operations, (operation) => run(operation, context), context.signal);
  }
}

// The actions `list` and `info` of the proxy tool.

/** One page, with the total count even if the page is empty. */
function listEntries(request: ProxyListRequest, view: HelperContext): JsonObject {
  const { type, limit, offset, query } = request;
  if (query !== undefined) return toolsFor(query, request, view);
  const found = filterEntries(proxyEntries(type, view), request, view.catalog);
  const page = found.slice(offset, offset + limit);
  for (const { tool } of page) if (tool !== undefined) markSchemaShown(tool, view.memory);
  const listed = page.map((entry) => entry.listed);
  const item = jsonItem(`proxy:list/${type}`, listed, {
    proxyAction: 'list',
    proxyType: type,
    pythonType: listTypes[type],
    many: true,
    totalCount: found.length,
    offset,
    limit,
  });
  return { content: [item] };
}

/** Matching tools as lines with call syntax. */
function toolsFor(query: string, request: ProxyListRequest, view: HelperContext): JsonObject {
  const among = new Set(
    filterEntries(proxyEntries('tool', view), request, view.catalog).map(({ listed }) => listed['name']),
  );
  const { tools, more } = findTools(parseNeeds(query), view, {
    accepts: (tool) => among.has(tool.listedName) || isOwnTool(tool),
  });
  const lines = tools.map(({ tool }) => signatureLine(tool));
  const toolLines =
    lines.length === 0 ? 'No matching tools.' : [...lines, moreMatchesText(more) ?? ''].join('\n').trimEnd();
  const text = [toolLines, ...otherHits(parseNeeds(query), view)].join('\n');
  return { content: [{ type: 'text', text }] };
}

/**
 * The full definition. Rejects with AppError `not_found` or `tool_ambiguous`, or the reason why its server is
 * unavailable.
 */
async function entryInfo({ type, path }: ProxyInfoRequest, context: HelperContext): Promise<JsonObject> {
  if (type !== 'tool') await context.settled();
  const { whole, tool, pythonType } = await findEntry(type, path, context);
  if (tool !== undefined) markSchemaShown(tool, context.memory);
  const facts = { proxyAction: 'info', proxyType: type, proxyPath: path, pythonType } as const;
  return { content: [jsonItem(`proxy:info/${type}/${path}`, whole, facts)] };
}

// The action `batch` of the proxy tool: several operations in one call, executed sequentially, because later ones may
// depend on earlier ones. Source: MCP Proxy Extension 0.1.0, appendix A.1, which does not define the response.

type Run = (operation: JsonObject) => Promise<Result>;

/**
 * Combines the content items of all results, each labelled with its operation. An error only if every operation
 * failed.
 */
async function runBatch(operations: readonly JsonObject[], run: Run, signal: AbortSignal): Promise<JsonObject> {
  const results: JsonObject[] = [];
  for (const operation of operations) {
    signal.throwIfAborted();
    results.push(await runOne(operation, run));
  }
  const isOne = operations.length === 1;
  const content = results.flatMap((result, index) => [
    ...(isOne ? [] : [heading(operations[index] ?? {}, index)]),
    ...itemsOf(result, index),
  ]);
  return { content, ...(results.every((result) => result['isError'] === true) && { isError: true }) };
}

/** Apps concatenate a model's texts, so each operation's text needs a heading. */
function heading({ path, action, type }: JsonObject, operation: number): JsonObject {
  const what = typeof path === 'string' ? truncateName(path) : `${textOrEmpty(action)} ${textOrEmpty(type)}`.trim();
  return markItem({ type: 'text', text: `${operation + 1}. ${what}:` }, { operation, isHeading: true });
}

/** A failure becomes the operation's result; the others continue. */
async function runOne(operation: JsonObject, run: Run): Promise<JsonObject> {
  try {
    if (operation['action'] === 'batch') throw new AppError('bad_request', 'A batch cannot contain another batch.');
    const result = await run(operation);
    if (scalarOf(result, 'resultType') !== 'input_required') return toObject(result);
    throw new AppError('unsupported', 'The server requests user input, which a batch does not support.', {
      fix: 'Call it separately.',
    });
  } catch (error) {
    if (error instanceof AppError && error.code === 'cancelled') throw error;
    return errorResult(error);
  }
}

function itemsOf({ content, structuredContent, isError }: JsonObject, operation: number): JsonObject[] {
  const items = Array.isArray(content) ? (content as unknown[]).filter(isObject) : [];
  // Without a content item, the operation would be missing from the response.
  const shown = items.length > 0 ? items : [{ type: 'text', text: JSON.stringify(structuredContent ?? null) }];
  return shown.map((item) => markItem(item, { operation, ...(isError === true && { isError }) }));
}

function markItem(item: JsonObject, mark: JsonObject): JsonObject {
  const { annotations, _meta } = item;
  const meta = objectOrEmpty(_meta);
  const said = isObject(meta[proxyMetaKey]) ? meta[proxyMetaKey] : {};
  return {
    ...item,
    annotations: { ...(isObject(annotations) && annotations), ...mark },
    _meta: { ...meta, [proxyMetaKey]: { ...said, ...mark } },
  };
}

// The action `call` of the proxy tool: calls a tool, reads a resource, or gets a prompt, and labels each content item.

/** Rejects with AppError, or with the server's RpcError. */
async function callCapability(request: ProxyCallRequest, context: HelperContext): Promise<Result> {
  const { type, path } = request;
  const facts: ProxyMeta = { proxyAction: 'call', proxyType: type, proxyPath: path };
  if (type === 'tool') return toolResult(await callTool(request, context), facts);
  const result = type === 'resource' ? await readResource(path, context) : await getPrompt(request, context);
  // An elicitation request is returned unchanged; the client app's retry contains the response.
  if (scalarOf(result, 'resultType') === 'input_required') return result;
  return type === 'resource' ? resourceResult(toObject(result), facts) : promptResult(toObject(result), facts);
}

async function callTool({ path, server, args, beside }: ProxyCallRequest, context: HelperContext): Promise<Result> {
  try {
    return await context.callTool({ tool: path, server, arguments: args, beside, via: 'proxy' });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'tool_not_found') throw error;
    throw new AppError('tool_not_found', `Unknown tool: '${truncateName(path)}'.`, {
      ...(error.fix && { fix: error.fix }),
    });
  }
}

function toolResult(result: Result, facts: ProxyMeta): Result {
  // A result of one megabyte or more is passed on unparsed, so the metadata is added once for all of its items.
  if (result instanceof RawJson) return result.withMembers({ _meta: { [proxyMetaKey]: facts } });
  const { content } = result;
  if (!Array.isArray(content)) return result;
  return { ...result, content: content.map((item: unknown) => (isObject(item) ? withProxyMeta(item, facts) : item)) };
}

async function readResource(uri: string, context: HelperContext): Promise<Result> {
  try {
    return await context.readResource(uri);
  } catch (error) {
    if (!isMissing(error, uri)) throw error;
    const own = ofPrefixedServer(uri, context) ?? (await uriNamed(uri, context));
    return await context.readResource(own);
  }
}

/** URI of the resource with this name. Rejects with AppError `not_found`, which for a template says what to provide. */
async function uriNamed(name: string, view: HelperContext): Promise<string> {
  const { listed } = await findEntry('resource', name, view);
  if (typeof listed['uri'] === 'string') return listed['uri'];
  throw entryNotFoundError(
    'resource',
    name,
    `It is a template. Use a URI of the form ${String(listed['uriTemplate'])}.`,
  );
}

function isMissing(error: unknown, uri: string): boolean {
  return error instanceof RpcError && error.message.startsWith(notFoundText(uri));
}

/** Converts Magg's spelling, `data://m/cfg` for `data://cfg` of server m, to that server's URI. */
function ofPrefixedServer(uri: string, { finder }: HelperContext): string | undefined {
  const [, scheme, prefix, rest] = /^([^:/?#]+:\/\/)([^/]+)\/(.*)$/s.exec(uri) ?? [];
  const server = prefix === undefined ? undefined : finder.server(prefix)?.config.name;
  return server === undefined ? undefined : wrapUri(server, `${scheme}${rest}`);
}

function resourceResult({ contents }: JsonObject, facts: ProxyMeta): JsonObject {
  const items = Array.isArray(contents) ? (contents as unknown[]).filter(isObject) : [];
  return {
    content: items.map((item) => {
      const resource = objectify(item);
      const contentType = resource['contentType'];
      return withProxyMeta({ type: 'resource', resource }, facts, contentType === undefined ? {} : { contentType });
    }),
  };
}

async function getPrompt({ path, args }: ProxyCallRequest, context: HelperContext): Promise<Result> {
  // Prompt arguments must be strings, but models also write numbers and lists.
  const texts = Object.entries(args).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const { listed } = await findEntry('prompt', path, context);
  return context.getPrompt(String(listed['name']), Object.fromEntries(texts) as JsonObject);
}

function promptResult(result: JsonObject, facts: ProxyMeta): JsonObject {
  const path = String(facts.proxyPath);
  const uri = /^[\w.~:@!$&'()*+,;=/-]+$/.test(path) ? `proxy:${path}` : `urn:prompt:${encodeURIComponent(path)}`;
  return { content: [jsonItem(uri, result, { ...facts, pythonType: 'GetPromptResult' })] };
}

/**
 * Declares a JSON text of a resource as JSON and keeps its original type as `contentType`. Source: MCP Proxy Extension
 * 0.1.0, sections 3.2.2 and 4.2.
 */
export function objectify(resource: JsonObject): JsonObject {
  const { text, mimeType } = resource;
  if (typeof text !== 'string' || isJsonType(mimeType)) return resource;
  const value = tryParseJson(text);
  if (value === undefined) return resource;
  return {
    ...resource,
    mimeType: 'application/json',
    text: JSON.stringify(value),
    ...(mimeType !== undefined && { contentType: mimeType }),
  };
}

function isJsonType(mimeType: unknown): boolean {
  return typeof mimeType === 'string' && /^application\/json\s*(;|$)/i.test(mimeType);
}
