/** What a server offers, as it says it: the drained pages of its four lists, members untouched. */
import { AppError, errorText } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { count } from '../base/wording.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { RawJson, toObject } from '../wire/raw-json.ts';

export interface Listing {
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
}

/** By these a server says that a list is not what it was. */
export const listChanges: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
]);

export const emptyListing: Listing = { tools: [], resources: [], resourceTemplates: [], prompts: [] };

export type ListKey = keyof Listing;

/** `12 tools, 1 resource`; what it has none of is left out, but for tools. */
export function listed({ tools, resources, resourceTemplates, prompts }: Listing): string {
  const kinds = [
    count(tools.length, 'tool'),
    ...(resources.length === 0 ? [] : [count(resources.length, 'resource')]),
    ...(resourceTemplates.length === 0 ? [] : [count(resourceTemplates.length, 'resource template')]),
    ...(prompts.length === 0 ? [] : [count(prompts.length, 'prompt')]),
  ];
  return kinds.join(', ');
}

interface ListKind {
  readonly key: ListKey;
  readonly method: string;
  /** The capability that says the server has this list. */
  readonly capability: 'tools' | 'resources' | 'prompts';
  /** The member an entry cannot do without. */
  readonly identifier: string;
}

const kinds: readonly ListKind[] = [
  { key: 'tools', method: 'tools/list', capability: 'tools', identifier: 'name' },
  { key: 'resources', method: 'resources/list', capability: 'resources', identifier: 'uri' },
  { key: 'resourceTemplates', method: 'resources/templates/list', capability: 'resources', identifier: 'uriTemplate' },
  { key: 'prompts', method: 'prompts/list', capability: 'prompts', identifier: 'name' },
];

const maxPages = 1000;
const maxEntries = 100_000;
/** One page, and one list: parsing what is longer would keep everybody waiting, and it stays in memory. */
const maxPageBytes = 16 * 1024 * 1024;
const maxListBytes = 64 * 1024 * 1024;

interface FetchedListing {
  readonly listing: Listing;
  /** A list was answered by an error or not at all, which may pass: it is worth asking again soon. */
  readonly mayComeYet: boolean;
  /** What was odd: a cursor that repeats, entries without a name. Sentences for the person. */
  readonly problems: readonly string[];
}

/** `timeoutMs`: instead of the usual one. */
export type Ask = (method: string, params: JsonObject, timeoutMs?: number) => Promise<Result>;

/** How long a server may take over a list that it did not announce, in ms. */
const unannouncedMs = 5000;

/**
 * Drains the lists that the capabilities announce, and the tools in any case: some servers have tools and do not declare them. A list that the server answers with an error, or not in time, stays what it
 * was `before`: a passing fault must not take the tools away. Rejects when the line itself fails, and with AppError server_timeout
 * when a line that was never read from (`isFirst`) is silent about its tools.
 */
export async function fetchListing(
  ask: Ask,
  capabilities: JsonObject,
  before: Listing = emptyListing,
  isFirst = true,
): Promise<FetchedListing> {
  const found: Findings = { problems: [], mayComeYet: false };
  const announced = (kind: ListKind): boolean => isDeclared(capabilities[kind.capability]);
  // Where nothing is declared, the tools are what the server is for.
  const declaresNothing = Object.keys(capabilities).length === 0;
  const lists = await Promise.all(
    kinds.flatMap((kind) => {
      const isTools = kind.key === 'tools';
      if (!announced(kind) && !isTools) return [];
      const need: Need =
        !announced(kind) && !declaresNothing ? 'unannounced' : isTools && isFirst ? 'needed' : 'announced';
      return [drain(ask, kind, before[kind.key], found, need).then((list) => [kind.key, list] as const)];
    }),
  );
  return { listing: { ...emptyListing, ...Object.fromEntries(lists) }, ...found };
}

/** Some servers write `true` for an object. */
function isDeclared(capability: unknown): boolean {
  return capability === true || isObject(capability);
}

interface Findings {
  readonly problems: string[];
  mayComeYet: boolean;
}

/** What follows from a list that does not come: nothing, a problem, or that the server is of no use. */
type Need = 'unannounced' | 'announced' | 'needed';

async function drain(
  ask: Ask,
  kind: ListKind,
  before: readonly JsonObject[],
  found: Findings,
  need: Need,
): Promise<readonly JsonObject[]> {
  const { problems } = found;
  const entries: JsonObject[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let bytes = 0;
  for (let page = 0; page < maxPages; page++) {
    const result = await askPage(ask, kind, cursor, found, need);
    if (result === undefined) return before.length > 0 ? before : entries;
    const size = resultSize(result);
    bytes += size;
    if (size > maxPageBytes || bytes > maxListBytes) {
      problems.push(`${kind.method} is too long; the list was ended with ${inWords(entries)}.`);
      return entries;
    }
    const answer = toObject(result);
    collect(answer[kind.key], kind, entries, need === 'unannounced' ? [] : problems);
    const next = answer['nextCursor'];
    if (typeof next !== 'string' || next === '') return entries;
    if (seen.has(next)) {
      problems.push(
        `${kind.method} repeats the cursor ${JSON.stringify(next)}; the list was ended there with ${inWords(entries)}.`,
      );
      return entries;
    }
    if (entries.length >= maxEntries) break;
    seen.add(next);
    cursor = next;
  }
  problems.push(`${kind.method} does not end; ${entries.length} entries were taken.`);
  return entries;
}

function inWords({ length }: readonly unknown[]): string {
  return length === 1 ? '1 entry' : `${length} entries`;
}

/** A list that the server announces but does not have is a problem of that list, not of the server; so is one it is too busy for. */
async function askPage(
  ask: Ask,
  kind: ListKind,
  cursor: string | undefined,
  found: Findings,
  need: Need,
): Promise<Result | undefined> {
  try {
    return await ask(
      kind.method,
      cursor === undefined ? {} : { cursor },
      need === 'unannounced' ? unannouncedMs : undefined,
    );
  } catch (error) {
    const isSilent = error instanceof AppError && error.code === 'call_timeout';
    if (isSilent && need === 'needed') throw silent(error);
    if (!isSilent && !(error instanceof RpcError)) throw error;
    if (need === 'unannounced') return undefined;
    const isMissing = error instanceof RpcError && error.code === rpcCode.methodNotFound;
    if (isMissing && kind.key === 'resourceTemplates') return undefined;
    found.mayComeYet ||= !isMissing;
    found.problems.push(`${kind.method} failed: ${errorText(error)}`);
    return undefined;
  }
}

function silent(cause: AppError): AppError {
  return new AppError('server_timeout', cause.message, {
    fix: 'If it is only slow, give it more time: initTimeoutSeconds in its entry.',
    cause,
  });
}

function resultSize(result: Result): number {
  return result instanceof RawJson ? result.byteLength : JSON.stringify(result).length;
}

function collect(page: unknown, kind: ListKind, entries: JsonObject[], problems: string[]): void {
  if (!Array.isArray(page)) {
    problems.push(`${kind.method} answered without a list.`);
    return;
  }
  for (const entry of page as unknown[]) {
    if (isObject(entry) && typeof entry[kind.identifier] === 'string') entries.push(entry);
    else problems.push(`${kind.method} holds an entry without ${kind.identifier}; it was left out.`);
  }
}

// Fetches a listing anew when the server says it changed: one fetch at a time, bursts taken together, no word lost meanwhile.

const debounceMs = 150;
/** A server that keeps announcing is still read this often. */
const maxWaitMs = 2000;

export class ListingRefresher {
  readonly #fetch: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #firstAsked = 0;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(fetch: () => Promise<void>) {
    this.#fetch = fetch;
  }

  /** Asks for a refresh soon. While one runs, another follows it. */
  soon(): void {
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    const now = Date.now();
    if (this.#timer === undefined) this.#firstAsked = now;
    clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(debounceMs, this.#firstAsked + maxWaitMs - now));
    this.#timer = setTimeout(() => void this.now(), wait);
  }

  /** Refreshes at once, or joins the one that runs. Never rejects: `fetch` deals with its own failures. */
  now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#running !== undefined) return this.#running;
    const started = this.#fetch().finally(() => {
      if (this.#running === started) this.#running = undefined;
      if (this.#again) {
        this.#again = false;
        this.soon();
      }
    });
    this.#running = started;
    return started;
  }

  /** Refreshes at once, but after the one that runs: it asks on a line that is of no use any more. */
  anew(): Promise<void> {
    const before = this.#running;
    if (before === undefined) return this.now();
    const next = before.then(() => {
      if (this.#running === next) this.#running = undefined;
      return this.now();
    });
    this.#running = next;
    return next;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#again = false;
  }
}
