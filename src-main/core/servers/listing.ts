/** Reads a server's listing: all pages of its four lists, with members unchanged. */
import { AppError, errorText } from '../base/errors.ts';
import { isNestedTooDeep, isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { TimeSlices } from '../base/scheduling/time-slices.ts';
import { formatBytes, formatCount } from '../base/text-format.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { isSameJson } from '../trust/canonical-json.ts';
import { RawJson } from '../wire/raw-json.ts';
import { skillsExtension } from './extension-set.ts';

export interface Listing {
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  /** Entries of `skills/list`; absent if the server declares no skills. */
  readonly skills?: readonly JsonObject[];
}

/** Notifications by which a server announces that a list has changed. */
export const listChangedMethods: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
]);

export const emptyListing: Listing = { tools: [], resources: [], resourceTemplates: [], prompts: [] };

/** The lists of the base protocol. */
export type ListKey = Exclude<keyof Listing, 'skills'>;

/** For example `12 tools, 1 resource`; empty lists are omitted, except tools. */
export function summarizeListing({ tools, resources, resourceTemplates, prompts, skills = [] }: Listing): string {
  const kinds = [
    formatCount(tools.length, 'tool'),
    ...(resources.length === 0 ? [] : [formatCount(resources.length, 'resource')]),
    ...(resourceTemplates.length === 0 ? [] : [formatCount(resourceTemplates.length, 'resource template')]),
    ...(prompts.length === 0 ? [] : [formatCount(prompts.length, 'prompt')]),
    ...(skills.length === 0 ? [] : [formatCount(skills.length, 'skill')]),
  ];
  return kinds.join(', ');
}

interface ListKind {
  readonly key: keyof Listing;
  readonly method: string;
  /** The capability that announces this list; that of skills is an extension. */
  readonly capability: 'tools' | 'resources' | 'prompts' | typeof skillsExtension;
  /** The required member of an entry. */
  readonly identifier: keyof typeof maxIdentifierLength;
}

const kinds: readonly ListKind[] = [
  { key: 'tools', method: 'tools/list', capability: 'tools', identifier: 'name' },
  { key: 'resources', method: 'resources/list', capability: 'resources', identifier: 'uri' },
  { key: 'resourceTemplates', method: 'resources/templates/list', capability: 'resources', identifier: 'uriTemplate' },
  { key: 'prompts', method: 'prompts/list', capability: 'prompts', identifier: 'name' },
  { key: 'skills', method: 'skills/list', capability: skillsExtension, identifier: 'uri' },
];

const maxPages = 1000;
/**
 * Maximum number of entries, because each is compared, indexed and shown. The largest known servers have about 2,000
 * tools.
 */
const maxEntries = 10_000;
/** Maximum page size, because a page is parsed synchronously: 4 MB take about 40 ms. */
const maxPageBytes = 4_000_000;
const maxListBytes = 8_000_000;
/** Maximum size of an entry, about 60,000 tokens; no model could use a larger definition. */
const maxEntryBytes = 256_000;
/** Bytes received per millisecond, including garbage collection; a rejected page has a cost, too. */
const bytesPerMs = 40_000;
/** Maximum number of entries with the same name that an entry is compared with. */
const maxTwins = 10;
/** In UTF-16 units, as for requests of client apps. */
const maxIdentifierLength = { name: 1024, uri: 8192, uriTemplate: 8192 } as const;

interface FetchedListing {
  readonly listing: Listing;
  /** Whether a list failed temporarily, so that it should be retried soon. */
  readonly mayComeYet: boolean;
  /** Anomalies, such as a repeated cursor or entries without a name. Sentences for the user. */
  readonly problems: readonly string[];
  /** How long reading blocked the core's thread, in ms. */
  readonly costMs: number;
}

/** `timeoutMs`: instead of the default. */
export type SendRequest = (method: string, params: JsonObject, timeoutMs?: number) => Promise<Result>;

/** How long a server may take over a list that it did not announce, in ms. */
const unannouncedMs = 5000;

/**
 * Reads the announced lists, and the tools in any case, because some servers do not declare them. A list that fails or
 * times out stays what it was `before`, so that a temporary error removes no tools. Rejects if the connection fails,
 * and with AppError `server_timeout` if a connection that was never read (`isFirst`) does not list its tools.
 */
export async function fetchListing(
  ask: SendRequest,
  capabilities: JsonObject,
  before: Listing = emptyListing,
  isFirst = true,
): Promise<FetchedListing> {
  const found: Findings = { problems: [], mayComeYet: false };
  const extensions = objectOrEmpty(capabilities['extensions']);
  const announced = ({ capability }: ListKind): boolean =>
    isDeclared(capability === skillsExtension ? extensions[capability] : capabilities[capability]);
  // A server without capabilities is assumed to offer tools.
  const declaresNothing = Object.keys(capabilities).length === 0;
  const drains = kinds.flatMap((kind) => {
    const isTools = kind.key === 'tools';
    if (!announced(kind) && !isTools) return [];
    const need: Need =
      !announced(kind) && !declaresNothing ? 'unannounced' : isTools && isFirst ? 'needed' : 'announced';
    return [new Drain(ask, kind, before[kind.key] ?? [], found, need)];
  });
  const lists = await Promise.all(drains.map(async (drain) => [drain.key, await drain.entries()] as const));
  const costMs = drains.reduce((sum, drain) => sum + drain.costMs, 0);
  return { listing: { ...emptyListing, ...Object.fromEntries(lists) }, ...found, costMs };
}

/** Some servers write `true` for an object. */
function isDeclared(capability: unknown): boolean {
  return capability === true || isObject(capability);
}

interface Findings {
  readonly problems: string[];
  mayComeYet: boolean;
}

/** The meaning of a missing list: nothing, a problem, or an unusable server. */
type Need = 'unannounced' | 'announced' | 'needed';

/** Reads all pages of one list. */
class Drain {
  readonly #ask: SendRequest;
  readonly #kind: ListKind;
  readonly #before: readonly JsonObject[];
  /** Previous entries by identifier; some servers use one twice. */
  readonly #known: ReadonlyMap<unknown, readonly JsonObject[]>;
  readonly #found: Findings;
  readonly #need: Need;
  readonly #entries: JsonObject[] = [];
  #bytes = 0;
  costMs = 0;

  constructor(ask: SendRequest, kind: ListKind, before: readonly JsonObject[], found: Findings, need: Need) {
    this.#ask = ask;
    this.#kind = kind;
    this.#before = before;
    this.#known = Map.groupBy(before, (entry) => entry[kind.identifier]);
    this.#found = found;
    this.#need = need;
  }

  get key(): keyof Listing {
    return this.#kind.key;
  }

  async entries(): Promise<readonly JsonObject[]> {
    const { method } = this.#kind;
    const seen = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      const result = await askPage(this.#ask, this.#kind, cursor, this.#found, this.#need);
      if (result === undefined) return this.#before.length > 0 ? this.#before : this.#entries;
      this.costMs += resultSize(result) / bytesPerMs;
      const slices = new TimeSlices();
      const answer = this.#read(result);
      const isMore = answer !== undefined && (await this.#collect(answer[this.#kind.key], slices));
      this.costMs += slices.spentMs;
      if (answer === undefined || !isMore) return this.#entries;
      const next = answer['nextCursor'];
      if (typeof next !== 'string' || next === '') return this.#entries;
      if (seen.has(next)) {
        const cursorText = JSON.stringify(next.slice(0, 100));
        this.#report(`${method} repeats the cursor ${cursorText}; the list was truncated after ${this.#taken}.`);
        return this.#entries;
      }
      seen.add(next);
      cursor = next;
    }
    this.#report(`${method} does not end; the list was truncated after ${this.#taken}.`);
    return this.#entries;
  }

  /** Undefined for a page that exceeds the limit of the list. */
  #read(result: Result): JsonObject | undefined {
    const { method } = this.#kind;
    const size = resultSize(result);
    this.#bytes += size;
    if (size > maxPageBytes || this.#bytes > maxListBytes) {
      const limit =
        size > maxPageBytes
          ? `The limit of a page is ${formatBytes(maxPageBytes)}`
          : `The limit of a list is ${formatBytes(maxListBytes)}`;
      this.#report(`${method} is too long; the list was truncated after ${this.#taken}. ${limit}.`);
      return undefined;
    }
    if (!(result instanceof RawJson)) return result;
    const text = result.text();
    if (!isNestedTooDeep(text)) return JSON.parse(text) as JsonObject;
    this.#report(`${method} is nested too deeply; the list was truncated after ${this.#taken}.`);
    return undefined;
  }

  /** Returns whether there is room for more. An unchanged entry stays the same object, so that comparisons are fast. */
  async #collect(page: unknown, slices: TimeSlices): Promise<boolean> {
    const { method, identifier } = this.#kind;
    if (!Array.isArray(page)) {
      this.#report(`${method} returned no list.`);
      return true;
    }
    for (const entry of page as unknown[]) {
      await slices.next();
      const name = isObject(entry) ? entry[identifier] : undefined;
      if (!isObject(entry) || typeof name !== 'string') {
        this.#report(`${method} has an entry without ${identifier}; it was skipped.`);
        continue;
      }
      if (this.#entries.length >= maxEntries) {
        this.#report(`${method} has more than ${maxEntries} entries; the others were skipped.`);
        return false;
      }
      const flaw = flawOf(entry, name, maxIdentifierLength[identifier]);
      if (flaw !== undefined) this.#report(`${method} has an entry that ${flaw}; it was skipped.`);
      else this.#entries.push(this.#same(entry, name));
    }
    return true;
  }

  #same(entry: JsonObject, name: string): JsonObject {
    const known = this.#known.get(name)?.slice(0, maxTwins) ?? [];
    return known.find((one) => isSameJson(one, entry)) ?? entry;
  }

  get #taken(): string {
    return inWords(this.#entries);
  }

  #report(problem: string): void {
    const { problems } = this.#found;
    if (this.#need !== 'unannounced' && !problems.includes(problem)) problems.push(problem);
  }
}

/** The reason to reject an entry; undefined if it is valid. */
function flawOf(entry: JsonObject, name: string, maxLength: number): string | undefined {
  if (name.length > maxLength) return `has a name of ${name.length} characters (at most ${maxLength})`;
  const size = JSON.stringify(entry).length;
  if (size > maxEntryBytes) return `has ${formatBytes(size)} (at most ${formatBytes(maxEntryBytes)})`;
  return undefined;
}

function inWords({ length }: readonly unknown[]): string {
  return length === 1 ? '1 entry' : `${length} entries`;
}

/** A missing or failing list that the server announced is a problem of the list, not of the server. */
async function askPage(
  ask: SendRequest,
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
    fix: 'If it is only slow, raise initTimeoutSeconds in its entry.',
    cause,
  });
}

function resultSize(result: Result): number {
  return result instanceof RawJson ? result.byteLength : JSON.stringify(result).length;
}
