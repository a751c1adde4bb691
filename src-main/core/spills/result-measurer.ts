/** Measures large results in a thread: their payload and the text whose tokens are counted, each part once. */
import type { RawJson } from '../wire/raw-json.ts';
import { type Excerpt, type ResultSize, SpillWriteError } from './spill-writer-messages.ts';
import { spillWriterUrl, WriterThread } from './spill-writer.ts';

export class ResultMeasurer {
  readonly #thread: WriterThread;
  readonly #known = new WeakMap<RawJson, Promise<ResultSize | undefined>>();

  /** `idleMs`: the thread ends after this long without work. */
  constructor(workerUrl = spillWriterUrl(), idleMs = 10_000) {
    this.#thread = new WriterThread(workerUrl, idleMs);
  }

  /**
   * Each result is measured once, whoever asks. Resolves to undefined where it is too long to be parsed (64 MB), or the
   * thread is not available. Never rejects.
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

  /** The size of a result, and both its ends of together at most `bytes`. Rejects with SpillWriteError. */
  async excerpt(result: RawJson, bytes: number): Promise<Excerpt> {
    const found = await this.#thread.run({ do: 'excerpt', bytes }, result.chunks);
    if (found.kind === 'excerpt') return found.excerpt;
    throw new SpillWriteError('thread', 'The thread sent another reply.');
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
