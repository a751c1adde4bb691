/**
 * The texts that one session has read and written, in order, to find which one named a destination first. In memory
 * only and bounded: beyond the limit the session is incomplete, and a destination that is not found may still have
 * been read.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../base/json.ts';
import { TimeSlices } from '../../base/scheduling/time-slices.ts';
import type { Result } from '../../wire/message.ts';
import type { RawJson } from '../../wire/raw-json.ts';
import type { Destination } from './destinations.ts';
import { argumentPieces, fieldMark, plainMark, readPieces, recipientMark, type Source } from './readable-lines.ts';

/**
 * `named`: in arguments before any result, or only as a recipient in records; `new`: nowhere so far; `unknown`:
 * not found, and the memory is incomplete.
 */
export type Provenance =
  | { readonly kind: 'named' | 'new' | 'unknown' }
  | { readonly kind: 'read'; readonly source: Source };

/** Limits in characters. */
export interface ProvenanceLimits {
  readonly result: number;
  readonly session: number;
}

export const provenanceLimits: ProvenanceLimits = { result: 4_000_000, session: 16_000_000 };

type Pending = { readonly args: JsonObject } | { readonly read: Result | RawJson | string; readonly source: Source };

/** Number of characters that are searched or read before the event loop gets its next turn. */
const turnLength = 1_000_000;
const named: Provenance = { kind: 'named' };

export class SessionProvenance {
  readonly #limits: ProvenanceLimits;
  /** Distinct texts in reading order; undefined: arguments of a call. */
  readonly #texts = new Map<string, Source | undefined>();
  /** Origins that later texts cannot change, by the destination's key. */
  readonly #known = new Map<string, Provenance>();
  #pending: Pending[] = [];
  #length = 0;
  #isIncomplete: boolean;
  #settling: Promise<void> | undefined;

  /** `isIncomplete`: an earlier memory of this session was evicted. */
  constructor(limits: ProvenanceLimits = provenanceLimits, isIncomplete = false) {
    this.#limits = limits;
    this.#isIncomplete = isIncomplete;
  }

  /** Number of stored characters. */
  get length(): number {
    return this.#length;
  }

  /** Records what the model wrote. Returns at once. */
  noteArguments(args: JsonObject | undefined): void {
    if (args !== undefined) this.#pending.push({ args });
  }

  /** Records what the model read. Returns at once. */
  recordRead(read: Result | RawJson | string, source: Source): void {
    this.#pending.push({ read, source });
  }

  /** Records that a call went to a new destination, so that later texts are not the first to name it. */
  noteSent({ key, kind }: Destination): void {
    if (kind !== 'name' && !this.#known.has(key)) this.#known.set(key, named);
  }

  /** Whether the session named this destination first, as far as known without a search. */
  isKnownNamed({ key }: Destination): boolean {
    return this.#known.get(key) === named;
  }

  /** Indexes everything recorded, in turns with other work. */
  async settle(): Promise<void> {
    while (this.#pending.length > 0 || this.#settling !== undefined) {
      this.#settling ??= this.#readPending().finally(() => (this.#settling = undefined));
      await this.#settling;
    }
  }

  /** Who named a destination first, for a call of `server`. Call it after `settle`. */
  async originOf(to: Destination, server: string): Promise<Provenance> {
    const known = this.#known.get(to.key);
    if (known !== undefined) return known;
    if (to.kind === 'name') return this.#originOfName(to.key.slice('name '.length), server);
    for (const spelling of to.spellings) {
      const source = await this.#firstToName(spelling, isAsciiWordCharacter);
      if (source === null) continue;
      if (source !== undefined && this.#isRecord(spelling)) return named;
      const origin: Provenance = source === undefined ? named : { kind: 'read', source };
      this.#known.set(to.key, origin);
      return origin;
    }
    const joined = to.kind === 'mail' ? await this.#originOfParts(to.key.slice('mail '.length)) : undefined;
    return joined ?? { kind: this.#isIncomplete ? 'unknown' : 'new' };
  }

  /** Whether a text that was read contains this whole address. `url`: as `Destination.url` spells it. */
  hasUrl(url: string): boolean {
    const lower = url.toLowerCase();
    return [...this.#texts].some(
      ([text, source]) =>
        source !== undefined &&
        occurrences(text, lower, isAsciiWordCharacter).some((at) =>
          /^\/?(?:$|[\s"'<>\\`^{}|)\]#]|[.,;:!?)\]]+(?:\s|$))/.test(
            text.slice(at + lower.length, at + lower.length + 4),
          ),
        ),
    );
  }

  async #readPending(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    for (const one of pending) {
      if ('args' in one) await this.#storePieces(argumentPieces(one.args), undefined);
      else await this.#storePieces(readPieces(one.read, one.source), one.source, this.#limits.result);
    }
  }

  /** `maxLength`: the rest is not indexed. */
  async #storePieces(pieces: Iterable<string>, source: Source | undefined, maxLength = Infinity): Promise<void> {
    const slices = new TimeSlices();
    let left = maxLength;
    for (const piece of pieces) {
      if (left <= 0) {
        this.#isIncomplete = true;
        return;
      }
      left -= piece.length;
      this.#store(piece, source);
      await slices.next();
    }
  }

  #store(text: string, source: Source | undefined): void {
    if (text === '' || this.#texts.has(text)) return;
    if (this.#length + text.length > this.#limits.session) this.#isIncomplete = true;
    else {
      this.#texts.set(text, source);
      this.#length += text.length;
    }
  }

  /** The source of the first text with this spelling; undefined: arguments; null: none. */
  async #firstToName(spelling: string, joins: Joins): Promise<Source | undefined | null> {
    let searched = 0;
    for (const [text, source] of this.#texts) {
      // The session must have named the destination itself, not a longer address that ends with it.
      if (occurrences(text, spelling, source === undefined ? isAddressCharacter : joins).length > 0) return source;
      searched += text.length;
      if (searched < turnLength) continue;
      searched = 0;
      await nextTurn();
    }
    return null;
  }

  /** The case where user and host were read separately and never named by the session. */
  async #originOfParts(address: string): Promise<Provenance | undefined> {
    const [user = '', host = ''] = address.split('@');
    // A plain first name occurs in many texts.
    if (!/[._\d-]/.test(user) && user.length < 8) return undefined;
    const [first, second] = [
      await this.#firstToName(user, isAsciiWordCharacter),
      await this.#firstToName(host, isAsciiWordCharacter),
    ];
    return first && second ? { kind: 'read', source: first } : undefined;
  }

  /**
   * A name that the server itself lists, as a member or a channel, belongs to it. Otherwise every word of the name
   * must have been read before.
   */
  async #originOfName(name: string, server: string): Promise<Provenance> {
    if (this.#isListed(name, server)) return named;
    let read: Source | undefined;
    for (const word of name.split(/\s+/)) {
      const source = await this.#firstToName(word, isWordCharacter);
      if (!source) return { kind: 'new' };
      read ??= source;
    }
    return read === undefined ? { kind: 'new' } : { kind: 'read', source: read };
  }

  #isListed(name: string, server: string): boolean {
    const lines = [recipientMark, fieldMark, plainMark].map((mark) => `${mark}${name}\n`);
    return [...this.#texts].some(
      ([text, source]) => source?.server === server && lines.some((line) => text.includes(line)),
    );
  }

  /**
   * Whether everything that was read contains an address only as a separate value, at least once as a recipient in a
   * record (a payee, a participant). An address inside a sentence may be an instruction.
   */
  #isRecord(spelling: string): boolean {
    if (this.#isIncomplete) return false;
    let isRecipient = false;
    for (const [text, source] of this.#texts) {
      if (source === undefined) continue;
      for (const at of occurrences(text, spelling, isAsciiWordCharacter)) {
        const before = text[at - 1];
        if (text[at + spelling.length] !== '\n' || (before !== recipientMark && before !== fieldMark)) return false;
        isRecipient ||= before === recipientMark;
      }
    }
    return isRecipient;
  }
}

/**
 * Whether a character next to a spelling makes it part of a longer word. `after`: it and its successor follow the
 * spelling.
 */
type Joins = (character: string, after?: string) => boolean;

const isAsciiWordCharacter: Joins = (character) => /[a-z0-9]/.test(character);
const isWordCharacter: Joins = (character) => /[\p{L}\p{N}_]/u.test(character);
const isAddressCharacter: Joins = (character, after) =>
  after === undefined ? /[\p{L}\p{N}_.+%-]/u.test(character) : /^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}])/u.test(after);

function occurrences(text: string, spelling: string, joins: Joins): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + 1)) {
    const end = at + spelling.length;
    const isPart =
      (at > 0 && joins(text[at - 1] as string)) ||
      (end < text.length && joins(text[end] as string, text.slice(end, end + 2)));
    if (!isPart) found.push(at);
  }
  return found;
}
