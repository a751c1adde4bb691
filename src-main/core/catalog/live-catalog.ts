/** The current catalog: rebuilt when a server's listing changes, announced only if something differs. */
import { Emitter } from '../base/emitter.ts';
import type { JsonObject } from '../base/json.ts';
import type { AppConfig, ConfigProblem } from '../config/app-config.ts';
import { isToolEnabled } from '../config/tool-names.ts';
import { SearchIndex } from '../search/search-index.ts';
import type { SearchDocument } from '../search/search-document.ts';
import { awaitStart, persistentProblem } from '../servers/server-availability.ts';
import type { CallContext } from '../servers/in-flight-calls.ts';
import type { Listing } from '../servers/listing.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import type { ServerSet } from '../servers/server-manager.ts';
import { buildCatalog, type Catalog, type CatalogEntry } from './catalog.ts';
import { isSameJson } from '../trust/canonical-json.ts';
import type { CatalogResource } from './resource-uris.ts';
import { isVisibleTo } from '../servers/ui-metadata.ts';
import { invalidServer, type ConfiguredServer, type UnavailableTool, ToolFinder } from './tool-finder.ts';

export interface CatalogChange {
  readonly tools: boolean;
  readonly resources: boolean;
  readonly prompts: boolean;
}

/** Whether the user enabled a tool; `tool`: the server's own name. */
export type IsToolEnabled = (server: string, tool: string) => boolean;

/** The same for the current servers. */
export function createToolEnablement(servers: () => AppConfig['servers']): IsToolEnabled {
  return (server, tool) => isToolEnabled({ servers: servers() }, server, tool);
}

/** Whether the tool exists; a tool that does not exist is reported nowhere. */
type HasTool = (server: string, definition: JsonObject) => boolean;

interface LiveCatalogOptions {
  readonly servers: ServerSet;
  /** Names of our own tools, which tools of servers must not have. */
  readonly reserved: ReadonlySet<string>;
  readonly isOn: IsToolEnabled;
  readonly problems: () => readonly ConfigProblem[];
  /** See ToolFinder. */
  readonly knownFix?: ((server: string) => string | undefined) | undefined;
  /** Absent if every tool exists. */
  readonly hasTool?: HasTool;
  /** Whether the apps show user interfaces. */
  readonly showsViews?: boolean;
}

export class LiveCatalog {
  readonly changed = new Emitter<CatalogChange>();
  readonly index = new SearchIndex();
  /** Resolves names, and explains those that cannot be called. */
  readonly finder: ToolFinder;
  readonly #servers: ServerSet;
  readonly #reserved: ReadonlySet<string>;
  readonly #isOn: IsToolEnabled;
  readonly #has: HasTool | undefined;
  readonly #aliases = new ServerAliases();
  readonly #showsViews: boolean;
  readonly #stops: readonly (() => void)[];
  /** The tools for models, by a list that also contains others. */
  readonly #modelTools = new WeakMap<Listing['tools'], Listing['tools']>();
  #current: Catalog = buildCatalog([], new Set());
  /** Which servers were unavailable when the catalog was built. */
  #stood = '';

  constructor({ servers, reserved, isOn, problems, knownFix, hasTool, showsViews = false }: LiveCatalogOptions) {
    this.#has = hasTool;
    this.#showsViews = showsViews;
    this.#servers = servers;
    this.#reserved = reserved;
    this.#isOn = isOn;
    this.finder = new ToolFinder({
      catalog: () => this.#current,
      index: this.index,
      servers: () => [...servers.all.map((server) => this.#known(server)), ...flawed(servers, problems())],
      isOn,
      configProblem: () => wholeFileSentence(problems()),
      pause: (server) => servers.pausedError(server),
      knownFix,
    });
    this.#stops = [
      servers.listingChanged.on(() => this.rebuild()),
      servers.changed.on(() => {
        if (this.#fingerprint() !== this.#stood) this.rebuild();
      }),
    ];
  }

  /** Called when no session uses it any more; the catalog then stays unchanged. */
  dispose(): void {
    for (const stop of this.#stops) stop();
  }

  get current(): Catalog {
    return this.#current;
  }

  /** Whether every server has a listing, has failed, or has had `ms` to respond. */
  isSettled(ms: number, only?: string): boolean {
    return this.#remainingMs(ms, only) === 0;
  }

  /** Resolves when the catalog is settled, or when `isSo` is true. */
  settled(ms: number, only?: string, isSo: () => boolean = () => false): Promise<void> {
    return this.#until(() => isSo() || this.isSettled(ms, only), this.#remainingMs(ms, only));
  }

  /** Resolves when `isSo` is true, which is checked after each change of a server, or after `ms`. */
  async #until(isSo: () => boolean, ms: number): Promise<void> {
    if (ms === 0 || isSo()) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const timer = setTimeout(done, ms);
      const look = (): void => {
        if (isSo()) done();
      };
      const listening = [this.#servers.changed.on(look), this.#servers.listingChanged.on(look)];
      const stop = (): void => listening.forEach((end) => end());
    });
  }

  /** Returns the remaining wait in ms: no server gets more than `ms` from its start, however often it is requested. */
  #remainingMs(ms: number, only: string | undefined): number {
    if (!this.#servers.isConfigLoaded) return ms;
    const waited = this.#servers.all.filter((server) => only === undefined || server.config.name === only);
    return Math.max(0, ...waited.map((server) => pendingMs(server, ms)));
  }

  /**
   * Resolves a spelling to a tool. Waits for a named server while it starts, up to its start timeout; `ms` applies to
   * the config only. Rejects with AppError if the tool cannot be called.
   */
  async awaitTool(
    spelling: string,
    server: string | undefined,
    ms: number,
    context: Pick<CallContext, 'signal' | 'onProgress'>,
  ): Promise<CatalogEntry> {
    let found = this.finder.tryFind(spelling, server);
    if ('missing' in found && !this.#servers.isConfigLoaded) {
      await this.configLoaded(ms);
      found = this.finder.tryFind(spelling, server);
    }
    if ('missing' in found && found.coming) await this.#arrival(found, context);
    return this.finder.find(spelling, server);
  }

  /** Resolves when a server's tools are known, within its start timeout. Rejects with AppError: its state. */
  async awaitServer(handle: string, ms: number, context: Pick<CallContext, 'signal' | 'onProgress'>): Promise<void> {
    await this.configLoaded(ms);
    const { finder } = this;
    const isListed = (): boolean => {
      const known = finder.server(handle);
      return known?.config.enabled === true && known.listedAt !== undefined;
    };
    if (isListed()) return;
    if (finder.unavailability(handle)?.coming === true) {
      await this.#arrival({ server: finder.server(handle)?.config.name }, context);
    }
    const absence = isListed() ? undefined : finder.unavailability(handle);
    if (absence !== undefined) throw absence.error;
  }

  /** Resolves when the configured servers are known, including cached listings; after `ms` at the latest. */
  configLoaded(ms: number): Promise<void> {
    return this.#until(() => this.#servers.isConfigLoaded, ms);
  }

  /** Waits for a server to start. Its state reports a failure. */
  async #arrival(
    { server }: Pick<UnavailableTool, 'server'>,
    context: Pick<CallContext, 'signal' | 'onProgress'>,
  ): Promise<void> {
    const meant = this.#servers.find(server ?? '');
    if (meant === undefined) return;
    const { name, initTimeoutMs } = meant.config;
    await awaitStart(
      name,
      initTimeoutMs,
      meant.ready().catch(() => undefined),
      context,
    );
  }

  /** Call it when tools were enabled or disabled. */
  rebuild(): void {
    const before = this.#current;
    const shown = this.#servers.all.filter((server) => server.config.enabled);
    const listed = shown.map((server) => ({
      name: server.config.name,
      prefix: server.config.prefix,
      listing: this.#switched(server),
      instructions: server.handshake?.instructions,
      down: persistentProblem(server.state),
    }));
    this.#stood = this.#fingerprint();
    // Disabled servers have aliases, too, so that those stay the same when they are enabled.
    const aliases = this.#aliases.assign(this.#servers.all.map((server) => server.config.name));
    this.#current = buildCatalog(listed, this.#reserved, aliases, this.#showsViews);
    this.#reindex(before);
    const change = {
      tools: !sameEntries(before.tools, this.#current.tools) || !sameEntries(before.viewTools, this.#current.viewTools),
      prompts: !sameEntries(before.prompts, this.#current.prompts),
      resources: !sameResources(before, this.#current),
    };
    if (change.tools || change.prompts || change.resources) this.changed.emit(change);
  }

  #fingerprint(): string {
    return this.#servers.all.map(({ config, state }) => `${config.name} ${persistentProblem(state) ?? ''}`).join('\n');
  }

  /** The server's listing without disabled tools. */
  #switched(server: ManagedServer): Listing {
    const { config, listing } = server;
    const has = this.#has;
    const isThere = (tool: JsonObject): boolean => has?.(config.name, tool) !== false;
    const tools = listing.tools.filter((tool) => this.#isOn(config.name, String(tool['name'])) && isThere(tool));
    return tools.length === listing.tools.length ? listing : { ...listing, tools };
  }

  /** The server as name resolution sees it, without tools that are hidden from models. */
  #known(server: ManagedServer): ConfiguredServer {
    const has = this.#has;
    const { config, state, listing, listedAt } = server;
    const all = this.#forModels(listing.tools);
    if (has === undefined && all === listing.tools) return server;
    const tools = has === undefined ? all : all.filter((tool) => has(config.name, tool));
    const known = { config, state, listing: { ...listing, tools }, listedAt };
    return has === undefined ? { ...known, pins: server.pins } : known;
  }

  #forModels(tools: Listing['tools']): Listing['tools'] {
    const known = this.#modelTools.get(tools);
    if (known !== undefined) return known;
    const visible = tools.filter((tool) => isVisibleTo('model', tool));
    const shown = visible.length === tools.length ? tools : visible;
    this.#modelTools.set(tools, shown);
    return shown;
  }

  #reindex(before: Catalog): void {
    for (const name of before.servers) if (!this.#current.servers.includes(name)) this.index.removeServer(name);
    for (const name of this.#current.servers) {
      const [old, now] = [before.lookup.tools.byServer(name), this.#current.lookup.tools.byServer(name)];
      if (!sameEntries(old, now) || !before.servers.includes(name)) this.index.replaceServer(name, now.map(toDocument));
    }
  }
}

/** The part of `ms` left to wait for a server's first listing; 0 if the server has failed before. */
function pendingMs({ config, state, listedAt }: ManagedServer, ms: number): number {
  if (!config.enabled || listedAt !== undefined) return 0;
  if (state.kind === 'disconnected') return ms;
  if (state.kind !== 'connecting' && state.kind !== 'discovering') return 0;
  return state.failures > 0 ? 0 : Math.max(0, state.since + ms - Date.now());
}

/** Entries that could not be parsed, by their first problem. */
function flawed(servers: ServerSet, problems: readonly ConfigProblem[]): ConfiguredServer[] {
  const first = new Map<string, string>();
  for (const { severity, server, reason } of problems) {
    if (severity !== 'error' || server === undefined || servers.find(server) !== undefined) continue;
    if (!first.has(server)) first.set(server, reason);
  }
  return [...first].map(([server, reason]) => invalidServer(server, reason));
}

/** For models: the servers in use are those of the last valid config, or none. */
function wholeFileSentence(problems: readonly ConfigProblem[]): string | undefined {
  const found = problems.find(
    ({ severity, path, server }) => severity === 'error' && path === '' && server === undefined,
  );
  if (found === undefined) return undefined;
  return `The configuration file of Tooltray has an error on line ${found.line}: ${found.reason} Tell the user to correct it.`;
}

function toDocument({ id, server, name, definition, down }: CatalogEntry): SearchDocument {
  const { title, inputSchema } = definition;
  const text = definition['description'];
  const description = typeof text === 'string' && down !== undefined ? text.slice(down.length + 2) : text;
  return {
    id,
    server,
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema,
  };
}

function sameEntries(a: readonly CatalogEntry[], b: readonly CatalogEntry[]): boolean {
  return (
    a.length === b.length &&
    a.every(
      (entry, i) =>
        entry.listedName === b[i]?.listedName && entry.id === b[i]?.id && isSameJson(entry.definition, b[i].definition),
    )
  );
}

function sameResources(a: Catalog, b: Catalog): boolean {
  const equal = (x: readonly CatalogResource[], y: readonly CatalogResource[]): boolean =>
    x.length === y.length &&
    x.every((entry, i) => entry.listedUri === y[i]?.listedUri && isSameJson(entry.definition, y[i]?.definition));
  return (
    equal(a.resources, b.resources) && equal(a.resourceTemplates, b.resourceTemplates) && equal(a.skills, b.skills)
  );
}

/** The short names `c1`, `c2` … of servers: in config order, and never reassigned while the core runs. */
export class ServerAliases {
  readonly #given = new Map<string, string>();

  /** The aliases of these servers; new ones get the next numbers. */
  assign(servers: readonly string[]): ReadonlyMap<string, string> {
    for (const name of servers) {
      if (!this.#given.has(name)) this.#given.set(name, `c${this.#given.size + 1}`);
    }
    return new Map(servers.map((name) => [name, this.#given.get(name) as string]));
  }
}
