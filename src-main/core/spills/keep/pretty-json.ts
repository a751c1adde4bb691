/**
 * Rewrites JSON with one element a line while its bytes pass, whatever its size. Numbers keep their spelling, members
 * their order; strings are escaped as JSON.stringify does it, so that the same value has the same bytes and é can be searched for.
 */
import {
  beginNumber,
  type Consumer,
  continueNumber,
  type EscapeListener,
  HeardBytes,
  isWhole,
  JsonStack,
  Malformed,
  StringEscapes,
  writeUtf8,
} from './json-bytes.ts';
import type { PartDraft } from './part-draft.ts';
import type { ShapeBuilder } from './shape.ts';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;

const state = {
  value: 0,
  /** Behind `[`: a value, or its end. */
  firstElement: 1,
  /** Behind `{`: a name, or its end. */
  firstName: 2,
  name: 3,
  colon: 4,
  afterValue: 5,
  string: 6,
  number: 7,
  literal: 8,
  done: 9,
} as const;

const literals: Readonly<Record<number, Uint8Array>> = {
  0x74: Buffer.from('true'),
  0x66: Buffer.from('false'),
  0x6e: Buffer.from('null'),
};
const lineFeed = Buffer.from(`\n${' '.repeat(255)}`);

export class PrettyJson implements Consumer {
  readonly #draft: PartDraft;
  readonly #shape: ShapeBuilder | undefined;
  readonly #stack = new JsonStack();
  readonly #heard = new HeardBytes();
  readonly #string: PrettyString;
  #state: number = state.value;
  #isName = false;
  #numberState = 0;
  #literal: Uint8Array = lineFeed;
  #literalAt = 0;
  /** Indentation that may still be written: deep nesting would make gigabytes of spaces out of a megabyte. */
  #spacesLeft = 65_536;

  constructor(draft: PartDraft, shape?: ShapeBuilder) {
    this.#draft = draft;
    this.#shape = shape;
    this.#string = new PrettyString(draft, this.#heard);
  }

  get done(): boolean {
    return this.#state === state.done;
  }

  push(bytes: Uint8Array, start: number, end: number): number {
    this.#spacesLeft += 4 * (end - start);
    let at = start;
    while (at < end && this.#state !== state.done) {
      if (this.#state === state.string) at = this.#inString(bytes, at, end);
      else if (this.#state === state.number) at = this.#inNumber(bytes, at, end);
      else if (this.#state === state.literal) at = this.#inLiteral(bytes[at] as number, at);
      else at = this.#structure(bytes[at] as number, at);
    }
    return at;
  }

  #structure(byte: number, at: number): number {
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return at + 1;
    switch (this.#state) {
      case state.afterValue:
        this.#afterValue(byte);
        return at + 1;
      case state.colon:
        if (byte !== colon) throw new Malformed('A name without its colon.');
        this.#draft.byte(colon);
        this.#draft.byte(0x20);
        this.#state = state.value;
        return at + 1;
      case state.firstName:
      case state.name:
        this.#name(byte);
        return at + 1;
      default:
        this.#value(byte);
        return at + 1;
    }
  }

  #name(byte: number): void {
    if (byte === 0x7d && this.#state === state.firstName) {
      this.#close(byte, false);
      return;
    }
    if (byte !== quote) throw new Malformed('A member without its name.');
    if (this.#state === state.firstName) this.#newLine();
    this.#beginString(true);
  }

  #value(byte: number): void {
    if (this.#state === state.firstElement) {
      if (byte === 0x5d) {
        this.#close(byte, false);
        return;
      }
      this.#newLine();
    }
    if (byte === quote) this.#beginString(false);
    else if (byte === 0x7b || byte === 0x5b) this.#open(byte);
    else this.#scalar(byte);
  }

  #scalar(byte: number): void {
    const literal = literals[byte];
    if (literal !== undefined) {
      this.#literal = literal;
      this.#literalAt = 1;
      this.#state = state.literal;
      return;
    }
    this.#numberState = beginNumber(byte);
    if (this.#numberState < 0) throw new Malformed('Nothing that begins a value.');
    this.#state = state.number;
    this.#heard.begin(this.#shape?.listening === true);
    this.#heard.byte(byte);
    this.#draft.byte(byte);
  }

  #open(byte: number): void {
    const isObject = byte === 0x7b;
    this.#draft.byte(byte);
    this.#shape?.open(isObject);
    this.#stack.push(isObject);
    this.#state = isObject ? state.firstName : state.firstElement;
  }

  #close(byte: number, hasElements: boolean): void {
    if (this.#stack.pop() !== (byte === 0x7d)) throw new Malformed('A bracket that closes another one.');
    if (hasElements) this.#newLine();
    this.#draft.byte(byte);
    this.#shape?.close();
    this.#endValue();
  }

  #afterValue(byte: number): void {
    if (byte === 0x7d || byte === 0x5d) {
      this.#close(byte, true);
      return;
    }
    if (byte !== comma) throw new Malformed('Values without a comma between them.');
    this.#draft.byte(comma);
    this.#newLine();
    this.#state = this.#stack.inObject ? state.name : state.value;
  }

  #endValue(): void {
    this.#state = this.#stack.depth === 0 ? state.done : state.afterValue;
  }

  #newLine(): void {
    const width = 2 * this.#stack.depth;
    if (width > this.#spacesLeft) {
      this.#draft.byte(0x0a);
      return;
    }
    this.#spacesLeft -= width;
    this.#draft.push(lineFeed, 0, Math.min(width + 1, lineFeed.length));
    for (let left = width + 1 - lineFeed.length; left > 0; left--) this.#draft.byte(0x20);
  }

  #inLiteral(byte: number, at: number): number {
    if (byte !== this.#literal[this.#literalAt]) throw new Malformed('Nothing that begins a value.');
    if (++this.#literalAt < this.#literal.length) return at + 1;
    this.#draft.push(this.#literal, 0, this.#literal.length);
    this.#shape?.scalar(this.#literal === literals[0x6e] ? 'null' : 'boolean', 0);
    this.#endValue();
    return at + 1;
  }

  #inNumber(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    for (; at < end; at++) {
      const next = continueNumber(this.#numberState, bytes[at] as number);
      if (next < 0) break;
      this.#numberState = next;
    }
    this.#draft.push(bytes, start, at);
    this.#heard.add(bytes, start, at);
    if (at < end) this.#endNumber();
    return at;
  }

  #endNumber(): void {
    if (!isWhole(this.#numberState)) throw new Malformed('A number that is not whole.');
    this.#shape?.scalar('number', this.#heard.listening ? Number(this.#heard.text) : 0);
    this.#endValue();
  }

  #beginString(isName: boolean): void {
    this.#state = state.string;
    this.#isName = isName;
    this.#heard.begin(isName && this.#shape?.listening === true);
    this.#string.begin();
  }

  #inString(bytes: Uint8Array, start: number, end: number): number {
    const at = this.#string.push(bytes, start, end);
    if (this.#string.done) this.#endString();
    return at;
  }

  #endString(): void {
    if (this.#isName) {
      if (this.#heard.listening) this.#shape?.name(this.#heard.text);
      this.#state = state.colon;
    } else {
      this.#shape?.scalar('string', this.#string.length);
      this.#endValue();
    }
  }
}

// Rewrites strings of JSON while their bytes pass, escaped as JSON.stringify does it.

const backslash = 0x5c;

const shortEscapes: Readonly<Record<number, number>> = {
  0x22: 0x22,
  0x5c: 0x5c,
  0x08: 0x62,
  0x0c: 0x66,
  0x0a: 0x6e,
  0x0d: 0x72,
  0x09: 0x74,
};

class PrettyString implements Consumer, EscapeListener {
  readonly #draft: PartDraft;
  readonly #heard: HeardBytes;
  readonly #escapes = new StringEscapes(this);
  readonly #character = Buffer.allocUnsafe(4);
  /** Of the string so far, in bytes for what is plain, in characters for what is escaped. */
  length = 0;
  done = true;

  /** `heard`: gets the string's text where it listens. */
  constructor(draft: PartDraft, heard: HeardBytes) {
    this.#draft = draft;
    this.#heard = heard;
  }

  /** The opening quote came. */
  begin(): void {
    this.done = false;
    this.length = 0;
    this.#draft.byte(quote);
  }

  push(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end && !this.done) {
      if (this.#escapes.active) this.#escapes.byte(bytes[at++] as number);
      else at = this.#plain(bytes, at, end);
    }
    return at;
  }

  character(codePoint: number): void {
    const length = writeUtf8(codePoint, this.#character, 0);
    const escape = shortEscapes[codePoint];
    if (escape !== undefined) {
      this.#draft.byte(backslash);
      this.#draft.byte(escape);
    } else if (codePoint < 0x20) this.loneSurrogate(codePoint);
    else this.#draft.push(this.#character, 0, length);
    this.length++;
    this.#heard.add(this.#character, 0, length);
  }

  /** Stays an escape: UTF-8 has nothing else for it. */
  loneSurrogate(unit: number): void {
    this.#draft.text(`\\u${unit.toString(16).padStart(4, '0')}`);
  }

  /** Everything up to the next byte that means something, and that byte. */
  #plain(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === quote || byte === backslash || byte < 0x20) break;
    }
    if (at > start) this.#run(bytes, start, at);
    if (at === end) return end;
    const byte = bytes[at] as number;
    if (byte === backslash) this.#escapes.begin();
    else if (byte === quote) this.#end();
    else throw new Malformed('A control character in a string.');
    return at + 1;
  }

  #run(bytes: Uint8Array, start: number, end: number): void {
    if (this.#escapes.waiting) this.#escapes.settle();
    this.#draft.push(bytes, start, end);
    this.length += end - start;
    this.#heard.add(bytes, start, end);
  }

  #end(): void {
    if (this.#escapes.waiting) this.#escapes.settle();
    this.#draft.byte(quote);
    this.done = true;
  }
}
