/** One order for the engine, a check of code or a run: its device, output, requests, and end. */
import { isObject, type JsonObject, objectOrEmpty, tryParsePlainJson } from '../../base/json.ts';
import { PrintedLines, textRefusal, RunBudget } from '../run-budget.ts';
import {
  type HostReplyMessage,
  type CheckMessage,
  type FromWorker,
  isCodeRunErrorCode,
  type HostCallKind,
  type RunMessage,
  type CodeRunError,
  type CodeRunErrorCode,
} from '../run-request.ts';
import type { LoadedEngine } from './python-engine.ts';
import { OutOfMemoryError } from './sealed-imports.ts';

/** A longer line is shown in parts; the total output is limited separately. */
const maxOutputLineLength = 65_536;
/** Memory limit for parsing, in bytes. */
const checkBytes = 64 << 20;
const questions: readonly unknown[] = ['call', 'search', 'schema', 'sql'] satisfies HostCallKind[];

/** The parts of Emscripten's files used here; the package does not export their types. */
interface DeviceFiles {
  makedev(major: number, minor: number): number;
  registerDevice(device: number, operations: object): void;
  mkdev(path: string, device: number): void;
}

/** How the code reaches the core. */
interface GuestChannel {
  post(message: FromWorker): void;
  /** Blocks until the next answer; undefined if none arrives within `ms`. */
  nextAnswer(ms: number): HostReplyMessage | undefined;
}

export class PythonGuest {
  readonly #loaded: LoadedEngine;
  readonly #channel: GuestChannel;
  readonly #printed: PrintedLines;
  readonly #text = new TextDecoder();
  /** Pending reads of the code: the head of a response, then its body. */
  readonly #inbox: Uint8Array[] = [];
  /** Answers that need no request to the core: the order itself, and refusals. */
  readonly #ready: HostReplyMessage[] = [];
  #budget: RunBudget | undefined;
  /** Printed text of an unfinished line. */
  #partialLine = '';
  /** A message whose payload follows in the next write. */
  #carrying: JsonObject | undefined;
  #end: JsonObject | undefined;

  constructor(loaded: LoadedEngine, channel: GuestChannel) {
    this.#loaded = loaded;
    this.#channel = channel;
    this.#printed = new PrintedLines((line) => channel.post({ kind: 'print', line }));
    this.#addDevice();
    const stream = { write: (bytes: Uint8Array) => this.#print(bytes) };
    loaded.engine.setStdout(stream);
    loaded.engine.setStderr(stream);
  }

  /** Blocks until the order is done. Never throws. After a run the engine is unusable. */
  handle(order: CheckMessage | RunMessage): void {
    const { module, imports, bytes } = this.#loaded;
    this.#end = undefined;
    this.#ready.push({ kind: 'answer', id: 0, ok: true, text: orderText(order) });
    this.#budget = order.kind === 'run' ? new RunBudget(order.limits) : undefined;
    imports.seal(bytes + (order.kind === 'run' ? order.limits.memoryBytes : checkBytes));
    let hasCrashed = false;
    try {
      module._PyRun_SimpleStringFlags(module.stringToNewUTF8('import _tooltray\n_tooltray.serve()'), 0);
    } catch {
      hasCrashed = true;
    }
    if (this.#partialLine !== '') this.#printed.print(this.#partialLine);
    const failure = this.#failure(hasCrashed);
    if (order.kind === 'check') this.#channel.post(this.#checked(failure));
    else this.#channel.post({ kind: 'done', outcome: this.#outcome(failure), reusable: false });
  }

  /** A character device. */
  #addDevice(): void {
    const files = this.#loaded.engine.FS as unknown as DeviceFiles;
    const number = files.makedev(64, 0);
    files.registerDevice(number, {
      open: () => undefined,
      close: () => undefined,
      read: (_stream: unknown, buffer: Int8Array, offset: number, length: number) => this.#read(buffer, offset, length),
      write: (_stream: unknown, buffer: Int8Array, offset: number, length: number) => {
        this.#hear(this.#text.decode(buffer.subarray(offset, offset + length)));
        return length;
      },
    });
    files.mkdev('/dev/tooltray', number);
  }

  #read(buffer: Int8Array, offset: number, length: number): number {
    const [next] = this.#inbox;
    if (next === undefined) return 0;
    const part = next.subarray(0, length);
    buffer.set(part, offset);
    if (part.length === next.length) this.#inbox.shift();
    else this.#inbox[0] = next.subarray(length);
    return part.length;
  }

  /** A message, whose payload follows in the next write. The code can write here too, so nothing is trusted. */
  #hear(text: string): void {
    const partialLine = this.#carrying;
    this.#carrying = undefined;
    const message = partialLine === undefined ? objectOrEmpty(tryParsePlainJson(text)) : { ...partialLine, text };
    if (partialLine === undefined && message['carries'] === true) this.#carrying = message;
    else this.#take(message);
  }

  #take(message: JsonObject): void {
    if (message['kind'] === 'wait') this.#wait(message['ms']);
    else if (message['kind'] === 'question') this.#ask(message);
    else if (message['kind'] === 'done' || message['kind'] === 'checked') this.#end ??= message;
  }

  #wait(ms: unknown): void {
    const answer =
      this.#ready.shift() ?? this.#channel.nextAnswer(typeof ms === 'number' ? Math.min(ms, 600_000) : 600_000);
    if (answer === undefined || (answer.id !== 0 && !this.#isAwaited(answer))) return;
    const body = Buffer.from(answer.text);
    this.#inbox.push(Buffer.from(`${answer.id} ${answer.ok ? 1 : 0} ${body.length}`), body);
  }

  /** A refusal was never counted. */
  #isAwaited({ id, ok }: HostReplyMessage): boolean {
    return this.#budget?.settle(id) === true || !ok;
  }

  #ask({ id, what, text }: JsonObject): void {
    if (typeof id !== 'number' || !questions.includes(what) || typeof text !== 'string') return;
    const refusal = this.#budget?.admit(id, what as HostCallKind, text);
    if (refusal === undefined) this.#channel.post({ kind: 'question', id, what: what as HostCallKind, text });
    else this.#ready.push({ kind: 'answer', id, ok: false, text: JSON.stringify(refusal) });
  }

  #print(bytes: Uint8Array): number {
    const [first = '', ...rest] = this.#text.decode(bytes, { stream: true }).split('\n');
    this.#partialLine += first;
    for (const next of rest) {
      this.#printed.print(this.#partialLine);
      this.#partialLine = next;
    }
    if (this.#partialLine.length > maxOutputLineLength) {
      this.#printed.print(this.#partialLine);
      this.#partialLine = '';
    }
    return bytes.length;
  }

  #failure(hasCrashed: boolean): CodeRunError | undefined {
    const { broken } = this.#loaded.imports;
    if (broken instanceof OutOfMemoryError)
      return { code: 'MEMORY_LIMIT', message: 'The code exceeded the memory limit.' };
    if (broken !== undefined) {
      const message = 'The code tried to leave the sandbox. Use call_tool(name, args).';
      return { code: 'RUNTIME_ERROR', message };
    }
    if (!hasCrashed && this.#end !== undefined) return undefined;
    const message = 'The engine crashed; the code is probably nested too deeply.';
    return { code: 'RUNTIME_ERROR', message };
  }

  #checked(failure: CodeRunError | undefined): FromWorker {
    const end = this.#end ?? {};
    return { kind: 'checked', error: failure ?? errorOf(end), isForeign: end['foreign'] === true };
  }

  #outcome(failure: CodeRunError | undefined): { value: string } | { error: CodeRunError } {
    const value = this.#end?.['text'];
    if (failure !== undefined) return { error: failure };
    if (typeof value !== 'string') return { error: errorOf(this.#end ?? {}) ?? unknownEnd };
    const refusal = textRefusal(value);
    return refusal === undefined ? { value } : { error: { code: 'SERIALIZATION_ERROR', message: refusal.message } };
  }
}

const unknownEnd: CodeRunError = { code: 'RUNTIME_ERROR', message: 'The code returned no value.' };

/** The input stays as written, because it may contain numbers that JavaScript cannot represent. */
function orderText(order: CheckMessage | RunMessage): string {
  if (order.kind === 'check') return JSON.stringify(order);
  const { input, ...rest } = order;
  return `${JSON.stringify(rest).slice(0, -1)},"input":${input}}`;
}

/** The error as reported by the code, restricted to texts and numbers. */
function errorOf({ error }: JsonObject): CodeRunError | undefined {
  if (!isObject(error)) return undefined;
  const { code, message, line, column, stack } = error;
  return {
    code: codeOf(code),
    message: typeof message === 'string' ? message : 'An unreadable exception was raised.',
    ...(typeof line === 'number' && { line }),
    ...(typeof column === 'number' && { column }),
    ...(typeof stack === 'string' && { stack }),
  };
}

function codeOf(code: unknown): CodeRunErrorCode {
  return code === 'SYNTAX_ERROR' || isCodeRunErrorCode(code) ? code : 'RUNTIME_ERROR';
}
