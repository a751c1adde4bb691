/**
 * People who call through the balancer without an end, each kind of call in both eras, and note what came of it. What was said to have run
 * nothing is sent again under the same id; what may have run never is.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { bearer } from '../../support/callers.ts';
import { HttpClient, NoAnswer } from '../../support/http-client.ts';
import type { Params } from '../../support/raw-client.ts';
import { until } from '../../support/until.ts';
import type { Asker, ChaosTeam } from './chaos-team.ts';

export const kinds = ['note', 'long', 'slow', 'ask'] as const;
export const eras = ['2025-11-25', '2026-07-28'] as const;
type Kind = (typeof kinds)[number];
type Era = (typeof eras)[number];

export interface Call {
  /** Names the asker, and is what the called server notes. */
  readonly id: string;
  readonly kind: Kind;
  readonly asker: string;
  /** By `performance.now()`: asked first, answered last. */
  readonly from: number;
  to: number;
  /** `lost`: it may have run, and nobody knows. */
  outcome: 'open' | 'answered' | 'lost';
  /** What was said where it was not run, or was lost; every text that was answered. */
  readonly refusals: string[];
  readonly texts: string[];
}

export interface Load {
  readonly calls: readonly Call[];
  /** Each worker has done so many more calls. */
  progress(more: number, among?: (kind: Kind, era: Era) => boolean): Promise<void>;
  /** No new calls; resolves when all are over. */
  end(): Promise<readonly Call[]>;
}

const slowMs = 600;
/** Between two tries of what was not run: as a client that heeds Retry-After, but sooner. */
const againMs = 100;

/** Nothing was run. */
class NotRun extends Error {}

/** Somebody's session, or their requests of 2026-07-28. */
type Line = HttpClient;

export function startLoad(team: ChaosTeam): Load {
  const calls: Call[] = [];
  const workers: Worker[] = [];
  const isOver = { yet: false };
  for (const asker of team.askers)
    for (const era of eras) for (const kind of kinds) workers.push(new Worker(asker, era, kind, calls));
  const running = workers.map((worker) => worker.run(isOver));
  const end = async (): Promise<readonly Call[]> => {
    isOver.yet = true;
    await Promise.all(running);
    return calls;
  };
  onTestFinished(() => void (isOver.yet = true));
  return {
    calls,
    async progress(more, among = () => true) {
      const asked = workers.filter(({ kind, era }) => among(kind, era));
      const goals = asked.map((worker) => worker.done + more);
      await until(() => asked.every((worker, at) => worker.done >= (goals[at] ?? 0)));
    },
    end,
  };
}

class Worker {
  readonly kind: Kind;
  readonly era: Era;
  done = 0;
  readonly #asker: Asker;
  readonly #calls: Call[];
  #line: Promise<Line> | undefined;

  constructor(asker: Asker, era: Era, kind: Kind, calls: Call[]) {
    this.kind = kind;
    this.era = era;
    this.#asker = asker;
    this.#calls = calls;
  }

  async run(isOver: { readonly yet: boolean }): Promise<void> {
    for (let number = 0; !isOver.yet; number++) {
      const call: Call = {
        ...{ id: [this.#asker.name, this.era, this.kind, number].join('/'), kind: this.kind, asker: this.#asker.name },
        ...{ from: performance.now(), to: Infinity, outcome: 'open', refusals: [], texts: [] },
      };
      this.#calls.push(call);
      await this.#finish(call);
      call.to = performance.now();
      this.done++;
    }
  }

  async #finish(call: Call): Promise<void> {
    for (;;) {
      try {
        await this.#try(call);
        call.outcome = 'answered';
        return;
      } catch (error) {
        call.refusals.push((error as Error).message);
        if (!(error instanceof NotRun)) {
          call.outcome = 'lost';
          return;
        }
        await sleep(againMs);
      }
    }
  }

  async #try(call: Call): Promise<void> {
    const args = { id: call.id, ms: slowMs };
    const name = this.kind === 'ask' ? 'asks_ask' : `marks_${this.kind}`;
    const asked = { name, arguments: args };
    // Told that it was not run, this very call is made again; what comes after it is about a call that runs.
    const answer = await this.#complete(asked, await this.#ask('tools/call', asked, call), call);
    if (this.kind === 'long') await this.#readOn(answer, call);
  }

  /** Answers what is asked and comes back for what takes long, until it is there. */
  async #complete(first: Params, told: Params, call: Call): Promise<Params> {
    let [asked, answer] = [first, told];
    for (;;) {
      call.texts.push(JSON.stringify(answer));
      if (answer['isError'] === true) throw new Error(JSON.stringify(answer['content']));
      const pending = ((answer['_meta'] ?? {}) as Params)['tooltray/pending'] as { handle: string } | undefined;
      if (answer['resultType'] === 'input_required') {
        const { inputRequests, requestState } = answer as { inputRequests: Params; requestState: string };
        const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, accepted(call.id)]));
        answer = await this.#again('tools/call', { ...asked, inputResponses, requestState }, call);
      } else if (pending === undefined) return answer;
      else {
        asked = { name: 'await_result', arguments: { handle: pending.handle, waitSeconds: 30 } };
        answer = await this.#again('tools/call', asked, call);
      }
    }
  }

  /** A part that was left out of the answer. Where it could not be kept it was told whole. */
  async #readOn(answer: Params, call: Call): Promise<void> {
    const text = JSON.stringify(answer);
    if (text.includes('line 200 of')) return;
    const [resultFile] = /\b[a-km-np-z2-9]{20}\b/.exec(text) ?? [];
    const asked = { name: 'read_result', arguments: { resultFile, op: 'grep', pattern: 'line 200 ' } };
    for (;;) {
      try {
        // On a busy machine it takes so long that it has a handle: what is away is told at the end of it, too.
        await this.#complete(asked, await this.#again('tools/call', asked, call), call);
        return;
      } catch (error) {
        const said = (error as Error).message;
        if (!/does not answer|cannot be reached/.test(said)) throw error;
        // The engine that has it is away: it is there again with it.
        call.refusals.push(said);
        await sleep(againMs);
      }
    }
  }

  /** Of a call that runs already: until somebody answers. */
  async #again(method: string, params: Params, call: Call): Promise<Params> {
    for (;;) {
      try {
        return await this.#ask(method, params, call);
      } catch (error) {
        if (!(error instanceof NotRun)) throw error;
        call.refusals.push(error.message);
        await sleep(againMs);
      }
    }
  }

  /** Throws NotRun where that is said, else Error where it was lost. */
  async #ask(method: string, params: Params, call: Call): Promise<Params> {
    const line = await this.#open(call);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': this.#capabilities,
      'io.modelcontextprotocol/clientInfo': { name: 'chaos', version: '1' },
    };
    const sent = this.era === '2026-07-28' ? { ...params, _meta: meta } : params;
    const { message, status } = await line.exchange(method, sent).catch((error: unknown) => {
      throw error instanceof NoAnswer && error.status === 503 ? new NotRun(error.message) : error;
    });
    if (message.error === undefined) return message.result ?? {};
    const said = `${status} ${message.error.code} ${message.error.message}`;
    // A session of nobody: this app opens another one, as every client does.
    if (status === 404) this.#line = undefined;
    throw status === 503 || status === 404 ? new NotRun(said) : new Error(said);
  }

  get #capabilities(): Params {
    return this.kind === 'ask' ? { elicitation: { form: {} } } : {};
  }

  /** Its session, opened anew where it has none. */
  async #open(call: Call): Promise<Line> {
    this.#line ??= this.#enter(call);
    try {
      return await this.#line;
    } catch (error) {
      this.#line = undefined;
      // An app that could not greet has asked for nothing yet.
      throw new NotRun(`not greeted: ${(error as Error).message}`);
    }
  }

  async #enter(call: Call): Promise<Line> {
    const { url, token } = this.#asker;
    const line = new HttpClient(url, this.era === '2026-07-28', bearer(token));
    line.onRequest('elicitation/create', (params) => {
      this.#calls
        .findLast(({ id }) => id.startsWith(`${this.#asker.name}/${this.era}/ask/`))
        ?.texts.push(JSON.stringify(params));
      return accepted(call.id);
    });
    if (this.era === '2026-07-28') return line;
    const clientInfo = { name: 'chaos', version: '1' };
    const hello = { protocolVersion: '2025-11-25', capabilities: this.#capabilities, clientInfo };
    const { message } = await line.exchange('initialize', hello);
    if (message.error !== undefined) throw new Error(message.error.message);
    return line;
  }
}

/** Calls that began since then, and whose apps wait without having been told that nothing was run. */
export function notTold(calls: readonly Call[], since: number): readonly Call[] {
  // One that was asked something runs already, and waits for what its app has to say.
  const waiting = calls.filter(({ outcome, from, texts }) => outcome === 'open' && from > since && texts.length === 0);
  return waiting.filter(({ refusals }) => !refusals.some(saysNothingRan));
}

/** An app that could not greet has asked for nothing yet. */
function saysNothingRan(said: string): boolean {
  return said.startsWith('503') || said.startsWith('not greeted');
}

function accepted(id: string): Params {
  return { action: 'accept', content: { name: id.split('/')[0] } };
}

/** Whose marks stand in what was answered; where a part was left out, one may be cut. */
export function marksIn(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(/«([\w./-]+)»/g)].map(([, id = '']) => id)))];
}
