/** Finds its way in a JSON file of any size by looking at its bytes: where a value ends, and what is inside of it. Nothing is parsed. */
import { AppError } from '../../base/errors.ts';
import { isSpace } from '../../wire/is-space.ts';
import { readWindow } from './file-window.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
/** `[` and `]` differ from `{` and `}` in this bit alone. */
const bracketBit = 0x20;
const open = 0x7b;
const close = 0x7d;

/** A value: the topmost one, or one inside of a list or a group. */
export class JsonChild {
  readonly key: string | number;
  /** Where it begins with its name, and where its value does. */
  readonly start: number;
  readonly from: number;
  readonly #scanner: JsonScanner;
  #end: number | undefined;

  constructor(scanner: JsonScanner, key: string | number, start: number, from: number) {
    this.#scanner = scanner;
    this.key = key;
    this.start = start;
    this.from = from;
  }

  /** Behind its last byte; looked for when somebody asks. */
  get end(): number {
    this.#end ??= this.#scanner.endOfValue(this.from);
    return this.#end;
  }
}

/** Everything throws AppError unsupported where the file is no JSON. */
export class JsonScanner {
  readonly #fd: number;
  readonly #bytes: number;
  readonly #windowBytes: number;
  #window: Buffer = Buffer.alloc(0);
  #base = 0;

  constructor(fd: number, bytes: number, windowBytes = 1024 * 1024) {
    this.#fd = fd;
    this.#bytes = bytes;
    this.#windowBytes = windowBytes;
  }

  /** The topmost value. Editors put a mark in front that JSON does not know. */
  get top(): JsonChild {
    const from = this.#skipSpace(this.#byteAt(0) === 0xef ? 3 : 0);
    return new JsonChild(this, 0, from, from);
  }

  isList(at: number): boolean {
    return this.#byteAt(at) === openList;
  }

  isGroup(at: number): boolean {
    return this.#byteAt(at) === open;
  }

  text(from: number, to: number): string {
    return readWindow(this.#fd, from, to - from).toString('utf8');
  }

  /** What the value at `at` holds, in order; nothing for a scalar. */
  *children(at: number): Generator<JsonChild, void, undefined> {
    const isList = this.isList(at);
    if (!isList && !this.isGroup(at)) return;
    let next = this.#skipSpace(at + 1);
    if (this.#isClose(next)) return;
    for (let index = 0; ; index++) {
      const child = isList ? new JsonChild(this, index, next, next) : this.#member(next);
      yield child;
      next = this.#skipSpace(child.end);
      if (this.#isClose(next)) return;
      if (this.#byteAt(next) !== comma) throw noJson(next);
      next = this.#skipSpace(next + 1);
    }
  }

  endOfValue(at: number): number {
    const first = this.#byteAt(at);
    if (first === quote || (first | bracketBit) === open) return this.#endOfNested(at);
    let end = at;
    for (let byte = first; byte !== -1 && byte !== comma && !isSpace(byte) && !isCloseByte(byte);) {
      byte = this.#byteAt(++end);
    }
    if (end === at) throw noJson(at);
    return end;
  }

  #member(start: number): JsonChild {
    if (this.#byteAt(start) !== quote) throw noJson(start);
    const end = this.endOfValue(start);
    const between = this.#skipSpace(end);
    if (this.#byteAt(between) !== colon) throw noJson(between);
    const name = JSON.parse(this.text(start, end)) as string;
    return new JsonChild(this, name, start, this.#skipSpace(between + 1));
  }

  /** Of a text, or of a list or group with all that is in it: the loop that goes over every byte of the file. */
  #endOfNested(at: number): number {
    let depth = 0;
    let isInText = false;
    for (let place = at; place < this.#bytes;) {
      const window = this.#windowAt(place);
      let index = place - this.#base;
      while (index < window.length) {
        const byte = window[index++] ?? 0;
        if (isInText) {
          // What is escaped may lie in the next window: the place is carried over.
          if (byte === backslash) index++;
          else if (byte === quote) {
            isInText = false;
            if (depth === 0) return this.#base + index;
          }
        } else if (byte === quote) isInText = true;
        else if ((byte | bracketBit) === open) depth++;
        else if ((byte | bracketBit) === close && --depth === 0) return this.#base + index;
      }
      place = this.#base + index;
    }
    throw noJson(this.#bytes);
  }

  #skipSpace(at: number): number {
    let next = at;
    while (isSpace(this.#byteAt(next))) next++;
    return next;
  }

  #isClose(at: number): boolean {
    return isCloseByte(this.#byteAt(at));
  }

  /** -1 behind the end of the file. */
  #byteAt(at: number): number {
    const inside = at - this.#base;
    if (inside >= 0 && inside < this.#window.length) return this.#window[inside] ?? -1;
    return at < this.#bytes ? (this.#windowAt(at)[at - this.#base] ?? -1) : -1;
  }

  #windowAt(at: number): Buffer {
    const inside = at - this.#base;
    if (inside < 0 || inside >= this.#window.length) {
      this.#window = readWindow(this.#fd, at, Math.min(this.#windowBytes, this.#bytes - at));
      this.#base = at;
      if (this.#window.length === 0) throw noJson(at);
    }
    return this.#window;
  }
}

function isCloseByte(byte: number): boolean {
  return (byte | bracketBit) === close;
}

function noJson(at: number): AppError {
  return new AppError('unsupported', `The file holds no JSON that could be asked: it breaks off at byte ${at}.`, {
    fix: "Use op='grep', 'head', 'tail', 'slice' or 'read'.",
  });
}
