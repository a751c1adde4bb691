/**
 * What one session has read and named: words with where each came from first, addresses word by word, runs of words of private data.
 * No texts are kept but those that wait to be read, and the last that went to a new address. A short answer is read when the
 * session is quiet; all others when a call asks about them, or too much waits. At its bounds nothing is forgotten: from then on it says that it cannot tell.
 */
import { isObject, type JsonObject, textOr } from '../../base/json.ts';
import type { Result } from '../../wire/message.ts';
import { RawJson } from '../../wire/raw-json.ts';
import { decodedOnce } from './decode.ts';
import { argumentTexts, type Destination, groupedNumbers, urlsIn } from './destinations.ts';
import { hashOf, mixed, readWords, valueHashOf } from './words.ts';
import { ShingleSketch, WordTable } from './word-table.ts';

/** Where something came from. */
export interface Source {
  /** `server:tool`, or the server with what was read of it. */
  readonly of: string;
  readonly server: string;
  readonly private: boolean;
  readonly foreign: boolean;
  /** Mail or chat. */
  readonly messages: boolean;
  /** When it was first read, in ms since 1970. */
  readonly at: number;
}

/** `told`: it stood in arguments before anything that was read held it; `new`: so far nowhere. */
export type Origin =
  | { readonly kind: 'told' | 'late' | 'new' | 'unsure' }
  | { readonly kind: 'read'; readonly source: Source };

export interface MemoryLimits {
  /** Of one session. */
  readonly words: number;
  readonly shingles: number;
  /** Of one answer that are looked through, in characters; what is longer makes the session unsure. */
  readonly answer: number;
  /** That wait to be read, in characters. */
  readonly waiting: number;
}

export const memoryLimits: MemoryLimits = { words: 200_000, shingles: 50_000, answer: 4_000_000, waiting: 1_000_000 };

interface Waiting {
  readonly source: Source | undefined;
  readonly value: JsonObject | RawJson | string;
  readonly length: number;
}

/** Before anything was read, and afterwards: what only stood in arguments. */
const toldFirst = 0;
const toldLater = 1;
const firstSource = 2;
/** A table's sources are 16 bits wide; a session that reads from so many tools names the last one for all further ones. */
const mostSources = 4000;

const sliceLength = 32_768;
/** An address on the edge of a slice stands in both. */
const overlap = 400;
const shingleWords = 4;
/** Words of a code, so that a code is never taken for a run of words. */
const codeSalt = 0x5bd1e995;

export class SessionMemory {
  readonly #limits: MemoryLimits;
  readonly #words: WordTable;
  readonly #urls: WordTable;
  /** Values that a server listed by themselves, with the server. */
  readonly #listed: WordTable;
  readonly #shingles: ShingleSketch;
  readonly #sources: Source[] = [];
  readonly #sourceIndex = new Map<string, number>();
  #waiting: Waiting[] = [];
  #waitingLength = 0;
  #isUnsure: boolean;
  #hasRead = false;
  #reading: Generator<undefined, void> | undefined;
  /** Characters read since others were let on: short answers share a slice. */
  #readInTurn = 0;

  /** `isUnsure`: there was an earlier memory of this session that had to be given up. */
  constructor(limits: MemoryLimits = memoryLimits, isUnsure = false) {
    this.#limits = limits;
    this.#words = new WordTable(limits.words);
    this.#urls = new WordTable(limits.words / 4);
    this.#listed = new WordTable(limits.words / 2);
    this.#shingles = new ShingleSketch(limits.shingles);
    this.#isUnsure = isUnsure;
  }

  /** What it takes of the computer's memory, nearly. */
  get bytes(): number {
    const tables = this.#words.bytes + this.#urls.bytes + this.#listed.bytes;
    return tables + this.#shingles.count * 40 + this.#waitingLength * 2;
  }

  /** Something was read that is not in here. */
  get isUnsure(): boolean {
    return this.#isUnsure || this.#words.isFull;
  }

  get hasPrivate(): boolean {
    return this.#shingles.count > 0;
  }

  /** What the model wrote itself, in the order of what it read. Returns at once. */
  noteTold(args: JsonObject | undefined): void {
    if (args !== undefined) this.#wait({ source: undefined, value: args, length: 100 });
  }

  /** What an answer held. Returns at once. */
  noteRead(answer: Result | string, source: Source): void {
    this.#wait({ source, value: answer, length: lengthOf(answer) });
  }

  /** So much waits that it should be read, whoever asks. */
  get isBehind(): boolean {
    return this.#waitingLength > this.#limits.waiting || this.#waiting.length > 2000;
  }

  /** What waits is read in about a millisecond: not worth keeping. */
  get isNearlyRead(): boolean {
    return this.#waitingLength <= sliceLength;
  }

  /** Reads on for one slice; whether there is more. */
  readOn(): boolean {
    this.#reading ??= this.#read();
    const isOver = this.#reading.next().done === true;
    if (isOver) this.#reading = undefined;
    return !isOver;
  }

  *#read(): Generator<undefined, void> {
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#waitingLength = 0;
      for (const { source, value } of waiting) {
        if (source === undefined) this.#readTold(value as JsonObject);
        else yield* this.#readAnswer(value, source);
      }
    }
  }

  /** Where a destination came from; to be asked when nothing waits any more. */
  originOf(destination: Destination, server: string): Origin {
    if (destination.kind === 'name') return this.#originOfName(destination, server);
    for (const spelling of destination.spellings) {
      const known = this.#seen(destination.kind === 'site' ? parentsOf(spelling) : [spelling]);
      if (known !== undefined) return known;
    }
    const put = destination.kind === 'mail' ? this.#putTogether(destination.key.slice('mail '.length)) : undefined;
    return put ?? { kind: this.isUnsure ? 'unsure' : 'new' };
  }

  /**
   * What is sure of it before all that waits is read: it is listed by the server or was named first, or not before something was read.
   * undefined: to be asked of `originOf`.
   */
  knownOrigin({ kind, key, spellings }: Destination, server: string): 'told' | 'late' | undefined {
    if (kind === 'name') return this.#isListed(key.slice('name '.length), server) ? 'told' : undefined;
    const [exact = ''] = spellings;
    const index = this.#words.sourceOf(hashOf(exact));
    return index === toldFirst ? 'told' : index === toldLater ? 'late' : undefined;
  }

  /** The address as a whole stood in something that was read. */
  hasUrl(url: string): boolean {
    return this.#urls.has(hashOf(url));
  }

  /** How many runs of words or codes of private data stand in a text; one code counts as two. */
  privateIn(text: string): number {
    let found = 0;
    const run = new Run((hash, weight) => {
      if (this.#shingles.has(hash)) found += weight * this.#shingles.rate;
    });
    readWords(text, run);
    return found;
  }

  #wait(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#waitingLength += waiting.length;
  }

  #readTold(args: JsonObject): void {
    const index = this.#hasRead ? toldLater : toldFirst;
    for (const { text } of argumentTexts(args))
      this.#addWords(text.slice(0, this.#limits.answer / 4), index, undefined);
  }

  *#readAnswer(value: JsonObject | RawJson | string, source: Source): Generator<undefined, void> {
    this.#hasRead = true;
    const index = this.#indexOf(source);
    let left = this.#limits.answer;
    for (const text of textsOf(value)) {
      if (left <= 0) {
        this.#isUnsure = true;
        return;
      }
      const taken = text.slice(0, left);
      if (taken.length < text.length) this.#isUnsure = true;
      left -= taken.length;
      for (let from = 0; from < taken.length; from += sliceLength) {
        const slice = taken.slice(Math.max(0, from - overlap), from + sliceLength);
        this.#addWords(slice, index, source);
        for (const decoded of decodedOnce(slice)) this.#addWords(decoded, index, source);
        this.#readInTurn += slice.length;
        if (this.#readInTurn < sliceLength) continue;
        this.#readInTurn = 0;
        yield;
      }
    }
  }

  #addWords(text: string, index: number, source: Source | undefined): void {
    const salt = source === undefined ? 0 : hashOf(source.server);
    const run = source?.private === true ? new Run((hash) => this.#shingles.add(hash)) : undefined;
    readWords(text, {
      word: (hash, isCode) => {
        this.#words.add(hash, index);
        run?.word(hash, isCode);
      },
      value: (hash) => {
        if (source !== undefined) this.#listed.add(mixed(hash, salt), index);
      },
    });
    for (const number of groupedNumbers(text)) this.#words.add(hashOf(number), index);
    if (source !== undefined) for (const url of urlsIn(text)) this.#urls.add(hashOf(url), index);
  }

  #seen(spellings: readonly string[]): Origin | undefined {
    for (const spelling of spellings) {
      const index = this.#words.sourceOf(hashOf(spelling));
      if (index !== undefined) return this.#origin(index);
    }
    return undefined;
  }

  #origin(index: number): Origin {
    const source = this.#sources[index - firstSource];
    return source === undefined ? { kind: index === toldFirst ? 'told' : 'late' } : { kind: 'read', source };
  }

  /** User and host were read, each by itself, and never told. */
  #putTogether(address: string): Origin | undefined {
    const [user = '', host = ''] = address.split('@');
    // A plain first name stands in many texts.
    if (!/[._\d-]/.test(user) && user.length < 8) return undefined;
    const [one, other] = [this.#seen([user]), this.#seen([host])];
    return one?.kind === 'read' && other?.kind === 'read' ? one : undefined;
  }

  /**
   * A name that the server lists by itself, as a member or a channel, is its own affair. Else each word of it must have been read
   * and not told.
   */
  #originOfName({ key }: Destination, server: string): Origin {
    const name = key.slice('name '.length);
    if (this.#isListed(name, server)) return { kind: 'told' };
    const origins = name.split(/\s+/).map((word) => this.#seen([word]));
    const read = origins.find((origin) => origin?.kind === 'read');
    return read !== undefined && origins.every((origin) => origin?.kind === 'read') ? read : { kind: 'new' };
  }

  #isListed(name: string, server: string): boolean {
    const value = valueHashOf(name);
    return value !== undefined && this.#listed.has(mixed(value, hashOf(server)));
  }

  #indexOf(source: Source): number {
    const key = `${source.of} ${source.private} ${source.foreign}`;
    const known = this.#sourceIndex.get(key);
    if (known !== undefined) return known;
    if (this.#sources.length >= mostSources) return firstSource + mostSources - 1;
    this.#sources.push(source);
    const index = firstSource + this.#sources.length - 1;
    this.#sourceIndex.set(key, index);
    return index;
  }
}

/** `a.b.example`, then `b.example`: what leaves may stand in the name of a host below one that was read. */
function parentsOf(host: string): readonly string[] {
  const labels = host.split('.');
  return labels
    .slice(0, -1)
    .map((_label, at) => labels.slice(at).join('.'))
    .filter((name) => name.includes('.'));
}

/** Runs of four words, and codes. */
class Run {
  readonly #tell: (hash: number, weight: number) => void;
  // The last words: an array of them would be made anew for each word of each answer.
  #first = 0;
  #second = 0;
  #third = 0;
  #words = 0;

  constructor(tell: (hash: number, weight: number) => void) {
    this.#tell = tell;
  }

  word(hash: number, isCode: boolean): void {
    if (isCode) this.#tell(mixed(hash, codeSalt), 2);
    if (++this.#words >= shingleWords) this.#tell(mixed(mixed(this.#first, this.#second), mixed(this.#third, hash)), 1);
    this.#first = this.#second;
    this.#second = this.#third;
    this.#third = hash;
  }
}

/** What of an answer a model reads. */
function* textsOf(value: JsonObject | RawJson | string): Generator<string, void> {
  if (typeof value === 'string') yield value;
  // Its bytes as they came: JSON's escapes are read over.
  else if (value instanceof RawJson) yield* bytesOf(value);
  else {
    const { _meta, ...said } = value;
    yield* textsIn(said, 0, []);
  }
}

function* bytesOf({ chunks }: RawJson): Generator<string, void> {
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += pieceLength)
      yield chunk.subarray(Math.max(0, from - overlap), from + pieceLength).toString('utf8');
  }
}

const pieceLength = 500_000;
const deepest = 40;

/** Each text as a line of its own, under its key. */
function textsIn(value: unknown, depth: number, found: string[]): string[] {
  if (typeof value === 'string') found.push(value);
  else if (typeof value === 'number' || JSON.isRawJSON(value)) found.push(JSON.stringify(value));
  else if (depth > deepest) return found;
  else if (Array.isArray(value)) for (const item of value) textsIn(item, depth + 1, found);
  else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (key.includes('@') || key.includes('.')) found.push(key);
      if (!(key === 'data' && typeof value['mimeType'] === 'string')) textsIn(value[key], depth + 1, found);
    }
  }
  return found;
}

/** Without reading it: what its texts come to, and a bit for the rest. */
function lengthOf(answer: Result | string): number {
  if (typeof answer === 'string') return answer.length;
  if (answer instanceof RawJson) return answer.byteLength;
  const content = Array.isArray(answer['content']) ? (answer['content'] as unknown[]) : [];
  const said = content.reduce<number>((sum, block) => sum + (isObject(block) ? textOr(block['text']).length : 0), 0);
  return 200 + (answer['structuredContent'] === undefined ? said : said * 2);
}
