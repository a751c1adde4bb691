/**
 * A mode: which tools a session sees, and the text that introduces them. It sees a catalog and cannot reach a server.
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

/** Longest instructions in characters: Claude Code cuts what is longer. */
export const maxInstructions = 2048;

export interface ModeView {
  readonly catalog: Catalog;
  readonly index: SearchIndex;
  /** How much of servers' tools is shown. */
  readonly level: CondenseLevel;
  /** Cache of shaped schemas. */
  readonly shapes?: ShapedSchemaCache;
  /** A tool's first use in a session returns its description and schema, as in ToolMux. */
  readonly firstUse?: boolean;
  /** A long answer may be kept on disk and a summary be given in its place. */
  readonly spills?: boolean;
  /** A call that takes long may be answered with a handle. */
  readonly handles?: boolean;
  /** The user lets programs run; absent: yes. */
  readonly programs?: boolean;
  /** Short texts that were written for tools. */
  readonly descriptions: DescriptionReader;
  /**
   * Tools with a user interface that are listed as themselves whatever the mode: how many, their tokens, and how many
   * found no room.
   */
  readonly views?: { readonly count: number; readonly tokens: number; readonly leftOut: number } | undefined;
}

/** The tools of servers, and waiting for them. */
export interface ServerAccess {
  /** The current catalog; it may change during a wait. */
  readonly catalog: Catalog;
  /** Resolves names now, whatever the servers' status, and explains those that cannot be called. Never waits. */
  readonly finder: ToolFinder;
  /**
   * The tool that a spelling means; its server is waited for where it is on its way. Rejects with AppError: what is in
   * the way.
   */
  readonly awaitTool: (spelling: string, server?: string) => Promise<CatalogEntry>;
  /** Resolves when it is known what a server has. Rejects with AppError: its state, or `server_not_found`. */
  readonly awaitServer: (handle: string) => Promise<void>;
  /**
   * Resolves when the tools of all servers are known, or after their time limit: for helpers that show several servers.
   */
  readonly settled: () => Promise<void>;
  /** Lists the tools of this server again, or of all; resolves with the new view. Never rejects. */
  readonly refresh: (server?: string) => Promise<ModeView>;
}

/** Calls to servers, all through the pipeline. */
interface CallAccess {
  /** Any tool of any server, through the pipeline. */
  readonly callTool: (request: CallRequest) => Promise<Result>;
  /** A resource under its listed URI. Rejects with RpcError -32602 if there is none. */
  readonly readResource: (uri: string) => Promise<Result>;
  /** A prompt in any spelling. Rejects with RpcError -32602 if there is none. */
  readonly getPrompt: (name: string, args: JsonObject | undefined) => Promise<Result>;
  /** Waits for a call that was answered with a handle. Rejects with AppError `not_found`. */
  readonly awaitCall: (wish: AwaitRequest) => Promise<Result>;
  readonly signal: AbortSignal;
}

/** Running code that a model wrote. */
interface ProgramAccess {
  /** Runs code that the model wrote. */
  readonly sandbox: Pick<CodeRunner, 'run' | 'prewarm'>;
  /** Helper tools that its code may call as functions. */
  readonly programTools: ReadonlyMap<string, HelperTool>;
  /** Whether it may, and for how long. */
  readonly code: CodeSettings;
}

/** What one call of a helper tool may use. */
export interface HelperContext extends ModeView, ServerAccess, CallAccess, ProgramAccess {
  /** The mode of the session. */
  readonly mode: string;
  /** How a model calls any tool in that mode. */
  readonly callLine: (tool: string, args: JsonObject) => string;
  /** Files of spilled results. */
  readonly spillFiles: SpillFiles;
  /** Longest text that the client app takes in one answer, in bytes (UTF-8). */
  readonly maxTextLength: number;
  /** Default output of retrieve_tools. */
  readonly retrieve: RetrieveSettings;
  /** Filter for the tools that `proxy-dispatch` may show and call. */
  readonly toolFilter: ToolFilter;
  /** It returns results whole, as in mini-a. */
  readonly fullResults?: boolean;
  /**
   * Servers: what there is to say of them, and changes under the policy. Nothing a model reaches can decide on them.
   */
  readonly admin: ModelAdmin;
  readonly descriptions: DescriptionStore;
  /** Who is asking, for `admin.request`; `tool` is the helper's own name. */
  readonly author: ChangeAuthor;
  /** Ids of tools that this user's calls used lately. */
  readonly usedTools: () => ReadonlySet<string>;
  /** Items that this session has been shown. */
  readonly memory: ShownItems;
}

/** A tool of our own. */
export interface HelperTool {
  /** The listed definition: name, description, inputSchema, annotations. */
  readonly definition: JsonObject & { readonly name: string };
  /** Purpose of its use in the ledger and steps; depends on the input if the tool serves several. */
  readonly kind: HelperKind | ((input: JsonObject) => HelperKind);
  /** Programs of a model may call it as a function. */
  readonly inPrograms?: true;
  /** Whether the tool changes servers; listed only if `exposeAdmin` is set in the config. */
  readonly admin?: boolean;
  /** Whether its output can be of any size (a program's output, a batch of results); if too large, it is spilled. */
  readonly spills?: boolean;
  /** Serves a session's own answers. Helper tools that call others reach it, too, where it is not listed. */
  readonly reachable?: boolean;
  /** Throws AppError; the session turns it into a result that the model can read. */
  run(input: JsonObject, context: HelperContext): Promise<Result>;
}

export interface Mode {
  readonly name: ModeName | typeof autoMode;
  /** One line for menus and settings. */
  readonly line: string;
  /** Own tools of the mode; listed first, and callable in every mode. */
  readonly helpers: readonly HelperTool[];
  /** Own tools that depend on the catalog: gateway's one per server. Callable in every mode, after servers' tools. */
  find?(name: string, view: ModeView): HelperTool | undefined;
  /** A helper of it reads resources, so that `read_resource` is not listed. */
  readonly readsResources?: boolean;
  /** It lists the same whatever the servers have. */
  readonly fixedList?: boolean;
  /** Its list has a place for each server whatever that offers, so it waits for none; it changes as they come. */
  readonly listsAtOnce?: boolean;
  /** Maps the tools that stand for a whole server to that server's name. */
  serversByTool?(catalog: Catalog): ReadonlyMap<string, string>;
  /** Tools that are listed besides the helpers. */
  listed(view: ModeView): readonly JsonObject[];
  /** How any tool is called in this mode, as a model writes it. */
  readonly callLine: (tool: string, args: JsonObject) => string;
  /** Resources of our own that are listed besides those of servers. */
  readonly resources?: readonly OwnResource[];
  /** At most `maxInstructions`, the words that matter first. */
  instructions(view: ModeView): string;
}

/** A resource of our own: readable in every mode, listed by the modes that name it. */
export interface OwnResource {
  /** The listed definition: `uri` or `uriTemplate`, name, mimeType. */
  readonly definition: JsonObject;
  /** The one content of that URI; undefined if it is not of this resource, or there is nothing. */
  read(uri: string, context: HelperContext): Promise<JsonObject | undefined>;
}

/** The one content of a URI that is ours; undefined for any other. */
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

// What one session has been shown already, so that it is not shown twice. Bounded: the oldest is forgotten first.

const maxShownItems = 20_000;

export class ShownItems {
  readonly #seen = new Set<string>();

  has(kind: string, id: string): boolean {
    return this.#seen.has(`${kind} ${id}`);
  }

  /** Notes a thing of a kind (a tool's description, its schema); whether it was there before. */
  markShown(kind: string, id: string): boolean {
    if (this.has(kind, id)) return true;
    this.#seen.add(`${kind} ${id}`);
    const [oldest] = this.#seen;
    if (this.#seen.size > maxShownItems && oldest !== undefined) this.#seen.delete(oldest);
    return false;
  }
}

/** Shaped schemas: a list is written out at each look, and to see whether it has changed. One for each session. */
export class ShapedSchemaCache {
  readonly #known = { shape: new WeakMap<JsonObject, JsonObject>(), lean: new WeakMap<JsonObject, JsonObject>() };

  of(definition: JsonObject, level: 'shape' | 'lean'): JsonObject {
    const known = this.#known[level];
    const schema = known.get(definition) ?? shaped(definition, level);
    known.set(definition, schema);
    return schema;
  }
}

function shaped(definition: JsonObject, level: 'shape' | 'lean'): JsonObject {
  const schema = shapeSchema(usableSchema(definition), level === 'lean');
  return level === 'lean' ? leanSchema(schema) : schema;
}
