/** One server alone, names and texts untouched: what `/mcp/server/<name>` shows. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { shortName } from '../../base/shown-text.ts';
import { type CallerContext, type CallSteps, callTool } from '../../calls/call-tool.ts';
import { readArguments } from '../../calls/read-arguments.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { CatalogChange, IsToolOn, LiveCatalog } from '../../catalog/live-catalog.ts';
import type { Handshake } from '../../servers/handshake.ts';
import { emptyListing, type Listing, type ListKey } from '../../servers/listing.ts';
import type { ManagedServer } from '../../servers/managed-server.ts';
import { hasParamHeaders } from '../../servers/param-headers.ts';
import type { ServerSet } from '../../servers/server-manager.ts';
import type { Flow } from '../../trust/flow/flow.ts';
import { type Result, rpcCode, RpcError } from '../../wire/message.ts';
import { HeldLists, type Introduction, type SessionView } from '../session-view.ts';

interface ServerViewOptions {
  readonly server: string;
  readonly servers: ServerSet;
  readonly catalog: LiveCatalog;
  readonly steps: CallSteps;
  readonly isOn: IsToolOn;
  /** Whether there is that tool here; absent where every one is. */
  readonly hasTool?: ((server: string, definition: JsonObject) => boolean) | undefined;
  readonly settleMs: number;
  /** Remembers what is read besides answers of calls. */
  readonly flow: Pick<Flow, 'noteText'>;
}

const listKeys = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;

export class ServerView implements SessionView {
  readonly mode = 'server';
  readonly reason = undefined;
  readonly ownTools = [];
  readonly #options: ServerViewOptions;
  readonly #held = new HeldLists();

  constructor(options: ServerViewOptions) {
    this.#options = options;
  }

  get catalog(): LiveCatalog {
    return this.#options.catalog;
  }

  shows(server: string): boolean {
    return server === this.#options.server;
  }

  async introduce(): Promise<Introduction> {
    const { serverInfo, capabilities, instructions, raw } = await this.#handshake();
    const rest = Object.fromEntries(Object.entries(raw).filter(([key]) => !introductionKeys.has(key)));
    return { serverInfo, capabilities: withListChanged(capabilities), instructions, rest };
  }

  async list(key: ListKey): Promise<readonly JsonObject[]> {
    await this.#options.catalog.settled(this.#options.settleMs, this.#options.server);
    const server = this.#server();
    if (server.listedAt === undefined) await server.ready();
    return this.#held.hold(key, this.#shown(server.listing)[key]);
  }

  toolWithHeaders(name: string): JsonObject | undefined {
    const { tools } = this.#now();
    return tools.find((tool) => tool['name'] === name && hasParamHeaders(tool));
  }

  callTool(params: JsonObject, context: CallerContext): Promise<Result> {
    const { name, arguments: args, ...rest } = params;
    if (typeof name !== 'string') throw new RpcError(rpcCode.invalidParams, 'tools/call needs the name of a tool.');
    const request = { tool: name, server: this.#options.server, arguments: readArguments({ arguments: args }), rest };
    return callTool(request, context, { ...this.#options.steps, resolve: () => this.#entry(name) });
  }

  readResource(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#read('resources/read', params, params['uri'], context);
  }

  getPrompt(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#read('prompts/get', params, `the prompt ${String(params['name'])}`, context);
  }

  complete(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#server().request('completion/complete', params, context);
  }

  subscribe(uri: string, context: CallerContext): Promise<Result> {
    return this.#server().subscribe(uri, context);
  }

  unsubscribe(uri: string, context: CallerContext): Promise<Result> {
    return this.#server().unsubscribe(uri, context);
  }

  setLogLevel(level: string, context: CallerContext): Promise<void> {
    return this.#server().setLogLevel(level, context);
  }

  other(method: string, params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#server().request(method, params, context);
  }

  heard(method: string, params: JsonObject, sessionId: string): void {
    this.#server().notify(method, params, sessionId);
  }

  watch(): void {
    const listing = this.#now();
    for (const key of listKeys) this.#held.watch(key, listing[key]);
  }

  changedLists(): CatalogChange {
    const listing = this.#now();
    const [tools, prompts, resources, templates] = listKeys.map((key) => this.#held.differs(key, listing[key]));
    return { tools: tools === true, prompts: prompts === true, resources: resources === true || templates === true };
  }

  listedUri(_server: string, uri: string): string {
    return uri;
  }

  async #read(method: string, params: JsonObject, what: unknown, context: CallerContext): Promise<Result> {
    const { flow, server } = this.#options;
    const answer = await this.#server().request(method, params, context);
    flow.noteText(`${server}: ${String(what)}`, server, answer, context);
    return answer;
  }

  #now(): Listing {
    return this.#shown(this.#options.servers.find(this.#options.server)?.listing ?? emptyListing);
  }

  /** Untouched but for the tools that the person switched off. */
  #shown(listing: Listing): Listing {
    const { hasTool, isOn, server } = this.#options;
    const tools = listing.tools.filter((tool) => isOn(server, String(tool.name)) && hasTool?.(server, tool) !== false);
    return tools.length === listing.tools.length ? listing : { ...listing, tools };
  }

  #server(): ManagedServer {
    return this.#options.servers.get(this.#options.server);
  }

  async #handshake(): Promise<Handshake> {
    const server = this.#server();
    if (server.handshake === undefined) await server.ready();
    return server.handshake as Handshake;
  }

  /** A tool that no list shows is still the server's to refuse; where some are not there, nobody asks it. */
  #entry(name: string): CatalogEntry {
    const { hasTool, server: own } = this.#options;
    const known = this.#server().listing.tools.find((tool) => tool['name'] === name);
    const definition = known ?? { name };
    if (hasTool !== undefined && (known === undefined || !hasTool(own, known))) throw noTool(name, own);
    return { id: `${this.#options.server}:${name}`, server: this.#options.server, name, listedName: name, definition };
  }
}

function noTool(name: string, server: string): AppError {
  const text = `Unknown tool: ${JSON.stringify(shortName(name))} was not found on ${server}.`;
  return new AppError('tool_not_found', text, { fix: 'Look up the tools there are first.' });
}

/** Members of the answers to `initialize` and `server/discover` that are said anew for each session. */
const introductionKeys: ReadonlySet<string> = new Set([
  ...['protocolVersion', 'capabilities', 'serverInfo', 'instructions'],
  ...['resultType', 'supportedVersions', 'ttlMs', 'cacheScope'],
]);

/** We notice changes even where the server does not announce them. */
function withListChanged(capabilities: JsonObject): JsonObject {
  const changed = (['tools', 'resources', 'prompts'] as const).flatMap((key) => {
    const own = capabilities[key];
    return isObject(own) ? [[key, { ...own, listChanged: true }] as const] : [];
  });
  return { ...capabilities, ...Object.fromEntries(changed) };
}
