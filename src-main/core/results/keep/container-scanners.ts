/** Walk over an object or a list of JSON in pieces, and hand each value to whoever wants it. */
import { type Consumer, Malformed } from './consumer.ts';
import { StringReader } from './string-reader.ts';

/** Names may be this long, in bytes. */
const longestName = 64 * 1024;

const begin = 0;
const first = 1;
const next = 2;
const inName = 3;
const colon = 4;
const value = 5;
const inValue = 6;
const after = 7;

/** Makes the consumer of a value that begins with the byte. */
export type MakeConsumer = (firstByte: number, name: string) => Consumer;

/** One class for both: they differ in names and brackets only. */
class ContainerScanner implements Consumer {
  readonly #isObject: boolean;
  readonly #make: MakeConsumer;
  readonly #ended: () => void;
  #state = begin;
  #name = '';
  #inner: Consumer | undefined;
  done = false;

  constructor(isObject: boolean, make: MakeConsumer, ended: () => void) {
    this.#isObject = isObject;
    this.#make = make;
    this.#ended = ended;
  }

  push(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end && !this.done) {
      if (this.#inner !== undefined) at = this.#feed(this.#inner, bytes, at, end);
      else if (isSpace(bytes[at] as number)) at++;
      else at = this.#token(bytes[at] as number, at);
    }
    return at;
  }

  #feed(inner: Consumer, bytes: Uint8Array, start: number, end: number): number {
    const at = inner.push(bytes, start, end);
    if (inner.done) {
      this.#inner = undefined;
      this.#state = this.#state === inName ? colon : after;
    }
    return at;
  }

  /** Answers where to go on: at the same byte where a value begins with it. */
  #token(byte: number, at: number): number {
    const closing = this.#isObject ? 0x7d : 0x5d;
    if (this.#state === begin) {
      if (byte !== (this.#isObject ? 0x7b : 0x5b)) throw new Malformed('Another value than was expected.');
      this.#state = first;
    } else if (this.#state === after) {
      if (byte === closing) this.#end();
      else if (byte === 0x2c) this.#state = next;
      else throw new Malformed('Values without a comma between them.');
    } else if (this.#state === colon) {
      if (byte !== 0x3a) throw new Malformed('A name without its colon.');
      this.#state = value;
    } else if (this.#state === first && byte === closing) this.#end();
    else {
      this.#beginInner(byte);
      return at;
    }
    return at + 1;
  }

  #beginInner(byte: number): void {
    if (this.#isObject && this.#state !== value) {
      this.#state = inName;
      const name: Buffer[] = [];
      this.#inner = new StringReader({ push: (bytes, start, end) => addTo(name, bytes, start, end) }, () => {
        this.#name = Buffer.concat(name).toString('utf8');
      });
    } else {
      this.#state = inValue;
      this.#inner = this.#make(byte, this.#name);
    }
  }

  #end(): void {
    this.done = true;
    this.#ended();
  }
}

export class ObjectScanner extends ContainerScanner {
  constructor(make: MakeConsumer, ended: () => void) {
    super(true, make, ended);
  }
}

export class ListScanner extends ContainerScanner {
  constructor(make: MakeConsumer, ended: () => void) {
    super(false, make, ended);
  }
}

function addTo(pieces: Buffer[], bytes: Uint8Array, start: number, end: number): void {
  if (pieces.length > 0 || end - start > longestName) throw new Malformed('A name that is too long.');
  pieces.push(Buffer.from(bytes.subarray(start, end)));
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
