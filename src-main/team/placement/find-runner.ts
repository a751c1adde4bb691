/**
 * Finds one person's process for a front: at the runner that has it, wherever that is, else at the first that takes it on in the order
 * that all replicas share. While the right to run it is still another one's that is gone, it waits for that to end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, toAppError } from '../../core/base/errors.ts';
import type { StdioServerConfig } from '../../core/config/app-config.ts';
import type { Person } from '../../core/servers/personal-lines.ts';
import type { Transport } from '../../core/wire/transport.ts';
import { byRendezvous } from '../replicas/rendezvous.ts';
import type { LineAnswer } from './runner-line.ts';

export type WantedServer = Pick<StdioServerConfig, 'name' | 'maxMessageBytes' | 'initTimeoutMs'>;

/** One that takes lines on, or this replica itself. */
export interface Runner {
  readonly id: string;
  /** Never rejects. */
  readonly ask: (person: Person, server: WantedServer, signal: AbortSignal) => Promise<LineAnswer>;
}

interface FindRunnerOptions {
  /** Those that begin processes now. */
  readonly runners: () => readonly Runner[];
  /** One that may be about to end, by its id. */
  readonly find: (id: string) => Runner | undefined;
  /** Asks who is there now. Never rejects. */
  readonly refresh: () => Promise<void>;
  /** How long it waits for another one's right to end, in ms. */
  readonly patienceMs: () => number;
}

/** Of the time that a server has for its first answer. */
const patientPart = 0.9;
/** Between two tries, in ms; each asks the database for the right. */
const firstPauseMs = 50;
const longestPauseMs = 500;

export class FindRunner {
  readonly #options: FindRunnerOptions;

  constructor(options: FindRunnerOptions) {
    this.#options = options;
  }

  /** A line that is not started. Rejects with AppError why it cannot be had. */
  async lineTo(person: Person, server: WantedServer, signal: AbortSignal): Promise<Transport> {
    // Whoever waits for the server gives up after its own time, and would not be told why.
    const until = performance.now() + Math.min(this.#options.patienceMs(), patientPart * server.initTimeoutMs);
    for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
      const found = await this.#try(person, server, signal);
      if (!(found instanceof AppError)) return found;
      if (performance.now() + pause > until) throw found;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw new AppError('cancelled', 'The connection was closed before it was open.');
      await this.#options.refresh();
    }
  }

  /** A line, or why it is worth waiting for one. Rejects where it is not. */
  async #try(person: Person, server: WantedServer, signal: AbortSignal): Promise<Transport | AppError> {
    let why = nobody(server.name);
    for (const runner of byRendezvous(this.#options.runners(), person, server.name)) {
      const answer = await runner.ask(person, server, signal);
      if (answer.kind === 'line') return answer.line;
      if (answer.kind === 'unreached') continue;
      why = answer.why;
      const holder = holderIn(why);
      if (holder !== undefined) return this.#atHolder(holder, runner.id, why, person, server, signal);
      if (!isFullOrEnding(why)) throw why;
    }
    // One that is full is full for longer than anybody waits.
    if (why.data?.['next'] === 'full') throw why;
    return why;
  }

  async #atHolder(
    holder: string,
    asked: string,
    why: AppError,
    person: Person,
    server: WantedServer,
    signal: AbortSignal,
  ): Promise<Transport | AppError> {
    const runner = holder === asked ? undefined : this.#options.find(holder);
    const answer = await runner?.ask(person, server, signal);
    if (answer?.kind === 'line') return answer.line;
    if (answer?.kind !== 'refused' || holderIn(answer.why) !== undefined || isFullOrEnding(answer.why)) return why;
    throw answer.why;
  }
}

/** Why one does not take it on, where another one may. */
export function nextOne(why: 'full' | 'ending'): { readonly next: string } {
  return { next: why };
}

/** What of this replica's own runner comes, as of any other's. */
export async function asAnswer(line: Promise<Transport>): Promise<LineAnswer> {
  return line.then(
    (opened): LineAnswer => ({ kind: 'line', line: opened }),
    (error: unknown): LineAnswer => ({ kind: 'refused', why: toAppError(error) }),
  );
}

function isFullOrEnding({ data }: AppError): boolean {
  return data?.['next'] === 'full' || data?.['next'] === 'ending';
}

/** The runner that has the right; empty: it has just let go of it. */
function holderIn({ code, data }: AppError): string | undefined {
  const runner = data?.['runner'];
  return code === 'server_starting' && typeof runner === 'string' ? runner : undefined;
}

function nobody(server: string): AppError {
  return new AppError('server_starting', `${server}: no runner of the team answers, and nothing was run.`, {
    fix: 'Try again in a few seconds; whoever runs Tooltray looks after replicas with the role runner or all.',
  });
}
