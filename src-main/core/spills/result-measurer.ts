/** Measures large results in a thread: their payload and the text whose tokens are counted, without duplicates. */
import type { RawJson } from '../wire/raw-json.ts';
import { type Excerpt, type ResultSize, SpillWriteError } from './spill-writer-messages.ts';
import { spillWriterUrl, WriterThread } from './spill-writer.ts';

export class ResultMeasurer {
  readonly #thread: WriterThread;
  readonly #known = new WeakMap<RawJson, Promise<ResultSize | undefined>>();

  /** `idleMs`: idle time after which the thread ends. */
  constructor(workerUrl = spillWriterUrl(), idleMs = 10_000) {
    this.#thread = new WriterThread(workerUrl, idleMs);
  }

  /**
   * Measures each result once, for all callers. Resolves to undefined if it is too large to parse (64 MB), or if the
   * thread is unavailable. Never rejects.
   */
  measure(result: RawJson): Promise<ResultSize | undefined> {
    const known = this.#known.get(result);
    if (known !== undefined) return known;
    const measured = this.#thread.run({ do: 'measure' }, result.chunks).then(
      (found) => (found.kind === 'measured' ? found.size : undefined),
      () => undefined,
    );
    this.#known.set(result, measured);
    return measured;
  }

  /** The size of a result, and both its ends, together at most `bytes`. Rejects with SpillWriteError. */
  async excerpt(result: RawJson, bytes: number): Promise<Excerpt> {
    const found = await this.#thread.run({ do: 'excerpt', bytes }, result.chunks);
    if (found.kind === 'excerpt') return found.excerpt;
    throw new SpillWriteError('thread', 'The thread sent an unexpected reply.');
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
