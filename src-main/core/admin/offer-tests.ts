/** Tests offered servers in the background, a few at a time, and reports the stage of each. Writes nothing. */
import { Emitter } from '../base/emitter.ts';
import { toAppError } from '../base/errors.ts';
import { type JsonObject, textOrEmpty } from '../base/json.ts';
import type { ProbeStage } from '../servers/probe-connection.ts';
import type { EntryProbe } from './probe-entry.ts';

/** The test of one offered server. */
export interface OfferTest {
  /** Id of the offer. */
  readonly id: string;
  readonly stage: 'queued' | ProbeStage | 'passed' | 'failed';
  /** When the stage began, in ms since 1970. */
  readonly since: number;
  readonly tools: number;
  /** Estimated tokens of its tool list. */
  readonly listTokens: number;
  /** The reason in a few words after its name; empty unless it failed. */
  readonly reason: string;
  /** The fix; may be empty. */
  readonly fix: string;
}

export interface OfferTestDeps {
  /** The entry with its secrets. Rejects with AppError `not_found`. */
  readonly entryOf: (id: string) => Promise<JsonObject>;
  /** `slot`: differs between concurrent probes. */
  readonly probe: (entry: JsonObject, slot: number, onStage: (stage: ProbeStage) => void) => Promise<EntryProbe>;
}

const maxConcurrent = 3;

/** Commands that fetch what they start; they are tested first, because downloads take longest. */
const packageRunner = /(?:^|[/\\])(?:npx|pnpx|bunx|uvx|pipx|docker|podman)(?:\.\w+)?$/i;

export class OfferTests {
  /** Emits when a test reaches another stage. */
  readonly changed = new Emitter();
  readonly #deps: OfferTestDeps;
  readonly #tests = new Map<string, OfferTest>();
  #queue: string[] = [];
  readonly #freeSlots = Array.from({ length: maxConcurrent }, (_, slot) => slot + 1);

  constructor(deps: OfferTestDeps) {
    this.#deps = deps;
  }

  /** In the order of requests. */
  get all(): readonly OfferTest[] {
    return [...this.#tests.values()];
  }

  /** Queues tests; a test that is queued or runs is not started twice. Rejects with AppError `not_found`. */
  async start(ids: readonly string[]): Promise<void> {
    const wanted = [...new Set(ids)];
    const entries = await Promise.all(wanted.map((id) => this.#deps.entryOf(id)));
    const isInstall = new Map(wanted.map((id, at) => [id, packageRunner.test(textOrEmpty(entries[at]?.['command']))]));
    const fresh = wanted.filter((id) => !this.#isOpen(id));
    for (const id of fresh) this.#set(id, { stage: 'queued' });
    const rank = (id: string): number => (isInstall.get(id) === true ? 0 : 1);
    this.#queue.push(...fresh.toSorted((a, b) => rank(a) - rank(b)));
    this.#next();
  }

  /**
   * Removes queued tests, and resolves when no download is running, because killing a package runner leaves a damaged
   * package.
   */
  async settle(): Promise<void> {
    for (const id of this.#queue.splice(0)) this.#tests.delete(id);
    while (this.all.some(({ stage }) => stage === 'downloading')) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = this.changed.on(resolve);
      await promise;
      stop();
    }
  }

  #isOpen(id: string): boolean {
    const stage = this.#tests.get(id)?.stage;
    return stage !== undefined && stage !== 'passed' && stage !== 'failed';
  }

  #next(): void {
    const [id] = this.#queue;
    if (id === undefined) return;
    const slot = this.#freeSlots.shift();
    if (slot === undefined) return;
    this.#queue.shift();
    void this.#run(id, slot).finally(() => {
      this.#freeSlots.push(slot);
      this.#next();
    });
    this.#next();
  }

  /** Never rejects. */
  async #run(id: string, slot: number): Promise<void> {
    try {
      const entry = await this.#deps.entryOf(id);
      const probe = await this.#deps.probe(entry, slot, (stage) => this.#set(id, { stage }));
      const { tools, listTokens, failure } = probe;
      if (failure === undefined) this.#set(id, { stage: 'passed', tools: tools.length, listTokens });
      else this.#set(id, { stage: 'failed', ...failure });
    } catch (error) {
      const { message: reason, fix = '' } = toAppError(error);
      this.#set(id, { stage: 'failed', reason, fix });
    }
  }

  #set(id: string, test: Partial<OfferTest> & Pick<OfferTest, 'stage'>): void {
    if (this.#tests.get(id)?.stage === test.stage) return;
    this.#tests.set(id, { id, since: Date.now(), tools: 0, listTokens: 0, reason: '', fix: '', ...test });
    this.changed.emit();
  }
}
