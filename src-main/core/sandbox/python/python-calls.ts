/** Questions of the Python code: started when it calls a function, answered when it awaits. */
import { guestResults } from '../guest/guest-results.ts';
import { refuseText, type RunBudget } from '../run-budget.ts';
import type { AnswerMessage, Question, QuestionMessage, Refusal } from '../worker-messages.ts';
import type { HostFunction } from './python-prelude.ts';
import { fromJson, toPython } from './python-values.ts';
import { Raise, raiseRefusal } from './raise.ts';
import { readBatch, readCall, readNames, readQuery } from './read-arguments.ts';

/** How a question ended; the value is one of JavaScript. */
type Outcome = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: Refusal };

export class PythonCalls {
  readonly #budget: RunBudget;
  readonly #post: (question: QuestionMessage) => void;
  readonly #results = guestResults({ fromJson });
  readonly #open = new Map<number, (answer: AnswerMessage) => void>();
  /** What the code can await, by the number that stands for it inside. */
  readonly #started: Promise<() => unknown>[] = [];
  readonly #unawaited = new Set<number>();
  #lastId = 0;

  constructor(budget: RunBudget, post: (question: QuestionMessage) => void) {
    this.#budget = budget;
    this.#post = post;
  }

  /** The number to wait for. Throws Raise. */
  start(name: HostFunction, given: readonly unknown[], named: Readonly<Record<string, unknown>>): number {
    if (name === '__call_tools') return this.#keep(this.#batch(readBatch(given, named)));
    const [what, text]: [Question, string] =
      name === '__call_tool'
        ? ['call', readCall(given, named)]
        : name === '__search'
          ? ['search', readQuery(given, named)]
          : ['schema', readNames(given, named)];
    return this.#keep(this.#ask(what, text).then((outcome) => () => valueOf(outcome)));
  }

  /** What the code gets. Rejects with Raise. */
  async wait(number: unknown): Promise<unknown> {
    const started = this.#started[Number(number)];
    if (started === undefined) throw new Raise('RuntimeError', 'There is nothing to wait for.', 'RUNTIME_ERROR');
    this.#unawaited.delete(Number(number));
    return toPython((await started)());
  }

  answer(answer: AnswerMessage): void {
    if (!this.#budget.answered(answer.id)) return;
    this.#open.get(answer.id)?.(answer);
    this.#open.delete(answer.id);
  }

  /** Resolves when nothing is under way any more, with what failed while nobody waited for it. */
  async rest(): Promise<string[]> {
    const failures: string[] = [];
    for (const number of this.#unawaited) {
      try {
        (await this.#started[number])?.();
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
      }
    }
    return failures;
  }

  #keep(started: Promise<() => unknown>): number {
    const number = this.#started.push(started) - 1;
    this.#unawaited.add(number);
    return number;
  }

  async #batch(texts: readonly string[]): Promise<() => unknown> {
    const slots = await Promise.all(texts.map((text) => this.#ask('call', text)));
    return () => slots;
  }

  /** Never rejects. */
  #ask(what: Question, text: string): Promise<Outcome> {
    const id = ++this.#lastId;
    const refusal = this.#budget.ask(id, what, text);
    if (refusal !== undefined) return Promise.resolve({ ok: false, error: refusal });
    return new Promise((resolve) => {
      this.#open.set(id, (answer) => resolve(this.#read(answer, what)));
      this.#post({ kind: 'question', id, what, text });
    });
  }

  #read({ ok, text }: AnswerMessage, what: Question): Outcome {
    if (!ok) return { ok, error: JSON.parse(text) as Refusal };
    const refusal = refuseText(text);
    if (refusal !== undefined) return { ok: false, error: refusal };
    const answer = fromJson(text);
    if (what !== 'call') return { ok, result: answer };
    if (!this.#results.failed(answer)) return { ok, result: this.#results.unwrap(answer, true) };
    return { ok: false, error: { code: 'UPSTREAM_ERROR', message: this.#results.failure(answer) } };
  }
}

function valueOf(outcome: Outcome): unknown {
  if (outcome.ok) return outcome.result;
  throw raiseRefusal(outcome.error);
}
