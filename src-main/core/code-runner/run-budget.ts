/** Budget of a program's use of the host, in any language: calls, lookups, output, and concurrency. */
import { isNestedTooDeep, maxNesting } from '../base/json.ts';
import { maxValueLength, type HostCallKind, type HostCallError, type CodeRunLimits } from './run-request.ts';

export const resultTooLarge: HostCallError = {
  code: 'MEMORY_LIMIT',
  message: 'The result of this call does not fit in the sandbox’s memory.',
};

/** Lookups cost nothing, but the core answers them in its only thread. */
const maxLookUps = 200;

const maxOpenHostCalls = 10_000;

export class RunBudget {
  readonly #limits: CodeRunLimits;
  /** Length of each pending request. */
  readonly #open = new Map<number, number>();
  #waitingText = 0;
  #calls = 0;
  #lookUps = 0;

  constructor(limits: CodeRunLimits) {
    this.#limits = limits;
  }

  /** Number of pending requests. */
  get openCount(): number {
    return this.#open.size;
  }

  /** Counts the request, or returns the reason for its refusal. */
  admit(id: number, what: HostCallKind, text: string): HostCallError | undefined {
    const refusal = textRefusal(text) ?? this.#refuse(what, text.length);
    if (refusal !== undefined) return refusal;
    if (what === 'call') this.#calls++;
    else this.#lookUps++;
    this.#open.set(id, text.length);
    this.#waitingText += text.length;
    return undefined;
  }

  /** False for an answer that nobody waits for. */
  settle(id: number): boolean {
    this.#waitingText -= this.#open.get(id) ?? 0;
    return this.#open.delete(id);
  }

  #refuse(what: HostCallKind, length: number): HostCallError | undefined {
    const { calls, memoryBytes } = this.#limits;
    if (what === 'call' && this.#calls >= calls) {
      return { code: 'MAX_TOOL_CALLS_EXCEEDED', message: `The limit of ${calls} tool calls in one run is reached.` };
    }
    if (what !== 'call' && this.#lookUps >= maxLookUps) {
      return { code: 'TOO_MANY_LOOKUPS', message: `The limit of ${maxLookUps} searches in one run is reached.` };
    }
    if (this.#open.size >= maxOpenHostCalls || this.#waitingText + length > memoryBytes) {
      return { code: 'TOO_MUCH_OPEN', message: 'Too many concurrent calls; await some first.' };
    }
    return undefined;
  }
}

/** Refuses texts that are too long, or JSON that is nested so deeply that parsing would exhaust the stack. */
export function textRefusal(text: string): HostCallError | undefined {
  const message =
    text.length > maxValueLength
      ? `The value is ${(text.length / (1 << 20)).toFixed(1)} MB of JSON; at most ${maxValueLength >> 20} MB can cross.`
      : isNestedTooDeep(text)
        ? `The value is nested more than ${maxNesting} levels deep.`
        : undefined;
  return message === undefined ? undefined : { code: 'SERIALIZATION_ERROR', message };
}

// The output of the code, up to a limit.

const maxOutputLength = 65_536;

/** Cost of an empty line, in characters, to limit their number as well. */
const lineCost = 16;

export class PrintedLines {
  readonly #write: (line: string) => void;
  #left = maxOutputLength;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  print(line: string): void {
    if (this.#left <= 0) return;
    const available = this.#left;
    this.#left -= line.length + lineCost;
    this.#write(line.slice(0, available));
    if (this.#left <= 0) this.#write('[further output omitted]');
  }
}
