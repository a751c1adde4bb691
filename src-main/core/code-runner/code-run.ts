/**
 * The core's side of one run: answers the code's requests, measures the time, and terminates the thread if it does not
 * stop.
 */
import type { GuestWorker } from './guest-worker.ts';
import { performance } from 'node:perf_hooks';
import { AppError, errorText } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty, parseJson } from '../base/json.ts';
import { Semaphore } from '../base/semaphore.ts';
import { RawJson } from '../wire/raw-json.ts';
import {
  type HostReplyMessage,
  type DoneMessage,
  type FromWorker,
  type GuestOutcome,
  maxValueLength,
  noValue,
  type HostCallMessage,
  type HostCallError,
  type CodeRunError,
  type CodeRunLimits,
  type CodeRunOutcome,
  type CodeRunRequest,
} from './run-request.ts';

/** How long code may take to stop by itself after its time limit, so that the thread can be reused, in ms. */
const graceMs = 250;

export class CodeRun {
  readonly #line: GuestWorker;
  readonly #request: CodeRunRequest;
  readonly #limits: CodeRunLimits;
  readonly #slots: Semaphore;
  readonly #console: string[] = [];
  /** Aborts when the run is over, which cancels calls in progress. */
  readonly #over = new AbortController();
  readonly #outcome = Promise.withResolvers<GuestOutcome>();
  #calls = 0;
  #isReusable = false;

  constructor(line: GuestWorker, request: CodeRunRequest, limits: CodeRunLimits) {
    this.#line = line;
    this.#request = request;
    this.#limits = limits;
    this.#slots = new Semaphore(limits.parallel);
  }

  /** After `outcome`: whether the thread can be used for another run. */
  get isReusable(): boolean {
    return this.#isReusable && this.#line.isAlive;
  }

  /** Never rejects. */
  async outcome(input: string): Promise<CodeRunOutcome> {
    const { code, language, globals: style, helpers = {}, signal } = this.#request;
    const started = performance.now();
    const cancel = (): void => this.#fail(cancelledRunError);
    const timer = setTimeout(() => this.#fail(timeOut(this.#limits)), this.#limits.timeMs + graceMs);
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) cancel();
    this.#line.run(
      { kind: 'run', code, language, input, style, limits: this.#limits, helpers },
      { message: (message) => this.#hear(message), exit: (error) => this.#fail(threadEnded(error)) },
    );
    const ended = await this.#outcome.promise;
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
    this.#line.release();
    this.#over.abort();
    const report = { console: this.#console, calls: this.#calls, ms: Math.round(performance.now() - started) };
    return { ...toResult(ended, this.#limits), ...report };
  }

  #hear(message: FromWorker): void {
    if (message.kind === 'print') this.#console.push(message.line);
    else if (message.kind === 'question') void this.#answer(message);
    else if (message.kind === 'done') this.#finish(message);
  }

  async #answer(question: HostCallMessage): Promise<void> {
    if (question.what === 'call') this.#calls++;
    const { signal } = this.#over;
    if (signal.aborted || !(await this.#slots.acquire(signal))) return;
    const answer = await answerQuestion(question, this.#request, signal);
    this.#slots.release();
    if (!signal.aborted) this.#line.reply(answer);
  }

  #finish({ outcome, reusable }: DoneMessage): void {
    this.#isReusable = reusable;
    this.#outcome.resolve(outcome);
  }

  #fail(error: CodeRunError): void {
    this.#outcome.resolve({ error });
  }
}

function toResult(
  ended: GuestOutcome,
  limits: CodeRunLimits,
): { ok: true; value: unknown } | { ok: false; error: CodeRunError } {
  if ('value' in ended) return readValue(ended.value);
  if (ended.error.code === 'TIMEOUT') return { ok: false, error: timeOut(limits) };
  if (ended.error.code !== 'MEMORY_LIMIT') return { ok: false, error: ended.error };
  const message = `${ended.error.message.replace(/\.?$/, '.')} The limit is ${limits.memoryBytes >> 20} MB.`;
  return { ok: false, error: { ...ended.error, message } };
}

function readValue(json: string): { ok: true; value: unknown } | { ok: false; error: CodeRunError } {
  if (json === noValue) return { ok: true, value: undefined };
  try {
    return { ok: true, value: parseJson(json) };
  } catch {
    return { ok: false, error: { code: 'SERIALIZATION_ERROR', message: 'The value cannot be serialized as JSON.' } };
  }
}

export const cancelledRunError: CodeRunError = { code: 'CANCELLED', message: 'The run was cancelled.' };

function timeOut({ timeMs }: CodeRunLimits): CodeRunError {
  return { code: 'TIMEOUT', message: `The code did not finish within ${timeMs / 1000} seconds and was stopped.` };
}

function threadEnded(error: Error | undefined): CodeRunError {
  const isMemory = (error as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (isMemory) return { code: 'MEMORY_LIMIT', message: 'The code exceeded the memory limit.' };
  return {
    code: 'RUNTIME_ERROR',
    message: `The sandbox exited before the code finished${error ? `: ${error.message}` : '.'}`,
  };
}

// The core's answer to a request of the code: JSON text, or the reason for a refusal.

/** Never rejects. */
async function answerQuestion(
  question: HostCallMessage,
  request: CodeRunRequest,
  signal: AbortSignal,
): Promise<HostReplyMessage> {
  const { id } = question;
  try {
    const text = toText(await ask(question, request, signal), request);
    return { kind: 'answer', id, ok: true, text };
  } catch (error) {
    return { kind: 'answer', id, ok: false, text: JSON.stringify(toRefusal(error, request)) };
  }
}

function ask(question: HostCallMessage, request: CodeRunRequest, signal: AbortSignal): Promise<unknown> {
  // JSON.parse turns "__proto__" into an ordinary own member.
  const given = parseJson(question.text) as JsonObject;
  if (question.what === 'call') {
    return request.callTool(String(given.name), objectOrEmpty(given.args), signal);
  }
  const { discover } = request;
  if (discover === undefined) throw new AppError('unsupported', 'Search is not available in this sandbox.');
  if (question.what === 'search') {
    return discover.search(String(given.query), typeof given.limit === 'number' ? given.limit : undefined);
  }
  if (question.what === 'sql') return discover.sql(given.source, String(given.query));
  return discover.schema(Array.isArray(given.names) ? given.names.map(String) : []);
}

function toText(answer: unknown, { globals }: CodeRunRequest): string {
  if (answer instanceof RawJson) {
    checkSize(answer.byteLength);
    return answer.text();
  }
  const text = (JSON.stringify(lean(answer, globals)) as string | undefined) ?? 'null';
  checkSize(text.length);
  return text;
}

/** Structured content repeats the content, so only one of them is passed on. */
function lean(answer: unknown, globals: CodeRunRequest['globals']): unknown {
  const isDouble = isObject(answer) && isObject(answer.structuredContent) && answer.isError !== true;
  return isDouble && globals === 'execute' ? { structuredContent: answer.structuredContent } : answer;
}

function checkSize(length: number): void {
  if (length <= maxValueLength) return;
  throw new AppError(
    'message_too_large',
    `The result is ${(length / (1 << 20)).toFixed(1)} MB; at most ${maxValueLength >> 20} MB can be passed to the sandbox.`,
    { fix: 'Request less from the tool: use a page or a filter.' },
  );
}

/** MCPProxy uses one error code for all failures of a call, except those of its own policy. */
function toRefusal(error: unknown, { globals }: CodeRunRequest): HostCallError {
  const { code } = Object(error) as { code?: unknown };
  const isDocumented = typeof code === 'string' && (globals === 'execute' || /^[A-Z][A-Z_]+$/.test(code));
  return { code: isDocumented ? code : 'UPSTREAM_ERROR', message: errorText(error) };
}
