/** One request of a client app, from when it was read to when its answer has gone out, and the calls that ran for it. */
import type { JsonObject } from '../../base/json.ts';
import { isTextKind } from '../../spills/messages.ts';
import { readSpillFacts } from '../../spills/spill.ts';
import type { Result } from '../../wire/message.ts';
import { RawJson } from '../../wire/raw-json.ts';
import type { TokenCount } from '../token-counter.ts';
import type { CountedCall } from './book-answer.ts';
import type { PayloadCounter } from './payload-counter.ts';

/** A call of a server's tool that is over. */
interface LedgerCall {
  readonly server: string;
  readonly tool: string;
  readonly via: string | undefined;
  /** What the server answered; undefined: nothing. */
  readonly result: Result | undefined;
  /** What became of it. */
  readonly given: Result | undefined;
}

export class Exchange {
  readonly method: string;
  readonly params: JsonObject;
  readonly #counter: PayloadCounter;
  readonly #late: (call: Promise<CountedCall>) => void;
  #calls: Promise<CountedCall>[] | undefined = [];

  /** `late` hears of calls that end when the request has long been answered with a handle or a question. */
  constructor(method: string, params: JsonObject, counter: PayloadCounter, late: (call: Promise<CountedCall>) => void) {
    this.method = method;
    this.params = params;
    this.#counter = counter;
    this.#late = late;
  }

  /** A call that ran for this request is over. Returns at once. */
  called(call: LedgerCall): void {
    const counted = this.#count(call);
    if (this.#calls === undefined) this.#late(counted);
    else this.#calls.push(counted);
  }

  /** The calls that ran for it; none once it is closed. */
  get calls(): readonly Promise<CountedCall>[] {
    return this.#calls ?? [];
  }

  /** The answer has gone out. */
  close(): void {
    this.#calls = undefined;
  }

  /** Counted as it ends: a program may make a thousand calls, and their answers are not to be held until it is done. */
  async #count({ server, tool, via, result, given }: LedgerCall): Promise<CountedCall> {
    const untouched = result === given;
    if (result === undefined || given === undefined) {
      return { server, tool, via, raw: undefined, given: undefined, untouched };
    }
    const raw = untouched ? this.#counter.count(result) : (withoutKeptMedia(given) ?? this.#counter.count(result));
    return {
      server,
      tool,
      via,
      raw: await raw,
      given: await (untouched ? raw : this.#counter.count(given)),
      untouched,
    };
  }
}

/** What pictures and sound cost depends on the model: keeping them on disk is not claimed to save what their bytes look like. */
function withoutKeptMedia(given: Result): TokenCount | undefined {
  const facts = given instanceof RawJson ? undefined : readSpillFacts(given);
  if (facts === undefined || facts.parts.every(({ kind }) => isTextKind(kind))) return undefined;
  return { tokens: facts.resultTokens, estimated: true };
}
