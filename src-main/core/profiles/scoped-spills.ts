/** The spills of some profiles; spills of others, or outside of profiles, appear not to exist. */
import type { ResultShaper } from '../calls/shape-result.ts';
import type { Principal } from '../security/principal.ts';
import type { SpillStore } from '../spills/spill-store.ts';
import { spillNotFoundError } from '../spills/spill-finder.ts';
import { joinedBy, type SpillFiles } from '../spills/spill-queries.ts';
import type { ProfileScope } from './profile-scope.ts';

type StoredSpills = Pick<SpillStore, 'find' | 'spill'>;

export class ScopedSpills {
  readonly #stored: StoredSpills;
  readonly #profiles: string | undefined;
  readonly #scope: Pick<ProfileScope, 'hasServer'>;

  /**
   * `profiles`: a key that separates these spills from others, the same on every replica and after every start;
   * undefined: no separation.
   */
  constructor(stored: StoredSpills, profiles: string | undefined, scope: Pick<ProfileScope, 'hasServer'>) {
    this.#stored = stored;
    this.#profiles = profiles;
    this.#scope = scope;
  }

  scopeFiles(files: SpillFiles, caller: Principal): SpillFiles {
    const own = async <T>(ref: string, read: () => Promise<T>): Promise<T> => {
      if (!(await this.#isOwn(ref, caller))) throw spillNotFoundError(ref);
      return read();
    };
    return {
      query: async (ref, question, ...rest) => {
        for (const other of joinedBy(question)) await own(other, () => Promise.resolve());
        return own(ref, () => files.query(ref, question, ...rest));
      },
      select: (input, ...rest) =>
        'ref' in input ? own(input.ref, () => files.select(input, ...rest)) : files.select(input, ...rest),
      readText: (ref) => own(ref, () => files.readText(ref)),
      content: (ref) => own(ref, () => files.content(ref)),
    };
  }

  /** The same rules, with these spills. */
  scopeShaper(shaper: ResultShaper): ResultShaper {
    return shaper.withSpill((result, origin, ...how) =>
      this.#stored.spill(result, { ...origin, profiles: this.#profiles }, ...how),
    );
  }

  /** Files in permitted folders are outside of a profile, too; so are servers that it had before. */
  async #isOwn(ref: string, caller: Principal): Promise<boolean> {
    const spill = await this.#stored.find(ref, caller);
    if (spill === undefined || spill.profiles !== this.#profiles) return false;
    return spill.server === ownServer || this.#scope.hasServer(spill.server);
  }
}

/** Owner of results of helper tools (`ResultShaper.shapeHelperResult`). */
const ownServer = 'tooltray';
