/** What a mode is: which tools a session sees, and the text that introduces them. It sees a catalog and cannot reach a server. */
import type { JsonObject } from '../base/json.ts';
import type { CallRequest } from '../calls/call-tool.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { SearchIndex } from '../search/search-index.ts';
import type { Result } from '../wire/message.ts';

/** Longest instructions in characters: Claude Code cuts what is longer. */
export const maxInstructions = 2048;

export interface ModeView {
  readonly catalog: Catalog;
  readonly index: SearchIndex;
  /** Texts and schemas of servers stay as they are. */
  readonly raw: boolean;
}

export interface HelperContext extends ModeView {
  /** Any tool of any server, through the pipeline. */
  readonly callTool: (request: CallRequest) => Promise<Result>;
}

/** A tool of our own. */
export interface HelperTool {
  /** As listed: name, description, inputSchema, annotations. */
  readonly definition: JsonObject & { readonly name: string };
  /** Throws AppError; the session turns it into a result that the model can read. */
  run(input: JsonObject, context: HelperContext): Promise<Result>;
}

export interface Mode {
  readonly name: string;
  /** One line for menus and settings. */
  readonly line: string;
  /** Own tools of the mode; listed first, and callable in every mode. */
  readonly helpers: readonly HelperTool[];
  /** Servers' tools that are listed besides. */
  listed(view: ModeView): readonly JsonObject[];
  /** At most `maxInstructions`, the words that matter first. */
  instructions(view: ModeView): string;
}
