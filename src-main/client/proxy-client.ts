/**
 * Makes a `proxy` tool, Tooltray's or Magg's, look like direct access: lists, calls, reads, and gets as any MCP client
 * does. This file is published as `tooltray/client`: its declarations are shipped unchanged, so they must not
 * reference types of other files.
 */
import { proxyMetaKey } from '../compat/magg/proxy-meta.ts';

export type JsonObject = Record<string, unknown>;

export type ProxyType = 'tool' | 'resource' | 'prompt';

/** Timeout and progress callback, as in the SDK's clients. */
export interface ProxyCallOptions {
  /** In ms, per request; defaults to the client's own (60,000 in the SDK). */
  readonly timeout?: number;
  /** Whether progress restarts the timeout. */
  readonly resetTimeoutOnProgress?: boolean;
  /** In ms, regardless of progress. */
  readonly maxTotalTimeout?: number;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

/** The parts of a client used here; the SDK's `Client` matches, in versions 1 and 2. */
export interface ToolCaller {
  callTool(params: { name: string; arguments?: Record<string, unknown> }, ...rest: never[]): Promise<unknown>;
}

/** Additionally lists tools, to find a proxy. */
export interface ToolLister extends ToolCaller {
  listTools(params?: {
    cursor?: string;
  }): Promise<{ tools: readonly { name: string }[]; nextCursor?: string | undefined }>;
}

export interface ProxyClientOptions extends ProxyCallOptions {
  /** Default: `proxy`. */
  readonly toolName?: string;
}

/** One operation of `proxy()` or of a batch. */
export interface ProxyOperation {
  readonly action: 'list' | 'info' | 'call';
  readonly type: ProxyType;
  /** Name or URI, for `info` and `call`. */
  readonly path?: string;
  readonly args?: JsonObject;
}

/** Result of one operation of a batch. */
export interface BatchResult {
  readonly isError: boolean;
  readonly content: readonly JsonObject[];
}

type Call = { name: string; arguments?: JsonObject | undefined };

/** Maximum page size of a proxy. */
const pageSize = 1000;
/** Parameters that identify a proxy tool regardless of its name. */
const ownParameters = ['action', 'type', 'path'];

/** Every method rejects with the proxy's error message if the proxy returns an error; `callTool` returns it instead. */
export class ProxyClient {
  readonly #client: ToolCaller;
  readonly #toolName: string;
  readonly #defaults: ProxyCallOptions;

  constructor(client: ToolCaller, { toolName = 'proxy', ...usual }: ProxyClientOptions = {}) {
    this.#client = client;
    this.#toolName = toolName;
    this.#defaults = usual;
  }

  /**
   * Finds the server's proxy tool: the one named `proxy`, else one with that suffix (`magg_proxy`,
   * `mcp:proxy`) that accepts `action`, `type`, and `path`. undefined if there is none.
   */
  static async detect(client: ToolLister, options: ProxyCallOptions = {}): Promise<ProxyClient | undefined> {
    const tools: { name: string; inputSchema?: unknown }[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? undefined : { cursor });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    const named = tools.filter(({ name, inputSchema }) => /(?:^|[^a-z0-9])proxy$/i.test(name) && isProxy(inputSchema));
    const found = named.find(({ name }) => name === 'proxy') ?? named[0];
    return found === undefined ? undefined : new ProxyClient(client, { ...options, toolName: found.name });
  }

  async listTools(options?: ProxyCallOptions): Promise<{ tools: JsonObject[] }> {
    return { tools: await this.#list('tool', options) };
  }

  async listPrompts(options?: ProxyCallOptions): Promise<{ prompts: JsonObject[] }> {
    return { prompts: await this.#list('prompt', options) };
  }

  async listResources(options?: ProxyCallOptions): Promise<{ resources: JsonObject[] }> {
    return { resources: (await this.#list('resource', options)).filter((entry) => !isTemplate(entry)) };
  }

  async listResourceTemplates(options?: ProxyCallOptions): Promise<{ resourceTemplates: JsonObject[] }> {
    return { resourceTemplates: (await this.#list('resource', options)).filter(isTemplate) };
  }

  /** The full definition of a tool, resource, or prompt, by name or URI. */
  async info(type: ProxyType, path: string, options?: ProxyCallOptions): Promise<JsonObject> {
    const [item] = await this.#items({ action: 'info', type, path: required(path) }, options);
    const value = valueOf(item);
    if (isObject(value)) return value;
    throw new Error(`The proxy told nothing of ${JSON.stringify(path)}.`);
  }

  /** The tool's own result, without metadata added by the proxy. A string name may be followed by the arguments. */
  async callTool(call: Call | string, args?: JsonObject, options?: ProxyCallOptions): Promise<JsonObject> {
    const { name, arguments: given } = named(call, args);
    const input = { action: 'call', type: 'tool', path: required(name), ...(given && { args: given }) };
    const result = await this.#call(input, options);
    return { ...result, content: itemsOf(result).map(plainItem) };
  }

  /** Reads a resource by URI or name. JSON reformatted by the proxy keeps that format; its MIME type is restored. */
  async readResource(
    resource: { uri: string } | string,
    options?: ProxyCallOptions,
  ): Promise<{ contents: JsonObject[] }> {
    const path = required(typeof resource === 'string' ? resource : resource.uri);
    const items = await this.#items({ action: 'call', type: 'resource', path }, options);
    return { contents: items.flatMap((item) => (isObject(item['resource']) ? [ownType(item)] : [])) };
  }

  async getPrompt(call: Call | string, args?: JsonObject, options?: ProxyCallOptions): Promise<JsonObject> {
    const { name, arguments: given } = named(call, args);
    const input = { action: 'call', type: 'prompt', path: required(name), ...(given && { args: given }) };
    const [item] = await this.#items(input, options);
    const value = valueOf(item);
    if (isObject(value)) return value;
    throw new Error(`The proxy gave no prompt for ${JSON.stringify(name)}.`);
  }

  /** Magg's own call: the content items with the proxy's metadata. */
  async proxy(
    type: ProxyType,
    action: ProxyOperation['action'],
    path?: string,
    args?: JsonObject,
    options?: ProxyCallOptions,
  ): Promise<JsonObject[]> {
    return this.#items({ action, type, ...(path !== undefined && { path }), ...(args && { args }) }, options);
  }

  /** Several operations in one request, in order. A failed operation does not stop the others. */
  async batch(operations: readonly ProxyOperation[], options?: ProxyCallOptions): Promise<BatchResult[]> {
    const [first] = operations;
    if (first === undefined) return [];
    const result = await this.#call({ action: 'batch', type: first.type, operations }, options);
    const items = itemsOf(result);
    const isMarked = items.some((item) => 'operation' in proxyFactsOf(item));
    if (!isMarked) throw new Error(textOf(items) || 'The proxy knows no batch.');
    return operations.map((_, at) => {
      const own = items.filter((item) => {
        const { operation, isHeading } = proxyFactsOf(item);
        return operation === at && isHeading !== true;
      });
      return { isError: own.some((item) => proxyFactsOf(item)['isError'] === true), content: own };
    });
  }

  async #list(type: string, options: ProxyCallOptions | undefined): Promise<JsonObject[]> {
    const entries: JsonObject[] = [];
    for (;;) {
      const [item] = await this.#items({ action: 'list', type, limit: pageSize, offset: entries.length }, options);
      const value = valueOf(item);
      const page = Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];
      entries.push(...page);
      if (page.length === 0 || entries.length >= Number(proxyFactsOf(item ?? {})['totalCount'] ?? 0)) return entries;
    }
  }

  async #items(input: JsonObject, options: ProxyCallOptions | undefined): Promise<JsonObject[]> {
    const result = await this.#call(input, options);
    const items = itemsOf(result);
    if (result['isError'] !== true) return items;
    throw new Error(textOf(items));
  }

  async #call(input: JsonObject, options: ProxyCallOptions | undefined): Promise<JsonObject> {
    const wanted = { ...this.#defaults, ...options };
    const params = { name: this.#toolName, arguments: input };
    const call = this.#client.callTool.bind(this.#client) as (...given: unknown[]) => Promise<unknown>;
    // In version 1 of the SDK a schema precedes the options, and both last parameters have defaults.
    const isOld = this.#client.callTool.length === 1;
    const rest = Object.keys(wanted).length === 0 ? [] : isOld ? [undefined, wanted] : [wanted];
    const result = await call(params, ...rest);
    return isObject(result) ? result : {};
  }
}

function named(call: Call | string, args: JsonObject | undefined): Call {
  return typeof call === 'string' ? { name: call, arguments: args } : call;
}

/** Without a name, the proxy would report an error about a `path` that the caller never wrote. */
function required(name: string): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new Error('The name is missing: give { name } or { uri }, or the name itself as the first argument.');
}

function isProxy(schema: unknown): boolean {
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
  return ownParameters.every((name) => Object.hasOwn(properties, name));
}

function itemsOf({ content }: JsonObject): JsonObject[] {
  return Array.isArray(content) ? (content as unknown[]).filter(isObject) : [];
}

function textOf(items: readonly JsonObject[]): string {
  return items.map((item) => item['text']).join('\n');
}

function isTemplate(entry: JsonObject): boolean {
  // Magg includes every possible field of a definition, null if absent.
  return typeof entry['uriTemplate'] === 'string';
}

function valueOf(item: JsonObject | undefined): unknown {
  const resource = item?.['resource'];
  return isObject(resource) && typeof resource['text'] === 'string' ? JSON.parse(resource['text']) : undefined;
}

function ownType(item: JsonObject): JsonObject {
  const { contentType = proxyFactsOf(item)['contentType'], ...resource } = item['resource'] as JsonObject;
  return contentType === undefined ? resource : { ...resource, mimeType: contentType };
}

// A content item of a proxy's result: the proxy's metadata, and the item without it.

type Members = Record<string, unknown>;

const ownAnnotations: ReadonlySet<string> = new Set(['proxyAction', 'proxyType', 'proxyPath']);

/** The core's own check requires a newer Node.js; this library runs in users' programs. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** From `_meta`, which clients keep; a proxy that writes none has the metadata in the annotations. */
export function proxyFactsOf({ _meta, annotations }: Members): Members {
  const facts = isObject(_meta) ? _meta[proxyMetaKey] : undefined;
  if (isObject(facts)) return facts;
  return isObject(annotations) ? annotations : {};
}

export function plainItem({ annotations, _meta, ...item }: Members): Members {
  return {
    ...item,
    ...omit('annotations', annotations, (key) => ownAnnotations.has(key)),
    ...omit('_meta', _meta, (key) => key === proxyMetaKey),
  };
}

/** The member without these keys, or nothing if it had no others. */
function omit(name: string, value: unknown, isOurs: (key: string) => boolean): Members {
  const rest = Object.entries(isObject(value) ? value : {}).filter(([key]) => !isOurs(key));
  return rest.length === 0 ? {} : { [name]: Object.fromEntries(rest) };
}
