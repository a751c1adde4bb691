/** Requests of a tool view to the user and to its server, one question at a time, and its messages so far. */
import type { RunState } from '../../../src-main/rpc/contract.ts';
import { api, formatFailure, toFailure } from '../../lib/api.ts';
import { count } from '../../lib/format.ts';
import { Running } from '../run/running.svelte.ts';
import type { ViewHost } from './host-bridge.ts';

type Result = Readonly<Record<string, unknown>>;

/** A question to the user. */
export type ViewQuestion =
  | { readonly about: 'call'; readonly tool: string; readonly asks: 'writes' | 'destroys'; readonly arguments: string }
  | { readonly about: 'link'; readonly url: string };

interface OpenQuestion {
  readonly question: ViewQuestion;
  readonly answer: (agreed: boolean) => void;
}

/** Maximum concurrent calls and reads, and per minute; pending questions; kept lines per list. */
const maxConcurrent = 4;
const maxPerMinute = 120;
const maxQuestions = 3;
const maxLines = 100;
const maxLineLength = 2000;
const minuteMs = 60_000;

/** Bounds of a view's requested height, in px. */
export const heights = { least: 120, first: 320, most: 900 } as const;

export class ViewService implements ViewHost {
  height = $state<number>(heights.first);
  isReady = $state(false);
  said = $state.raw<readonly string[]>([]);
  logged = $state.raw<readonly string[]>([]);
  /** Calls running for the view; the user answers their servers' requests. */
  runs = $state.raw<readonly Running[]>([]);
  /** Number of calls made. */
  calls = $state(0);
  #questions = $state.raw<readonly OpenQuestion[]>([]);
  #underWay = 0;
  #times: number[] = [];
  readonly #server: string;
  readonly #view: string;

  constructor(server: string, view: string) {
    this.#server = server;
    this.#view = view;
  }

  get question(): ViewQuestion | undefined {
    return this.#questions[0]?.question;
  }

  get running(): readonly RunState[] {
    return this.runs.flatMap(({ state }) => state ?? []);
  }

  answer(agreed: boolean): void {
    this.#questions[0]?.answer(agreed);
  }

  /** The view was closed: pending requests are rejected, running calls continue. */
  close(): void {
    for (const { answer } of this.#questions) answer(false);
    for (const run of this.runs) run.leave();
  }

  callTool(name: string, args: Result, signal: AbortSignal): Promise<Result> {
    return this.#inTurn(async () => {
      const wish = { server: this.#server, view: this.#view, tool: name, arguments: args };
      let started = await api.ask('callFromView', wish, signal);
      if ('asks' in started) {
        const { asks } = started;
        const question = { about: 'call', tool: name, asks, arguments: JSON.stringify(args, undefined, 2) } as const;
        if (!(await this.#ask(question, signal))) throw new Error(`The user declined the call to ${name}.`);
        started = await api.ask('callFromView', { ...wish, agreed: true }, signal);
      }
      if ('asks' in started) throw new Error('The tool was not called.');
      this.calls++;
      return this.#resultOf(started.id, signal);
    });
  }

  readResource(uri: string, signal: AbortSignal): Promise<Result> {
    return this.#inTurn(async () => (await api.ask('readForView', { server: this.#server, uri }, signal)).result);
  }

  async openLink(url: string, signal: AbortSignal): Promise<void> {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new Error('Only http and https URLs can be opened.');
    if (!(await this.#ask({ about: 'link', url }, signal))) throw new Error('The user declined to open the link.');
  }

  say(kind: 'message' | 'context', content: unknown): void {
    const words = typeof content === 'string' ? content : JSON.stringify(content);
    this.said = added(this.said, `${kind === 'message' ? 'User message' : 'Model context'}: ${words}`);
  }

  log(level: string, data: unknown): void {
    this.logged = added(this.logged, `${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`);
  }

  resize(height: number): void {
    this.height = Math.round(Math.min(heights.most, Math.max(heights.least, height)));
  }

  ready(): void {
    this.isReady = true;
  }

  /** Rejects with ApiError, or with an explanation if there is no result. */
  async #resultOf(id: string, signal: AbortSignal): Promise<Result> {
    const run = new Running();
    this.runs = [...this.runs, run];
    const cancel = (): void => void api.ask('cancelRun', { id }).catch(() => undefined);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await run.follow(id);
      const end = run.state?.end;
      if (end?.error !== undefined) throw new Error(formatFailure(end.error));
      return (await api.ask('runResult', { id }, signal)).result;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.runs = this.runs.filter((one) => one !== run);
    }
  }

  /** Rejects with an explanation if the view exceeds its limits; the core's errors are passed on in full. */
  async #inTurn(work: () => Promise<Result>): Promise<Result> {
    const now = performance.now();
    this.#times = this.#times.filter((time) => now - time < minuteMs);
    if (this.#underWay >= maxConcurrent) throw new Error(`Too many concurrent calls (limit ${maxConcurrent}).`);
    if (this.#times.length >= maxPerMinute) throw new Error(`Rate limit: ${count(maxPerMinute, 'call')} per minute.`);
    this.#times.push(now);
    this.#underWay++;
    try {
      return await work();
    } catch (error) {
      throw new Error(formatFailure(toFailure(error)), { cause: error });
    } finally {
      this.#underWay--;
    }
  }

  /** Resolves to the user's decision; false once nobody waits for it. */
  #ask(question: ViewQuestion, signal: AbortSignal): Promise<boolean> {
    if (this.#questions.length >= maxQuestions)
      return Promise.reject(new Error(`Too many pending confirmations (limit ${maxQuestions}).`));
    return new Promise((resolve) => {
      const open: OpenQuestion = {
        question,
        answer: (agreed) => {
          this.#questions = this.#questions.filter((one) => one !== open);
          resolve(agreed);
        },
      };
      this.#questions = [...this.#questions, open];
      signal.addEventListener('abort', () => open.answer(false), { once: true });
    });
  }
}

function added(lines: readonly string[], line: string): readonly string[] {
  return [...lines.slice(1 - maxLines), line.slice(0, maxLineLength)];
}
