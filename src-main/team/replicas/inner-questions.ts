/**
 * What one replica asks another of what that one alone has in its memory, for a person who came to the one that asks: JSON there and back, once,
 * over the inner door. Nobody passes it on again. Whoever answers looks themselves whether it is that person's.
 */
import { request as send } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { AppError } from '../../core/base/errors.ts';
import { isObject, jsonIn, type JsonObject } from '../../core/base/json.ts';
import type { Person } from '../../core/security/owned-ids.ts';
import { limitConnecting, placeOf } from './inner-address.ts';
import { digestOf, passHeader, type QuestionClaims, signQuestionPass } from './passes.ts';
import type { Reach } from './reach.ts';
import type { Replica } from './replica-registry.ts';
import type { Seals } from './seals.ts';
import { errorIn, tellError } from './told-error.ts';

/** Rejects with what whoever asks is told. `signal`: nobody waits for it any more. */
export type AnswerQuestion = (input: JsonObject, person: Person, signal: AbortSignal) => Promise<object>;

/** Where they come to at the inner door. */
export const questionPath = '/question';

/** Refused with a reason. Source: RFC 9110, 15.5.10. */
const refused = 409;

interface InnerQuestionsParts {
  readonly seals: Seals;
  /** By the database's clock, in ms. */
  readonly now: () => number;
  readonly reach: Pick<Reach, 'watch'>;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

export class InnerQuestions {
  readonly #parts: InnerQuestionsParts;
  readonly #answers = new Map<string, AnswerQuestion>();

  constructor(parts: InnerQuestionsParts) {
    this.#parts = parts;
  }

  /** Who answers questions of this kind here from now on. */
  answer(kind: string, answer: AnswerQuestion): void {
    this.#answers.set(kind, answer);
  }

  /** What came to the inner door; undefined: nobody here answers such a question. Never rejects. */
  async take({ kind, person }: QuestionClaims, text: string, signal: AbortSignal): Promise<Answered | undefined> {
    const answer = this.#answers.get(kind);
    const input = jsonIn(text);
    if (answer === undefined || !isObject(input)) return undefined;
    try {
      return { status: 200, text: JSON.stringify(await answer(input, person, signal)) };
    } catch (error) {
      return { status: refused, text: tellError(error) };
    }
  }

  /**
   * `signal`: nobody waits for it any more. Rejects with what the other replica says; with AppError store_unreachable where it did not take the
   * question, call_failed where it was lost over it.
   */
  async ask(replica: Replica, kind: string, input: object, person: Person, signal?: AbortSignal): Promise<JsonObject> {
    const body = JSON.stringify(input);
    const claims = { to: replica.id, person, kind, digest: digestOf(body) };
    const { status, text } = await this.#send(
      replica,
      signQuestionPass(this.#parts.seals, claims, this.#parts.now()),
      body,
      signal,
    );
    const told = jsonIn(text);
    if (status === 200 && isObject(told)) return told;
    // One of another version may not know it.
    throw (status === refused ? errorIn(text) : undefined) ?? unreached();
  }

  #send(replica: Replica, pass: string, body: string, signal: AbortSignal | undefined): Promise<Answered> {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    const headers = {
      [passHeader]: pass,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const to = { ...placeOf(replica.address), method: 'POST', path: questionPath, agent: false };
    const asked = send({ ...to, headers, ...(signal && { signal }) });
    let isConnected = false;
    limitConnecting(asked, () => (isConnected = true));
    const unwatch = this.#parts.reach.watch(replica.id, () => asked.destroy(new Error('It does not answer any more.')));
    const fail = (cause: unknown): void => reject(isConnected ? lost(cause) : unreached(cause));
    asked.once('error', fail);
    asked.once('response', (answer) => {
      textOf(answer).then((text) => resolve({ status: answer.statusCode ?? 0, text }), fail);
    });
    asked.end(body);
    return promise.finally(unwatch);
  }
}

function unreached(cause?: unknown): AppError {
  return new AppError(
    'store_unreachable',
    'The replica of Tooltray that has this does not answer at the moment; nothing was done.',
    { fix: 'Try again in a few seconds.', cause },
  );
}

function lost(cause: unknown): AppError {
  return new AppError('call_failed', 'The replica of Tooltray that has this was lost in the middle of it.', {
    fix: 'It may have been done: look before you do it anew.',
    cause,
  });
}
