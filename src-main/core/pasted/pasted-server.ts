/** A server that was found in a pasted text, and how what is not understood of one is said. */
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { maskText } from '../base/mask.ts';
import { cutText } from '../base/shown-text.ts';

export interface PastedServer {
  readonly name: string;
  /** As our config has it. */
  readonly entry: JsonObject;
  /** What of the text was not taken over, or has to be filled in, a sentence each. */
  readonly notes: readonly string[];
}

/** A server whose name the text may not have said. */
export interface FoundServer {
  readonly name?: string | undefined;
  readonly entry: JsonObject;
  readonly notes?: readonly string[];
  /** The key that it stood under in a config: its product's way to mean a timeout. */
  readonly container?: string | undefined;
}

/** Says what stands in the way, with the word that does. */
export function notUnderstood(what: string, fix = howToPaste): AppError {
  return new AppError('bad_request', what, { fix });
}

const howToPaste =
  'Paste the JSON that a server\'s page shows, with "mcpServers" or one entry, the command that starts it, a "claude mcp add …" line, an install link, or its address.';

/** A word of the text as an error may show it: quoted, short, without secrets. */
export function quoted(word: string): string {
  return JSON.stringify(maskText(cutText(word, 60)));
}
