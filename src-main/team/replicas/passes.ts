/**
 * What a replica signs when it passes a request on to the one that has what it names: for that one alone, once, within seconds, and for
 * this very request; or when it wants a line to one person's process, or asks for somebody who looks at the dashboard. Whoever let them in
 * has looked at their token; the token itself goes no further.
 */
import { hash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, jsonIn, type JsonObject } from '../../core/base/json.ts';
import type { Person } from '../../core/security/owned-ids.ts';
import { oneOf } from '../../core/sessions/http/inbound.ts';
import type { SessionPlace } from '../../core/sessions/http/legacy-line.ts';
import type { Seals } from './seals.ts';

export const passHeader = 'tooltray-pass';

/** Both replicas read the database's clock, so this is for the way and for a busy machine, in ms. */
const validMs = 30_000;

/** What is said of a request besides its body. */
export interface Passed {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PassClaims {
  /** Id of the replica that it is for. */
  readonly to: string;
  readonly place: SessionPlace;
  readonly person: Person;
  /** Of the body; as `digestOf` makes it. */
  readonly digest: string;
}

/** For a line to one person's process of a server. */
export interface LineClaims {
  /** Id of the replica that it is for, and of the one that asks. */
  readonly to: string;
  readonly from: string;
  readonly person: Person;
  readonly server: string;
}

/** For a question of what that replica alone has. */
export interface QuestionClaims {
  /** Id of the replica that it is for. */
  readonly to: string;
  /** For whom it is asked. */
  readonly person: Person;
  /** Who answers it there. */
  readonly kind: string;
  /** Of the body; as `digestOf` makes it. */
  readonly digest: string;
}

interface Stamp {
  readonly to: string;
  readonly at: number;
  readonly nonce: string;
}

/** Of the app's headers these go along; they are signed, too. */
export function passedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const named = Object.entries(headers).filter(
    ([name]) => ['accept', 'content-type', 'last-event-id'].includes(name) || /^(mcp-|trace(parent|state)$)/.test(name),
  );
  const texts = named.map(([name, value]): [string, string] => [name, oneOf(value) ?? '']);
  return Object.fromEntries(texts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The value of the header. `now`: by the database's clock, in ms. */
export function signPass(seals: Seals, claims: PassClaims, passed: Passed, now: number): string {
  const text = stamped(claims, now);
  return `${text}.${seals.make(signed(text, passed))}`;
}

/** The same for a line. */
export function signLinePass(seals: Seals, claims: LineClaims, now: number): string {
  const text = stamped(claims, now);
  return `${text}.${seals.make(signedForLine(text))}`;
}

/** The same for a question. */
export function signQuestionPass(seals: Seals, claims: QuestionClaims, now: number): string {
  const text = stamped(claims, now);
  return `${text}.${seals.make(signedForQuestion(text))}`;
}

/** Reads passes that are for one replica, each once. */
export class PassReader {
  readonly #seals: Seals;
  readonly #replica: string;
  readonly #now: () => number;
  /** Nonces that were used, in order of time, and until when. */
  readonly #used = new Map<string, number>();

  constructor(seals: Seals, replica: string, now: () => number) {
    this.#seals = seals;
    this.#replica = replica;
    this.#now = now;
  }

  /** Passes that could be brought again, and would not be taken. */
  get remembered(): number {
    return this.#used.size;
  }

  /** undefined: it is none, is too old, was used, is for another replica or for another request. The body is to be looked at besides. */
  read(pass: unknown, passed: Passed): PassClaims | undefined {
    const claims = this.#open(pass, (text) => signed(text, passed));
    return isOfRequest(claims) && this.#use(claims) ? claims : undefined;
  }

  /** The same for a line. */
  readLine(pass: unknown): LineClaims | undefined {
    const claims = this.#open(pass, signedForLine);
    return isOfLine(claims) && this.#use(claims) ? claims : undefined;
  }

  /** The same for a question. The body is to be looked at besides. */
  readQuestion(pass: unknown): QuestionClaims | undefined {
    const claims = this.#open(pass, signedForQuestion);
    return isOfQuestion(claims) && this.#use(claims) ? claims : undefined;
  }

  #open(pass: unknown, signedParts: (text: string) => readonly string[]): unknown {
    const [, text = '', seal = ''] = typeof pass === 'string' ? (/^([\w-]+)\.([\w-]+)$/.exec(pass) ?? []) : [];
    if (!this.#seals.holds(signedParts(text), seal)) return undefined;
    return jsonIn(Buffer.from(text, 'base64url').toString());
  }

  #use({ to, at, nonce }: Stamp): boolean {
    if (to !== this.#replica) return false;
    const now = this.#now();
    if (Math.abs(now - at) > validMs) return false;
    for (const [used, until] of this.#used) {
      if (until > now) break;
      this.#used.delete(used);
    }
    if (this.#used.has(nonce)) return false;
    this.#used.set(nonce, now + 2 * validMs);
    return true;
  }
}

/** Of a body, or of there being none. */
export function digestOf(text: string | undefined): string {
  return text === undefined ? 'none' : hash('sha256', text, 'base64url');
}

function stamped(claims: object, now: number): string {
  return Buffer.from(JSON.stringify({ ...claims, at: Math.round(now), nonce: randomUUID() })).toString('base64url');
}

function signed(claims: string, { method, headers }: Passed): readonly string[] {
  return ['pass', claims, method, JSON.stringify(headers)];
}

function signedForLine(claims: string): readonly string[] {
  return ['line', claims];
}

function signedForQuestion(claims: string): readonly string[] {
  return ['question', claims];
}

/** Whoever has the key says what is said; a version after this one may say other things. */
function isOfRequest(value: unknown): value is PassClaims & Stamp {
  if (!isObject(value) || !isObject(value['place'])) return false;
  const { place, digest } = value;
  return isStamped(value) && [digest, place['path'], place['holder']].every((text) => typeof text === 'string');
}

function isOfLine(value: unknown): value is LineClaims & Stamp {
  return (
    isObject(value) && isStamped(value) && [value['from'], value['server']].every((text) => typeof text === 'string')
  );
}

function isOfQuestion(value: unknown): value is QuestionClaims & Stamp {
  return (
    isObject(value) && isStamped(value) && [value['kind'], value['digest']].every((text) => typeof text === 'string')
  );
}

function isStamped({ person, to, at, nonce }: JsonObject): boolean {
  if (!isObject(person) || typeof at !== 'number') return false;
  return [to, nonce, person['tenant'], person['user']].every((text) => typeof text === 'string');
}
