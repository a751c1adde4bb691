/**
 * Notices a session that repeats the same call and gets the same result, because the model is probably caught in a
 * loop. Tools that are meant to be repeated do not count.
 */
import { hash } from 'node:crypto';
import { type JsonObject, objectOrEmpty, textOrEmpty } from '../base/json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { namesTool } from '../config/tool-names.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import type { CallerContext } from './call-tool.ts';

interface LastCall {
  /** Digest of tool, arguments, and result: results of up to 1 MB are not retained. */
  readonly digest: string;
  /** Number of equal calls in a row, including this one. */
  readonly count: number;
}

/** From this many equal calls in a row on, the model is told. */
const noticedCalls = 3;

/** Maximum number of sessions whose last call is kept; the one idle for longest is dropped first. */
const maxSessions = 200;

export class RepeatedCalls {
  readonly #pollingTools: () => readonly string[];
  /** The last call by session, least recently used first. */
  readonly #last = new Map<string, LastCall>();

  /** `pollingTools`: names of tools that are repeated on purpose, as `tool` or `server:tool`, also with `*`. */
  constructor(pollingTools: () => readonly string[]) {
    this.#pollingTools = pollingTools;
  }

  /**
   * Records a call with its result. Returns the number of equal calls in a row if it is high enough to notice. A
   * result of more than 1 MB, which is held as bytes, equals no other.
   */
  note(
    tool: CatalogEntry,
    args: JsonObject,
    result: Result,
    { memoryId, sessionId }: Pick<CallerContext, 'memoryId' | 'sessionId'>,
  ): number | undefined {
    const session = memoryId ?? sessionId;
    const last = this.#last.get(session);
    this.#last.delete(session);
    if (result instanceof RawJson || isPolling(tool, this.#pollingTools())) return undefined;
    const digest = digestOf(tool.id, args, result);
    const count = last?.digest === digest ? last.count + 1 : 1;
    this.#last.set(session, { digest, count });
    const [oldest] = this.#last.keys();
    if (this.#last.size > maxSessions && oldest !== undefined) this.#last.delete(oldest);
    return count < noticedCalls ? undefined : count;
  }
}

/** The text for the model. */
export function repeatedCallText(count: number): string {
  return `This is call ${count} in a row with these arguments and this result. Change the arguments, or continue with what you have.`;
}

/** With more arguments their order counts: sorting all would take too long. */
const maxSortedNames = 100;

/** Ignores `_meta`, which describes how and when the result was produced, and the order in which arguments are given. */
function digestOf(tool: string, args: JsonObject, { content, structuredContent, isError }: JsonObject): string {
  const names = Object.keys(args);
  const named = names.length > maxSortedNames ? args : names.toSorted().map((name) => [name, args[name]]);
  return hash('sha256', JSON.stringify([tool, named, content, structuredContent, isError]), 'base64');
}

/** Words in the names of tools that are polled. */
const pollingWord =
  /(?:^|[^a-z])(?:status|state|wait|await|poll|watch|check|progress|health|heartbeat|ping|sleep|tail|logs?|next|queue|job|jobs)(?:$|[^a-z])/;

/**
 * Returns whether a tool is repeated on purpose: the user's settings, its name or its title say so, each call has an
 * effect of its own (`idempotentHint: false`), or it runs as a task.
 */
function isPolling({ server, name, definition }: CatalogEntry, pollingTools: readonly string[]): boolean {
  const { annotations, execution, title } = definition;
  const hints = objectOrEmpty(annotations);
  if (hints['idempotentHint'] === false || objectOrEmpty(execution)['taskSupport'] !== undefined) return true;
  const words = [name, title, hints['title']].map((text) => textOrEmpty(text).replace(/([a-z])([A-Z])/g, '$1 $2'));
  if (words.some((text) => pollingWord.test(text.toLowerCase()))) return true;
  return namesTool(pollingTools, name) || namesTool(pollingTools, `${server}:${name}`);
}
