/** One run of the model's Python in its process: steps the engine from one question of the code to the next. */
import type * as engine from '@pydantic/monty';
import type { Monty, MontyComplete, MontyNameLookup, MontySnapshot } from '@pydantic/monty';
import type { CoreDoor } from '../guest-run.ts';
import { PrintedLines } from '../printed-lines.ts';
import { refuseText, RunBudget } from '../run-budget.ts';
import type { SandboxError } from '../sandbox-request.ts';
import type { AnswerMessage, GuestOutcome, RunMessage } from '../worker-messages.ts';
import { PythonCalls } from './python-calls.ts';
import { pythonFile, toPythonError } from './python-error.ts';
import { hostFunctions, hostWait, prelude } from './python-prelude.ts';
import { PythonText } from './python-text.ts';
import { fromJson, toJson, toPython } from './python-values.ts';
import { Raise, raiseRefusal } from './raise.ts';

export type PythonEngine = typeof engine;
type Step = MontySnapshot | MontyNameLookup | MontyComplete;

export class PythonRun {
  readonly #engine: PythonEngine;
  readonly #message: RunMessage;
  readonly #door: Pick<CoreDoor, 'question' | 'print' | 'done'>;
  readonly #calls: PythonCalls;
  readonly #printed: PythonText;
  /** Codes of what was raised inside, by message. */
  readonly #raised = new Map<string, string>();
  readonly #late = Promise.withResolvers<'late'>();

  constructor(engine: PythonEngine, message: RunMessage, door: Pick<CoreDoor, 'question' | 'print' | 'done'>) {
    this.#engine = engine;
    this.#message = message;
    this.#door = door;
    this.#calls = new PythonCalls(new RunBudget(message.limits), (question) => door.question(question));
    this.#printed = new PythonText(new PrintedLines((line) => door.print(line)));
  }

  /** Never rejects. */
  async start(): Promise<void> {
    setTimeout(() => this.#late.resolve('late'), this.#message.limits.timeMs);
    const outcome = await Promise.race([this.#outcome(), this.#late.promise.then(() => ({ error: timeOut }))]);
    if ('value' in outcome) await this.#rest();
    this.#printed.end();
    this.#door.done({ kind: 'done', outcome, reusable: false });
  }

  answer(answer: AnswerMessage): void {
    this.#calls.answer(answer);
  }

  async #outcome(): Promise<GuestOutcome> {
    let program: Monty | undefined;
    try {
      program = new this.#engine.Monty(prelude + this.#message.code, { scriptName: pythonFile, inputs: ['input'] });
      const value = toJson(await this.#execute(program));
      const refusal = refuseText(value);
      if (refusal !== undefined) throw raiseRefusal(refusal);
      return { value };
    } catch (error) {
      return { error: toPythonError(error, this.#raised, program === undefined ? 'SYNTAX_ERROR' : undefined) };
    }
  }

  async #execute(program: Monty): Promise<unknown> {
    const { limits, input } = this.#message;
    let step: Step = program.start({
      inputs: { input: toPython(fromJson(input)) },
      limits: {
        maxDurationSecs: limits.timeMs / 1000,
        maxMemory: limits.memoryBytes,
      },
      printCallback: (_stream: string, text: string) => this.#printed.add(text),
    });
    while (!(step instanceof this.#engine.MontyComplete)) {
      step = step instanceof this.#engine.MontyNameLookup ? lookUp(step) : await this.#call(step);
    }
    return step.output as unknown;
  }

  async #call(step: MontySnapshot): Promise<Step> {
    let returnValue: unknown;
    try {
      returnValue = await this.#result(step);
    } catch (error) {
      if (!(error instanceof Raise)) throw error;
      this.#raised.set(error.message, error.code);
      return step.resume({ exception: { type: error.type, message: error.message } });
    }
    return step.resume({ returnValue });
  }

  async #result({ functionName, args, kwargs }: MontySnapshot): Promise<unknown> {
    const known = hostFunctions.find((name) => name === functionName);
    if (known !== undefined) return this.#calls.start(known, args as unknown[], kwargs as Record<string, unknown>);
    if (functionName !== hostWait) throw new Raise('NameError', `name '${functionName}' is not defined`, '');
    return this.#calls.wait(args[0]);
  }

  /** Calls that nobody awaits run to their end as well, as long as there is time. */
  async #rest(): Promise<void> {
    const rest = await Promise.race([this.#calls.rest(), this.#late.promise]);
    if (rest === 'late') return this.#printed.line('error: What was not awaited did not end.');
    for (const failure of rest) this.#printed.line(`error: A call that was not awaited failed: ${failure}`);
  }
}

const timeOut: SandboxError = { code: 'TIMEOUT', message: 'The time for this run is over.' };

/** Any other name is a NameError inside. */
function lookUp(step: MontyNameLookup): Step {
  const isOurs = step.variableName === hostWait || hostFunctions.some((name) => name === step.variableName);
  // The engine asks for a function to take the name from; it is never called.
  return isOurs ? step.resume({ value: named(step.variableName) }) : step.resume();
}

function named(name: string): () => void {
  return Object.defineProperty(() => undefined, 'name', { value: name });
}
