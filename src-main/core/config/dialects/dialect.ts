/** Data types for how products write MCP servers. The rows are in `dialect-table.ts`. */

/**
 * How a value becomes the value of our field. `same`: unchanged; `not`: a switch the other way round; times: in that
 * unit or as a Go duration; `secrets`: names of secrets that become variables; the `header…` forms fill `headers`;
 * `bearer`: a token for the Authorization header; `tools`: Copilot's list, a map of switches, or include and exclude;
 * `toolsIfAny`: a list that lets every tool through if it is empty.
 */
export type KeyForm =
  | 'same'
  | 'not'
  | 'seconds'
  | 'milliseconds'
  | 'nanoseconds'
  | 'secrets'
  | 'headerVariables'
  | 'bearerVariable'
  | 'bearer'
  | 'scopes'
  | 'tools'
  | 'toolsIfAny';

/** Our field for a key, and how its value is read. */
export interface KeyRule {
  readonly field: string;
  /** Another field that gets the same value. */
  readonly also?: string;
  readonly form: KeyForm;
}

/**
 * The limit that `timeout` of an entry sets, and its unit. `toolmux`: the start of a command in ms, each request to an
 * address in seconds; `unknown`: a call, in seconds up to an hour and in ms above.
 */
export type TimeoutMeaning = 'callSeconds' | 'callMs' | 'startSeconds' | 'startMs' | 'toolmux' | 'unknown';

export interface Dialect {
  readonly id: string;
  /** The product's display name. */
  readonly product: string;
  /** Matches the path of its file, written with forward slashes. */
  readonly file?: RegExp;
  /** Keys of entries that only this product writes. */
  readonly entryKeys?: readonly string[];
  /** Keys next to the servers that only this product writes. */
  readonly rootKeys?: readonly string[];
  readonly timeout: TimeoutMeaning;
  /** Matches the address of its schema, in `$schema`. */
  readonly schema?: RegExp;
  /** Types of entries that distinguish it from another product with the same place. */
  readonly entryTypes?: readonly string[];
  /** The file also configures the product, which does what Tooltray does. */
  readonly hasSettings?: true;
  /** Plain keys that mean something else than elsewhere. */
  readonly keys?: Readonly<Record<string, KeyRule>>;
  /** Whether `$NAME` is a variable anywhere in a text; otherwise only as the whole value. */
  readonly bareVariables?: true;
  /** Whether `{{NAME}}` is a variable. */
  readonly doubleBraces?: true;
  /** An entry with a command and an address but no type starts the command. */
  readonly startsCommands?: true;
}
