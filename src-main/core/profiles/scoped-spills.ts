/** Kept answers of one profile: whatever it did not keep itself is as if it were not kept. */
import type { CallSteps } from '../calls/call-tool.ts';
import type { ResultShaper } from '../calls/shape-result.ts';
import { readSpillFacts, type Spill } from '../spills/spill.ts';
import { unknownSpill } from '../spills/spill-finder.ts';
import type { SpillFiles } from '../spills/spill-questions.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';

/** The oldest are forgotten first: then they cannot be read back. */
const mostKept = 20_000;

type Shapes = Pick<ResultShaper, 'shapeOwn' | 'putAside'>;

export class ScopedSpills {
  readonly #find: (ref: string) => Pick<Spill, 'id'> | undefined;
  readonly #own = new Set<string>();

  /** `find`: a kept answer by whatever names it. */
  constructor(find: (ref: string) => Pick<Spill, 'id'> | undefined) {
    this.#find = find;
  }

  files(files: SpillFiles): SpillFiles {
    const own = <T>(ref: string, read: () => Promise<T>): Promise<T> => {
      const spill = this.#find(ref);
      // Files of folders that the person allowed are no part of a profile either.
      return spill !== undefined && this.#own.has(spill.id) ? read() : Promise.reject(unknownSpill(ref));
    };
    return {
      query: (ref, ...asked) => own(ref, () => files.query(ref, ...asked)),
      page: (ref, ...asked) => own(ref, () => files.page(ref, ...asked)),
      readText: (ref) => own(ref, () => files.readText(ref)),
      content: (ref) => own(ref, () => files.content(ref)),
    };
  }

  steps(steps: CallSteps): CallSteps {
    return { ...steps, shape: async (...asked) => this.#noted(await steps.shape(...asked)) };
  }

  shapes(shaper: Shapes): Shapes {
    return {
      shapeOwn: async (...asked) => this.#noted(await shaper.shapeOwn(...asked)),
      putAside: async (...asked) => {
        const aside = await shaper.putAside(...asked);
        if (aside !== undefined) this.#noted(aside);
        return aside;
      },
    };
  }

  #noted(result: Result): Result {
    const parts = result instanceof RawJson ? [] : (readSpillFacts(result)?.parts ?? []);
    for (const { id } of parts) {
      this.#own.add(id);
      const oldest = this.#own.keys().next();
      if (this.#own.size > mostKept && oldest.done !== true) this.#own.delete(oldest.value);
    }
    return result;
  }
}
