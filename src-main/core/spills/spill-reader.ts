/** Reads spills for the helper tools: finds the file in the store, reads it in a worker thread, and counts the read. */
import { isTextKind } from './spill-writer-messages.ts';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../base/errors.ts';
import { type Principal, localUser } from '../security/principal.ts';
import {
  type ResponseTo,
  type LineIndex,
  maxDocumentBytes,
  newSteps,
  type ReaderRequest,
  type ReadTarget,
} from './read-worker/reader-messages.ts';
import { type ReadDeadlines, readerEntries, type ReaderEntries, ReaderQueue } from './reader-queue.ts';
import {
  SpillReads,
  type SpillQueryResult,
  type SpillContent,
  type SpillFiles,
  type SpillQuery,
  type SpillViewQuery,
  type SqlInput,
  type SqlRows,
} from './spill-queries.ts';
import type { OpenedSpill, Spill, SpillKind } from './spill.ts';

/** The part of the spill store that is needed for reading. */
interface SpillSource {
  /** Rejects with AppError `not_found`, `not_allowed`, `bad_request`. */
  open(ref: string, reader: Principal): Promise<OpenedSpill>;
  noteRead(spill: Spill): void;
}

/** Maximum size of rows for a program, which does not pay per token, in bytes. */
const maxSelectedLength = 8 * 1024 * 1024;

/** Maximum size of a response to the dashboard, in bytes. */
const maxViewBytes = 200_000;
/** Few lines are returned at a time if they are long, in bytes. */
const maxLinesBytes = 100_000;

export class SpillAccess {
  readonly reads = new SpillReads();
  readonly #source: SpillSource;
  readonly #reader: SpillReader;

  constructor(source: SpillSource, reader: SpillReader) {
    this.#source = source;
    this.#reader = reader;
  }

  /** Returns the spills that this caller can access; those of other owners appear not to exist. */
  forCaller(caller: Principal): SpillFiles {
    return new SpillsOfCaller(caller, this.#source, this.#reader, this.reads);
  }

  /** For the user: returns more at a time, and does not count as a model's read. Rejects as `query` does. */
  async view<Question extends SpillViewQuery | SpillQuery>(
    ref: string,
    question: Question,
    signal: AbortSignal,
    reader = localUser,
  ): Promise<ResponseTo<Question>> {
    await using opened = await this.#source.open(ref, reader);
    await using others = await openAll('tables' in question ? question.tables : undefined, this.#source, reader);
    return await this.#reader.read(opened, question, {
      others: others.opened,
      signal,
      owner: reader.owner,
      maxBytes: question.op === 'lines' ? maxLinesBytes : maxViewBytes,
    });
  }
}

class SpillsOfCaller implements SpillFiles {
  readonly #caller: Principal;
  readonly #source: SpillSource;
  readonly #reader: SpillReader;
  readonly #reads: SpillReads;

  constructor(caller: Principal, source: SpillSource, reader: SpillReader, reads: SpillReads) {
    this.#caller = caller;
    this.#source = source;
    this.#reader = reader;
    this.#reads = reads;
  }

  query(ref: string, question: SpillQuery, signal: AbortSignal, maxBytes?: number): Promise<SpillQueryResult> {
    return this.#withFile(ref, async (opened) => {
      await using others = await openAll(
        question.op === 'sql' ? question.tables : undefined,
        this.#source,
        this.#caller,
      );
      const answer = await this.#reader.read(opened, question, {
        signal,
        owner: this.#caller.owner,
        others: others.opened,
        ...(maxBytes !== undefined && { maxBytes }),
      });
      if (opened.spill !== undefined) this.#reads.note(opened.spill.id, question, answer, Date.now());
      return answer;
    });
  }

  async select(input: SqlInput, query: string, signal: AbortSignal): Promise<SqlRows> {
    const question = { op: 'select', query } as const;
    const options = { signal, owner: this.#caller.owner, maxBytes: maxSelectedLength };
    if ('ref' in input) return this.#withFile(input.ref, (opened) => this.#reader.read(opened, question, options));
    const { text, kind } = input;
    return this.#reader.read({ text, file: 'text', kind, bytes: Buffer.byteLength(text) }, question, options);
  }

  readText(ref: string): Promise<string> {
    return this.#withFile(ref, async (opened) => {
      if (!isTextKind(opened.kind)) throw new AppError('unsupported', `The file is of kind ${opened.kind}, not text.`);
      return (await readWhole(opened)).toString('utf8');
    });
  }

  content(ref: string): Promise<SpillContent> {
    return this.#withFile(ref, async (opened) => {
      const mimeType = opened.spill?.mimeType ?? defaultTypes[opened.kind];
      const bytes = await readWhole(opened);
      return isTextKind(opened.kind)
        ? { mimeType, text: bytes.toString('utf8') }
        : { mimeType, blob: bytes.toString('base64') };
    });
  }

  async #withFile<T>(ref: string, read: (opened: OpenedSpill) => Promise<T>): Promise<T> {
    await using opened = await this.#source.open(ref, this.#caller);
    const answer = await read(opened);
    if (opened.spill !== undefined) this.#source.noteRead(opened.spill);
    return answer;
  }
}

/** Maximum number of further results in a statement. */
const maxJoined = 4;

interface OpenedTables extends AsyncDisposable {
  readonly opened: readonly NamedSource[];
}

/** Opens the named tables; rejects as `open` does, with nothing left open. */
async function openAll(
  tables: Readonly<Record<string, string>> = {},
  source: SpillSource,
  reader: Principal,
): Promise<OpenedTables> {
  const named = Object.entries(tables);
  if (named.length > maxJoined) {
    throw new AppError('bad_request', `Up to ${maxJoined} further results can be joined.`);
  }
  await using stack = new AsyncDisposableStack();
  const opened: NamedSource[] = [];
  for (const [name, ref] of named) opened.push({ name, source: stack.use(await source.open(ref, reader)) });
  const open = stack.move();
  return { opened, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

const defaultTypes: Readonly<Record<SpillKind, string>> = {
  text: 'text/plain',
  json: 'application/json',
  toon: 'text/toon',
  image: 'application/octet-stream',
  audio: 'application/octet-stream',
  binary: 'application/octet-stream',
};

// Reads spills in worker threads with a deadline per query.

/** The file to read; its opener closes it after the response. */
interface FileSource {
  readonly handle: FileHandle;
  /** Name of the file in the response. */
  readonly file: string;
  readonly kind: SpillKind;
  readonly bytes: number;
}

type ReadSource = FileSource | (Omit<FileSource, 'handle'> & { readonly text: string });

interface NamedSource {
  readonly name: string;
  readonly source: FileSource;
}

interface ReadOptions {
  readonly signal: AbortSignal;
  /** `Principal.owner`: owners take turns. */
  readonly owner: string;
  /** Further results for op sql. */
  readonly others?: readonly NamedSource[];
  /** Maximum size of the returned text, in bytes (UTF-8); default: 16,000. */
  readonly maxBytes?: number;
}

export interface SpillReaderOptions {
  /** Located automatically if absent. */
  readonly entries?: ReaderEntries;
  /** For each line that a pattern is matched against, in ms; default: 2,000. */
  readonly patternMs?: number;
  /** For a query about data, in ms; default: 30,000. */
  readonly dataMs?: number;
  /** For a query about lines, in ms; default: 60,000. */
  readonly linesMs?: number;
  /** Idle time after which a thread ends, in ms; default: 20,000. */
  readonly idleMs?: number;
  /** Memory for the objects of large data, in bytes; default: 4 GB. */
  readonly dataMemory?: number;
}

const defaultMaxBytes = 16_000;
/** One of the three threads is always reserved for another owner. */
const maxThreads = 3;
const maxWaitingPerOwner = 100;
const maxIndexes = 64;

export class SpillReader {
  readonly #options: SpillReaderOptions;
  readonly #queue: ReaderQueue;
  /** Keyed by file identity, least recently used first. */
  readonly #indexes = new Map<string, LineIndex>();

  constructor(options: SpillReaderOptions = {}) {
    this.#options = options;
    const { entries = readerEntries(), idleMs = 20_000 } = options;
    this.#queue = new ReaderQueue(entries, { maxThreads, maxWaitingPerOwner, idleMs, memory: options.dataMemory });
  }

  /** Rejects with AppError `bad_request`, `not_found`, unsupported, `call_timeout`, cancelled. */
  async read<Question extends ReaderRequest>(
    source: ReadSource,
    question: Question,
    { signal, owner, others = [], maxBytes = defaultMaxBytes }: ReadOptions,
  ): Promise<ResponseTo<Question>> {
    const identity = 'handle' in source ? await identityOf(source) : undefined;
    const target = targetOf(source);
    const joined = others.map(({ name, source: other }) => ({ name, target: targetOf(other) }));
    const bytes = joined.reduce((sum, other) => sum + other.target.bytes, source.bytes);
    const index = identity === undefined ? undefined : this.#indexes.get(identity);
    const request = { target, others: joined, question, maxBytes, steps: newSteps(), index };
    const reply = await this.#queue.ask(request, this.#deadlines(question, bytes), owner, signal);
    if (!reply.ok) throw new AppError(reply.code, reply.message, reply.fix === undefined ? {} : { fix: reply.fix });
    if (identity !== undefined) this.#remember(identity, reply.index);
    return reply.answer as ResponseTo<Question>;
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  #deadlines({ op }: ReaderRequest, bytes: number): ReadDeadlines {
    const { patternMs = 2000, dataMs = 30_000, linesMs = 60_000 } = this.#options;
    const isSql = op === 'sql' || op === 'select';
    const isData = isSql || op === 'query' || op === 'schema' || op === 'table';
    // Tables are streamed from files that are too long to parse.
    const times = isSql ? Math.max(1, bytes / maxDocumentBytes) : 1;
    return {
      wholeMs: isData ? dataMs * times : linesMs,
      stepMs: op === 'grep' || op === 'find' ? patternMs : undefined,
    };
  }

  #remember(identity: string, index: LineIndex | undefined): void {
    if (index === undefined) return;
    this.#indexes.delete(identity);
    this.#indexes.set(identity, index);
    const [oldest] = this.#indexes.keys();
    if (this.#indexes.size > maxIndexes && oldest !== undefined) this.#indexes.delete(oldest);
  }
}

async function identityOf({ handle, bytes }: FileSource): Promise<string> {
  const { dev, ino, mtimeMs } = await handle.stat();
  return [dev, ino, mtimeMs, bytes].join(':');
}

function targetOf(source: ReadSource): ReadTarget {
  const { file, kind, bytes } = source;
  return { file, kind, bytes, ...('handle' in source ? { fd: source.handle.fd } : { fd: -1, text: source.text }) };
}

// Maximum size of a spill that is read into memory as a whole.

const maxFullReadBytes = 64 * 1024 * 1024;

interface WholeFile {
  readonly handle: FileHandle;
  readonly bytes: number;
}

/** Rejects with AppError unsupported beyond 64 MB. */
async function readWhole({ handle, bytes }: WholeFile): Promise<Buffer> {
  if (bytes > maxFullReadBytes) {
    const [size, limit] = [bytes, maxFullReadBytes].map((number) => Math.ceil(number / 1024 / 1024));
    throw new AppError('unsupported', `The file has ${size} MB; up to ${limit} MB can be returned in full.`, {
      fix: 'Read a part of it: grep, head, tail, slice, read, query.',
    });
  }
  const whole = Buffer.allocUnsafe(bytes);
  let filled = 0;
  while (filled < bytes) {
    const { bytesRead } = await handle.read(whole, filled, bytes - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return whole.subarray(0, filled);
}
