/** Whether a balancer should send requests to this replica: its database answers, has the schema, and it is not about to end. */
import type { Sql } from 'postgres';
import { errorText } from '../../core/base/errors.ts';
import { requireSchema } from '../database/migrate.ts';
import { answerWithin } from './answer-within.ts';

interface ReadinessParts {
  /** Connections of no tenant. */
  readonly sql: Sql;
  readonly isListening: () => boolean;
  readonly isDraining: () => boolean;
}

/** A database that takes longer is as good as none, in ms. */
const patienceMs = 2_000;
/** Balancers look often, and there may be several: they share an answer for so long, in ms. */
const sharedMs = 500;

export class Readiness {
  readonly #parts: ReadinessParts;
  #looking: { readonly at: number; readonly why: Promise<string | undefined> } | undefined;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** Why not, in a word or two; undefined: it is. */
  async problem(): Promise<string | undefined> {
    const { isDraining, isListening } = this.#parts;
    if (isDraining()) return 'ending';
    if (!isListening()) return 'starting';
    const now = performance.now();
    if (this.#looking === undefined || now - this.#looking.at > sharedMs)
      this.#looking = { at: now, why: this.#look() };
    return this.#looking.why;
  }

  async #look(): Promise<string | undefined> {
    const looked = requireSchema(this.#parts.sql).then(() => 'fine', errorText);
    const answer = await answerWithin(looked, patienceMs);
    if (answer === 'fine') return undefined;
    return answer ?? 'The database does not answer in time.';
  }
}
