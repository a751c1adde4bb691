/** A reader with real threads over files that a test writes. */
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SpillQueryResult, SpillQuery } from '../../../../src-main/core/spills/spill-queries.ts';
import { SpillReader, type SpillReaderOptions } from '../../../../src-main/core/spills/spill-reader.ts';
import type { SpillKind } from '../../../../src-main/core/spills/spill.ts';

export interface AskOptions {
  readonly kind?: SpillKind;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  readonly owner?: string;
}

export class Reading implements AsyncDisposable {
  readonly folder: string;
  readonly reader: SpillReader;

  constructor(folder: string, reader: SpillReader) {
    this.folder = folder;
    this.reader = reader;
  }

  static async start(options: Partial<SpillReaderOptions> = {}): Promise<Reading> {
    const folder = await mkdtemp(join(tmpdir(), 'tooltray-reading-'));
    return new Reading(folder, new SpillReader(options));
  }

  async write(content: string | Buffer, name = 'kept'): Promise<string> {
    const file = join(this.folder, name);
    await writeFile(file, content);
    return file;
  }

  async ask(file: string, question: SpillQuery, options: AskOptions = {}): Promise<SpillQueryResult> {
    const { kind = 'json', signal = new AbortController().signal, owner = 'home/person', maxBytes } = options;
    await using handle = await open(file);
    const { size: bytes } = await handle.stat();
    const source = { handle, file, kind, bytes };
    return await this.reader.read(source, question, { signal, owner, ...(maxBytes !== undefined && { maxBytes }) });
  }

  /** Queries a text that is written for this query only. */
  async askOf(content: string | Buffer, question: SpillQuery, options: AskOptions = {}): Promise<SpillQueryResult> {
    return this.ask(await this.write(content), question, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reader.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
