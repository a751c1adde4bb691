/** A server in a pasted text, and the error for what is not understood. */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { maskText } from '../base/mask.ts';
import { truncateText } from '../base/visible-text.ts';
import { findServers } from '../config/dialects/find-servers.ts';

export interface PastedServer {
  readonly name: string;
  /** The entry in Tooltray's config format. */
  readonly entry: JsonObject;
  /** Parts of the text that were not converted or need input, one sentence each. */
  readonly notes: readonly string[];
}

export interface PastedText {
  readonly servers: readonly PastedServer[];
  /** Parts of the text that are not servers, with the reason, one sentence each. */
  readonly skipped: readonly string[];
}

/** A server as written; the text may not name it. */
export interface RegistryMatch {
  readonly name?: string | undefined;
  readonly entry: JsonObject;
  readonly notes?: readonly string[];
  /** Whether the text was parsed as a command line, which is always possible. */
  readonly isGuess?: true;
}

/** The entries in the value of a link or flag: a single one, by name, or in a whole configuration. */
export function foundInValue(value: JsonObject): readonly RegistryMatch[] {
  const found = findServers(value, '').entries.flatMap(({ name, raw }) =>
    isObject(raw) ? [{ name, entry: raw }] : [],
  );
  const { name } = value;
  return found.length > 0 ? found : [{ name: typeof name === 'string' ? name : undefined, entry: value }];
}

/** The error for a word that is not understood. */
export function unrecognizedInputError(what: string, fix = howToPaste): AppError {
  return new AppError('bad_request', what, { fix });
}

const howToPaste =
  'Paste the JSON that a server\'s page shows, with "mcpServers" or one entry, the command that starts it, a "claude mcp add …" line, an install link, or its address.';

/** A word of the text for an error: quoted, short, without secrets. */
export function quoteWord(word: string): string {
  return JSON.stringify(maskText(truncateText(word, 60)));
}
