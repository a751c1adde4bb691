/** Whether a balancer should send requests to this replica: its database answers, has the schema, and it is not about to end. */
import type { Sql } from 'postgres';
import { errorText } from '../../core/base/errors.ts';
import { requireSchema } from '../database/migrate.ts';
import { answerWithin } from './answer-within.ts';

/** A database that takes longer is as good as none, in ms. */
const patienceMs = 2_000;
/** Balancers look often, and there may be several: they share an answer for so long, in ms. */
const sharedMs = 500;

export class Readiness {
  /** It takes requests, and when it does not any more. */
  isListening = false;
  isDraining = false;
  readonly #sql: Sql;
  #looking: { readonly at: number; readonly why: Promise<string | undefined> } | undefined;

  /** `sql`: connections of no tenant. */
  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Why not, in a word or two; undefined: it is. */
  async problem(): Promise<string | undefined> {
    if (this.isDraining) return 'ending';
    if (!this.isListening) return 'starting';
    const now = performance.now();
    if (this.#looking === undefined || now - this.#looking.at > sharedMs)
      this.#looking = { at: now, why: this.#look() };
    return this.#looking.why;
  }

  async #look(): Promise<string | undefined> {
    const looked = requireSchema(this.#sql).then(() => 'fine', errorText);
    const answer = await answerWithin(looked, patienceMs);
    if (answer === 'fine') return undefined;
    return answer ?? 'The database does not answer in time.';
  }
}
