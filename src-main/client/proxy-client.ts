/**
 * Makes a `proxy` tool, ours or Magg's, look like direct access: lists, calls, reads and gets as any MCP client does.
 * This file is `tooltray/client`: its declarations are shipped as they stand here, so they name nothing of another file.
 */
import { isObject, plainItem, proxyFactsOf } from './proxy-item.ts';

export type JsonObject = Record<string, unknown>;

/** What is needed of a client: the SDK's `Client` fits. */
export interface ToolCaller {
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
}

export interface ProxyClientOptions {
  /** `proxy` unless the server lists it under another name. */
  readonly toolName?: string;
}

/** The most that a proxy gives at a time. */
const pageSize = 1000;

/** Every method rejects with Error, in the words of the proxy, where the proxy answers with an error; `callTool` returns it. */
export class ProxyClient {
  readonly #client: ToolCaller;
  readonly #toolName: string;

  constructor(client: ToolCaller, { toolName = 'proxy' }: ProxyClientOptions = {}) {
    this.#client = client;
    this.#toolName = toolName;
  }

  async listTools(): Promise<{ tools: JsonObject[] }> {
    return { tools: await this.#list('tool') };
  }

  async listPrompts(): Promise<{ prompts: JsonObject[] }> {
    return { prompts: await this.#list('prompt') };
  }

  async listResources(): Promise<{ resources: JsonObject[] }> {
    return { resources: (await this.#list('resource')).filter((entry) => !isTemplate(entry)) };
  }

  async listResourceTemplates(): Promise<{ resourceTemplates: JsonObject[] }> {
    return { resourceTemplates: (await this.#list('resource')).filter(isTemplate) };
  }

  /** The tool's own answer, without what the proxy wrote onto it. */
  async callTool({ name, arguments: args }: { name: string; arguments?: JsonObject }): Promise<JsonObject> {
    const result = await this.#ask({ action: 'call', type: 'tool', path: name, ...(args && { args }) });
    return { ...result, content: itemsOf(result).map(plainItem) };
  }

  /** JSON that the proxy has tidied up stays so; its type is the resource's own again. */
  async readResource({ uri }: { uri: string }): Promise<{ contents: JsonObject[] }> {
    const items = await this.#items({ action: 'call', type: 'resource', path: uri });
    return { contents: items.flatMap((item) => (isObject(item['resource']) ? [ownType(item)] : [])) };
  }

  async getPrompt({ name, arguments: args }: { name: string; arguments?: JsonObject }): Promise<JsonObject> {
    const [item] = await this.#items({ action: 'call', type: 'prompt', path: name, ...(args && { args }) });
    const value = valueOf(item);
    if (isObject(value)) return value;
    throw new Error(`The proxy gave no prompt for ${JSON.stringify(name)}.`);
  }

  async #list(type: string): Promise<JsonObject[]> {
    const entries: JsonObject[] = [];
    for (;;) {
      const [item] = await this.#items({ action: 'list', type, limit: pageSize, offset: entries.length });
      const value = valueOf(item);
      const page = Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];
      entries.push(...page);
      if (page.length === 0 || entries.length >= Number(proxyFactsOf(item ?? {})['totalCount'] ?? 0)) return entries;
    }
  }

  async #items(input: JsonObject): Promise<JsonObject[]> {
    const result = await this.#ask(input);
    const items = itemsOf(result);
    if (result['isError'] !== true) return items;
    throw new Error(items.map((item) => item['text']).join('\n'));
  }

  async #ask(input: JsonObject): Promise<JsonObject> {
    const result = await this.#client.callTool({ name: this.#toolName, arguments: input });
    return isObject(result) ? result : {};
  }
}

function itemsOf({ content }: JsonObject): JsonObject[] {
  return Array.isArray(content) ? (content as unknown[]).filter(isObject) : [];
}

function isTemplate(entry: JsonObject): boolean {
  // Magg writes every member a definition could have, as null where it has none.
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
