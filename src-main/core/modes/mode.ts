/**
 * A mode defines which tools a session is shown, and the instructions that introduce them. It sees a catalog and
 * cannot reach a server.
 */
import type { HelperKind } from '../activity/ledger/ledger-entry.ts';
import type { ModelAdmin } from '../admin/server-admin.ts';
import type { ChangeAuthor } from '../admin/server-change.ts';
import type { JsonObject } from '../base/json.ts';
import type { CallRequest } from '../calls/call-tool.ts';
import type { AwaitRequest } from '../calls/slow-calls.ts';
import { type Catalog, type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { isTooltrayUri } from '../catalog/resource-uris.ts';
import type { ToolFinder } from '../catalog/tool-finder.ts';
import type { DescriptionReader, DescriptionStore } from '../condense/description-store.ts';
import { leanSchema } from '../condense/lean-schema.ts';
import { shapeSchema } from '../condense/shape-schema.ts';
import type { CodeSettings, CondenseLevel, RetrieveSettings, ToolFilter } from '../config/app-config.ts';
import type { autoMode, ModeName } from '../config/mode-names.ts';
import type { CodeRunner } from '../code-runner/code-runner.ts';
import type { SearchIndex } from '../search/search-index.ts';
import type { SpillFiles } from '../spills/spill-queries.ts';
import type { Result } from '../wire/message.ts';

/** Maximum length of instructions, in characters; Claude Code truncates longer ones. */
export const maxInstructions = 2048;

export interface ModeView {
  readonly catalog: Catalog;
  readonly index: SearchIndex;
  /** How much of a tool's definition is shown. */
  readonly level: CondenseLevel;
  /** Cache of shaped schemas. */
  readonly shapes?: RenderCache;
  /** A tool's first use in a session returns its description and schema, as in ToolMux. */
  readonly firstUse?: boolean;
  /** Whether a large result may be spilled and replaced by a summary. */
  readonly spills?: boolean;
  /** Whether a slow call may be answered with a handle. */
  readonly handles?: boolean;
  /** Whether the user permits programs; default: true. */
  readonly programs?: boolean;
  /** Rewritten tool descriptions. */
  readonly descriptions: DescriptionReader;
  /**
   * Tools with a user interface that are listed in every mode: their number, their tokens, and how many did not fit.
   */
  readonly views?: { readonly count: number; readonly tokens: number; readonly leftOut: number } | undefined;
}

/** The tools of servers, and ways to wait for them. */
export interface ServerAccess {
  /** The current catalog, which may change during a wait. */
  readonly catalog: Catalog;
  /** Resolves names now, whatever the servers' status, and explains those that cannot be called. Never waits. */
  readonly finder: ToolFinder;
  /**
   * Resolves a spelling to a tool, and waits for its server while it starts. Rejects with AppError if it cannot be
   * called.
   */
  readonly awaitTool: (spelling: string, server?: string) => Promise<CatalogEntry>;
  /** Resolves when a server's tools are known. Rejects with AppError: its state, or `server_not_found`. */
  readonly awaitServer: (handle: string) => Promise<void>;
  /**
   * Resolves when the tools of all servers are known, or after their time limit; for helper tools that show several
   * servers.
   */
  readonly settled: () => Promise<void>;
  /** Lists the tools of this server, or of all, again; resolves with the new view. Never rejects. */
  readonly refresh: (server?: string) => Promise<ModeView>;
}

/** Calls of servers through the pipeline. */
interface CallAccess {
  /** Any tool of any server, through the pipeline. */
  readonly callTool: (request: CallRequest) => Promise<Result>;
  /** Reads a resource by its listed URI. Rejects with RpcError -32602 if there is none. */
  readonly readResource: (uri: string) => Promise<Result>;
  /** Gets a prompt by any spelling. Rejects with RpcError -32602 if there is none. */
  readonly getPrompt: (name: string, args: JsonObject | undefined) => Promise<Result>;
  /** Waits for a call that was answered with a handle. Rejects with AppError `not_found`. */
  readonly awaitCall: (wish: AwaitRequest) => Promise<Result>;
  readonly signal: AbortSignal;
}

/** Runs code of models. */
interface ProgramAccess {
  /** Runs code that the model wrote. */
  readonly sandbox: Pick<CodeRunner, 'run' | 'prewarm'>;
  /** Helper tools that programs may call as functions. */
  readonly programTools: ReadonlyMap<string, HelperTool>;
  /** Whether programs are enabled, and their time limit. */
  readonly code: CodeSettings;
}

/** Everything that a call of a helper tool may use. */
export interface HelperContext extends ModeView, ServerAccess, CallAccess, ProgramAccess {
  /** The mode of the session. */
  readonly mode: string;
  /** How a model calls any tool in that mode. */
  readonly callLine: (tool: string, args: JsonObject) => string;
  /** Files of spilled results. */
  readonly spillFiles: SpillFiles;
  /** Maximum length of a text in a result for the client app, in bytes (UTF-8). */
  readonly maxTextLength: number;
  /** Default output of retrieve_tools. */
  readonly retrieve: RetrieveSettings;
  /** Filter for the tools that `proxy-dispatch` may show and call. */
  readonly toolFilter: ToolFilter;
  /** Whether `proxy-dispatch` returns results whole, as in mini-a. */
  readonly fullResults?: boolean;
  /** Servers: their facts, and changes under the policy. A model cannot approve changes. */
  readonly admin: ModelAdmin;
  readonly descriptions: DescriptionStore;
  /** The author for `admin.request`; `tool` is the helper tool's own name. */
  readonly author: ChangeAuthor;
  /** Ids of this user's recently used tools. */
  readonly usedTools: () => ReadonlySet<string>;
  /** Items that this session has been shown. */
  readonly memory: ShownItems;
}

/** A helper tool of Tooltray. */
export interface HelperTool {
  /** The listed definition: name, description, inputSchema, annotations. */
  readonly definition: JsonObject & { readonly name: string };
  /** Purpose of its use in the ledger and steps; depends on the input if the tool serves several. */
  readonly kind: HelperKind | ((input: JsonObject) => HelperKind);
  /** Whether programs may call it as a function. */
  readonly inPrograms?: true;
  /** Whether it changes servers; listed only if `exposeAdmin` is set in the config. */
  readonly admin?: boolean;
  /** Whether its output can be of any size (a program's output, a batch of results); if too large, it is spilled. */
  readonly spills?: boolean;
  /**
   * Whether it serves the session's own results, so that helper tools that call others can call it even if it is not
   * listed.
   */
  readonly reachable?: boolean;
  /** Throws AppError; the session turns it into a result that the model can read. */
  run(input: JsonObject, context: HelperContext): Promise<Result>;
}

export interface Mode {
  readonly name: ModeName | typeof autoMode;
  /** A one-line description for menus and settings. */
  readonly line: string;
  /** Helper tools of the mode; listed first, and callable in every mode. */
  readonly helpers: readonly HelperTool[];
  /**
   * Helper tools that depend on the catalog (gateway has one per server). Callable in every mode, after servers'
   * tools.
   */
  find?(name: string, view: ModeView): HelperTool | undefined;
  /** Whether one of its helper tools reads resources, so that `read_resource` is not listed. */
  readonly readsResources?: boolean;
  /** Whether its list is independent of the servers. */
  readonly fixedList?: boolean;
  /**
   * Whether its list has an entry per server regardless of its tools, so that it waits for none; it changes as servers
   * start.
   */
  readonly listsAtOnce?: boolean;
  /** Maps tools that represent a server to its name. */
  serversByTool?(catalog: Catalog): ReadonlyMap<string, string>;
  /** Tools that are listed in addition to the helper tools. */
  listed(view: ModeView): readonly JsonObject[];
  /** How a model writes a call of any tool in this mode. */
  readonly callLine: (tool: string, args: JsonObject) => string;
  /** Resources of our own that are listed in addition to those of servers. */
  readonly resources?: readonly OwnResource[];
  /** At most `maxInstructions` characters, the most important first. */
  instructions(view: ModeView): string;
}

/** A resource of our own: readable in every mode, listed by modes that include it. */
export interface OwnResource {
  /** The listed definition: `uri` or `uriTemplate`, name, mimeType. */
  readonly definition: JsonObject;
  /** The content of the URI; undefined if it does not belong to this resource, or does not exist. */
  read(uri: string, context: HelperContext): Promise<JsonObject | undefined>;
}

/** The content of a URI of ours; undefined for any other. */
export async function readOwnResource(
  resources: readonly OwnResource[],
  uri: string,
  context: HelperContext,
): Promise<JsonObject | undefined> {
  if (!isTooltrayUri(uri)) return undefined;
  for (const resource of resources) {
    const content = await resource.read(uri, context);
    if (content !== undefined) return content;
  }
  return undefined;
}

// Items that a session has been shown, so that they are not repeated. Bounded; the oldest are dropped first.

const maxShownItems = 20_000;

export class ShownItems {
  readonly #seen = new Set<string>();

  has(kind: string, id: string): boolean {
    return this.#seen.has(`${kind} ${id}`);
  }

  /** Records an item of a kind (a tool's description, its schema); returns whether it was recorded before. */
  markShown(kind: string, id: string): boolean {
    if (this.has(kind, id)) return true;
    this.#seen.add(`${kind} ${id}`);
    const [oldest] = this.#seen;
    if (this.#seen.size > maxShownItems && oldest !== undefined) this.#seen.delete(oldest);
    return false;
  }
}

/** Caches what lists show of a definition, because a list is rendered at each request and to detect changes. One per session. */
export class RenderCache {
  readonly #texts = new WeakMap<JsonObject, Map<string, string>>();
  readonly #known = { shape: new WeakMap<JsonObject, JsonObject>(), lean: new WeakMap<JsonObject, JsonObject>() };

  of(definition: JsonObject, level: 'shape' | 'lean'): JsonObject {
    const known = this.#known[level];
    const schema = known.get(definition) ?? shaped(definition, level);
    known.set(definition, schema);
    return schema;
  }

  /** A text that `make` derives from the definition. `kind`: which one. */
  text(definition: JsonObject, kind: string, make: () => string): string {
    const texts = this.#texts.get(definition) ?? new Map<string, string>();
    this.#texts.set(definition, texts);
    const text = texts.get(kind) ?? make();
    texts.set(kind, text);
    return text;
  }
}

function shaped(definition: JsonObject, level: 'shape' | 'lean'): JsonObject {
  const schema = shapeSchema(usableSchema(definition), level === 'lean');
  return level === 'lean' ? leanSchema(schema) : schema;
}
