/** One run of the model's code in a VM of its own: evaluates it, runs jobs, delivers answers, and ends it in time. */
import { performance } from 'node:perf_hooks';
import { JSException, type JSValueHandle, type QuickJS } from 'quickjs-wasi';
import type { MapPosition } from '../javascript-source.ts';
import { PrintedLines, textRefusal, RunBudget, resultTooLarge } from '../run-budget.ts';
import type {
  HostReplyMessage,
  DoneMessage,
  HostCallKind,
  HostCallMessage,
  HostCallError,
  RunMessage,
  CodeRunError,
} from '../run-request.ts';
import { evaluateCode, parseThrown, toCodeRunError } from './evaluate-code.ts';
import { createVm, type GuestHandles, type HostFunctions, installGlobals, newString } from './guest-vm.ts';

/** How the run reaches the core. */
export interface HostChannel {
  question(message: HostCallMessage): void;
  print(line: string): void;
  /** Blocks until the next answer; undefined if none arrives within about `ms`. */
  nextAnswer(ms: number): HostReplyMessage | undefined;
  /** Called once. */
  done(message: DoneMessage): void;
}

/** Integers of 16 digits and more; detected outside of the VM, where it costs a hundredth. */
const longInteger = /(?<![\w."])\d{16}/;

/** A thread whose VM has grown beyond this is not reused, because memory is only released with the thread. In bytes. */
const reusableMemoryBytes = 16 << 20;

export class GuestRun {
  readonly #message: RunMessage;
  readonly #channel: HostChannel;
  readonly #budget: RunBudget;
  readonly #deadline: number;
  readonly #timers = new RunTimers();
  readonly #lost = new LostRejections();
  readonly #printed: PrintedLines;
  #vm!: QuickJS;
  #guest!: GuestHandles;
  #map: MapPosition = (place) => place;
  #value: string | undefined;
  #isOver = false;
  #isBroken = false;

  private constructor(message: RunMessage, channel: HostChannel) {
    this.#message = message;
    this.#channel = channel;
    this.#budget = new RunBudget(message.limits);
    this.#printed = new PrintedLines((line) => channel.print(line));
    this.#deadline = performance.now() + message.limits.timeMs;
  }

  /** Rejects if the engine cannot start within the memory limit. */
  static async start(engine: WebAssembly.Module, message: RunMessage, channel: HostChannel): Promise<GuestRun> {
    const run = new GuestRun(message, channel);
    run.#vm = await createVm(engine, {
      memoryBytes: message.limits.memoryBytes,
      isOver: () => run.#remaining <= 0,
      onRejection: (promise, reason, handled) => run.#lost.note(promise, reason, handled),
    });
    run.#timers.setDeadline(run.#remaining, () => run.#close(timeOut));
    run.#step(() => run.#evaluate());
    return run;
  }

  /** Delivers an answer while the code was not blocked on it. */
  reply(answer: HostReplyMessage): void {
    if (this.#isOver || !this.#budget.settle(answer.id)) return;
    this.#step(() => this.#deliver(answer));
  }

  get #remaining(): number {
    return this.#deadline - performance.now();
  }

  #evaluate(): void {
    this.#guest = installGlobals(this.#vm, this.#hostFunctions(), this.#message);
    const started = evaluateCode(this.#vm, this.#message.code, this.#message.language);
    this.#map = started.map;
    if ('error' in started) this.#close(started.error);
    else this.#vm.callFunction(this.#guest.settle, this.#vm.undefined, started.script).dispose();
  }

  #hostFunctions(): HostFunctions {
    return {
      ask: (id, what, text) => this.#ask(Number(id), what as HostCallKind | 'timer', String(text)),
      wait: () => this.#wait(),
      print: (line) => this.#printed.print(String(line)),
      finish: (ok, text) => this.#finish(ok === true, String(text)),
    };
  }

  /** JSON of the refusal; undefined if the request was sent. */
  #ask(id: number, what: HostCallKind | 'timer', text: string): string | undefined {
    if (what === 'timer') {
      const answer: HostReplyMessage = { kind: 'answer', id, ok: true, text: 'null' };
      const refusal = this.#timers.set(Number(text), () => this.#step(() => this.#deliver(answer)));
      return refusal && JSON.stringify(refusal);
    }
    const refusal = this.#budget.admit(id, what, text);
    if (refusal !== undefined) return JSON.stringify(refusal);
    this.#channel.question({ kind: 'question', id, what, text });
    return undefined;
  }

  #wait(): JSValueHandle {
    const answer = this.#remaining > 0 ? this.#channel.nextAnswer(this.#remaining) : undefined;
    if (answer === undefined || !this.#budget.settle(answer.id)) return this.#vm.undefined;
    const text = newString(this.#vm, answer.text);
    if (text === undefined) return this.#vm.hostToHandle([answer.id, false, JSON.stringify(resultTooLarge), false]);
    const given = this.#vm.hostToHandle([answer.id, answer.ok, '', longInteger.test(answer.text)]);
    given.setProp('2', text);
    text.dispose();
    return given;
  }

  #finish(ok: boolean, text: string): void {
    const refusal = ok ? textRefusal(text) : undefined;
    if (refusal !== undefined) this.#close({ code: 'SERIALIZATION_ERROR', message: refusal.message });
    else if (ok) this.#value ??= text;
    else this.#close(toCodeRunError(parseThrown(text), this.#map));
  }

  #deliver({ id, ok, text }: HostReplyMessage): void {
    try {
      if (this.#hand(id, ok, text)) return;
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
    }
    this.#hand(id, false, JSON.stringify(resultTooLarge));
  }

  /** False if the text itself does not fit; throws JSException if the parsed value does not. */
  #hand(id: number, ok: boolean, text: string): boolean {
    const handle = newString(this.#vm, text);
    if (handle === undefined) return false;
    try {
      const [yes, no] = [this.#vm.true, this.#vm.false];
      const given = [this.#vm.newNumber(id), ok ? yes : no, handle, longInteger.test(text) ? yes : no];
      this.#vm.callFunction(this.#guest.deliver, this.#vm.undefined, ...given).dispose();
    } finally {
      handle.dispose();
    }
    return true;
  }

  /** Runs something inside, then all resulting jobs; detects the end. */
  #step(inside: () => void): void {
    if (this.#isOver) return;
    try {
      inside();
      if (!this.#isOver) this.#vm.executePendingJobs();
    } catch (error) {
      this.#close(this.#crash(error));
    }
    if (this.#isOver || this.#budget.openCount > 0) return;
    if (this.#value !== undefined) this.#close();
    else if (this.#timers.isIdle) this.#close(this.#isMemoryFull() ? memoryFull : neverSettled);
  }

  #crash(error: unknown): CodeRunError {
    if (this.#remaining <= 0) return timeOut;
    if (isOutOfMemory(error)) return memoryFull;
    if (error instanceof JSException) {
      const { name, message, stack = '' } = error;
      return toCodeRunError({ name, message, stack }, this.#map);
    }
    // The engine itself ran out of stack, or trapped.
    this.#isBroken = true;
    return { code: 'RUNTIME_ERROR', message: 'The engine crashed; the code is probably nested too deeply.' };
  }

  #isMemoryFull(): boolean {
    return this.#vm.getMemoryUsage().mallocSize > 0.9 * this.#message.limits.memoryBytes;
  }

  /** An existing value is kept even if something fails after it. */
  #close(error?: CodeRunError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timers.clear();
    if (this.#value !== undefined) this.#reportAfterwards(error);
    const outcome = this.#value === undefined && error ? { error } : { value: this.#value ?? 'null' };
    const reusable = !this.#isBroken && this.#vm._getMemory().buffer.byteLength <= reusableMemoryBytes;
    this.#channel.done({ kind: 'done', outcome, reusable });
  }

  #reportAfterwards(error: CodeRunError | undefined): void {
    if (error !== undefined) this.#printed.print(`error: Code that was not awaited did not finish: ${error.message}`);
    else for (const reason of this.#lost.reasons) this.#reportRejection(reason);
  }

  #reportRejection(reason: JSValueHandle): void {
    try {
      const json = this.#vm.callFunction(this.#guest.describe, this.#vm.undefined, reason).consume(String);
      const { message, line } = toCodeRunError(parseThrown(json), this.#map);
      const where = line === undefined ? '' : ` (line ${line})`;
      this.#printed.print(`error: A promise that was not awaited failed${where}: ${message}`);
    } catch {
      // The error object cannot be described; the end of the run matters more.
    }
  }
}

const timeOut: CodeRunError = { code: 'TIMEOUT', message: 'The time limit of this run was reached.' };
const memoryFull: CodeRunError = { code: 'MEMORY_LIMIT', message: 'The code exceeded the memory limit.' };
const neverSettled: CodeRunError = {
  code: 'RUNTIME_ERROR',
  message: 'The code awaits a promise that never settles: no pending call or timer can settle it.',
};

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.includes('out of memory');
}

// The timers of one run: its time limit, and those of the code, none of which outlasts it.

const maxTimers = 1000;

class RunTimers {
  readonly #timers = new Set<NodeJS.Timeout>();
  #deadline: NodeJS.Timeout | undefined;

  /** Whether no timer of the code is pending. */
  get isIdle(): boolean {
    return this.#timers.size === 0;
  }

  setDeadline(ms: number, then: () => void): void {
    this.#deadline = setTimeout(then, ms);
  }

  set(ms: number, then: () => void): HostCallError | undefined {
    if (this.#timers.size >= maxTimers)
      return { code: 'TOO_MUCH_OPEN', message: `More than ${maxTimers} timers are pending.` };
    const run = (): void => {
      this.#timers.delete(timer);
      then();
    };
    // Longer than any run; Node turns longer delays into 1 ms.
    const timer = setTimeout(run, Math.min(Math.max(0, ms), 1e9));
    this.#timers.add(timer);
    return undefined;
  }

  clear(): void {
    for (const timer of [...this.#timers, this.#deadline]) clearTimeout(timer);
    this.#timers.clear();
  }
}

// Tracks unhandled promise rejections in the VM, which usually mean a missing `await`.

const maxUnhandledRejections = 10;

class LostRejections {
  /** Unhandled rejections by identity of the promise, which is kept alive so that its identity is not reused. */
  readonly #lost = new Map<number, { readonly promise: JSValueHandle; readonly reason: JSValueHandle }>();

  get reasons(): JSValueHandle[] {
    return [...this.#lost.values()].map(({ reason }) => reason);
  }

  /** The handles are borrowed. */
  note(promise: JSValueHandle, reason: JSValueHandle, handled: boolean): void {
    if (!handled && this.#lost.size < maxUnhandledRejections) {
      this.#lost.set(promise.identity, { promise: promise.dup(), reason: reason.dup() });
    } else if (handled) {
      const lost = this.#lost.get(promise.identity);
      this.#lost.delete(promise.identity);
      lost?.promise.dispose();
      lost?.reason.dispose();
    }
  }
}
