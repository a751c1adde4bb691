/** Kept answers as helper tools read them: finds the file in the store, lets a thread read in it, and counts that somebody did. */
import { AppError } from '../base/errors.ts';
import { ReadMarks } from './read-marks.ts';
import { readWhole } from './read/read-whole.ts';
import type { SpillReader } from './read/spill-reader.ts';
import type { OpenedSpill } from './opened-spill.ts';
import type {
  RecordPage,
  RecordRange,
  ResultAnswer,
  ResultContent,
  ResultFiles,
  ResultQuestion,
} from './result-files.ts';
import type { SpillKind } from './spill.ts';

/** What of the spill store it takes to read. */
export interface SpillSource {
  /** Rejects with AppError not_found, not_allowed, bad_request. */
  open(ref: string): Promise<OpenedSpill>;
  noteRead(id: string): void;
}

/** A page of records may be longer than a text to look at: it was asked for by number. */
const longestPage = 64 * 1024;

/** What a person's window asks for at once unless it says how much, in bytes. */
const longestLook = 200_000;

export class ResultStore implements ResultFiles {
  readonly marks = new ReadMarks();
  readonly #source: SpillSource;
  readonly #reader: SpillReader;

  constructor(source: SpillSource, reader: SpillReader) {
    this.#source = source;
    this.#reader = reader;
  }

  query(ref: string, question: ResultQuestion, signal: AbortSignal, maxBytes?: number): Promise<ResultAnswer> {
    return this.#withFile(ref, async (opened) => {
      const answer = await this.#reader.read(opened, question, { signal, ...(maxBytes !== undefined && { maxBytes }) });
      if (opened.spill !== undefined) this.marks.note(opened.spill.id, question, answer, Date.now());
      return answer;
    });
  }

  /** The same for a person who looks on: more at a time, and not counted as a model's reading. Rejects as `query` does. */
  async look(
    ref: string,
    question: ResultQuestion,
    signal: AbortSignal,
    maxBytes = longestLook,
  ): Promise<ResultAnswer> {
    await using opened = await this.#source.open(ref);
    return await this.#reader.read(opened, question, { signal, maxBytes });
  }

  page(ref: string, range: RecordRange, signal: AbortSignal): Promise<RecordPage> {
    return this.#withFile(ref, (opened) => this.#reader.page(opened, range, { signal, maxBytes: longestPage }));
  }

  readText(ref: string): Promise<string> {
    return this.#withFile(ref, async (opened) => {
      if (!isText(opened.kind)) throw new AppError('unsupported', `The file is of kind ${opened.kind}, no text.`);
      return (await readWhole(opened)).toString('utf8');
    });
  }

  content(ref: string): Promise<ResultContent> {
    return this.#withFile(ref, async (opened) => {
      const mimeType = opened.spill?.mimeType ?? usualTypes[opened.kind];
      const bytes = await readWhole(opened);
      return isText(opened.kind)
        ? { mimeType, text: bytes.toString('utf8') }
        : { mimeType, blob: bytes.toString('base64') };
    });
  }

  async #withFile<T>(ref: string, read: (opened: OpenedSpill) => Promise<T>): Promise<T> {
    await using opened = await this.#source.open(ref);
    const answer = await read(opened);
    if (opened.spill !== undefined) this.#source.noteRead(opened.spill.id);
    return answer;
  }
}

const usualTypes: Readonly<Record<SpillKind, string>> = {
  text: 'text/plain',
  json: 'application/json',
  toon: 'text/toon',
  image: 'application/octet-stream',
  audio: 'application/octet-stream',
  binary: 'application/octet-stream',
};

function isText(kind: SpillKind): boolean {
  return kind === 'text' || kind === 'json' || kind === 'toon';
}
