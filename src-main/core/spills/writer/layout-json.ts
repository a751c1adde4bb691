/** Formats valid JSON without parsing it: every number keeps its spelling, strings are escaped as by JSON.stringify. */

const quote = 0x22;
const backslash = 0x5c;
const lineFeed = 0x0a;
const space = 0x20;
/** Maximum indentation, because deep nesting would turn a megabyte into gigabytes of spaces. */
const maxIndent = 30;

/** One element per line and two spaces per level, as JSON.stringify(value, null, 2) writes it. `json` must be valid. */
export function layoutJson(json: Buffer): Buffer {
  return new JsonWriter(json, true).write();
}

/** Without white space between tokens. */
export function compactJson(json: Buffer): Buffer {
  return new JsonWriter(json, false).write();
}

class JsonWriter {
  readonly #json: Buffer;
  readonly #isLaidOut: boolean;
  #out: Buffer;
  #used = 0;
  #depth = 0;

  constructor(json: Buffer, isLaidOut: boolean) {
    this.#json = json;
    this.#isLaidOut = isLaidOut;
    this.#out = Buffer.allocUnsafe(json.length * (isLaidOut ? 2 : 1) + 256);
  }

  write(): Buffer {
    const json = this.#json;
    /** Whether nothing has followed the opening bracket yet. */
    let isEmpty = false;
    for (let at = 0; at < json.length;) {
      const byte = json[at] as number;
      if (byte <= space) {
        at++;
        continue;
      }
      this.#reserve(2 * maxIndent + 8);
      const isClose = byte === 0x7d || byte === 0x5d;
      if (isClose) this.#depth--;
      if (isEmpty !== isClose) this.#lineEnd();
      isEmpty = byte === 0x7b || byte === 0x5b;
      if (byte === quote) at = this.#string(at);
      else if (isEmpty || isClose || byte === 0x2c || byte === 0x3a) {
        this.#out[this.#used++] = byte;
        at++;
        if (isEmpty) this.#depth++;
        else if (byte === 0x2c) this.#lineEnd();
        else if (byte === 0x3a && this.#isLaidOut) this.#out[this.#used++] = space;
      } else at = this.#scalar(at);
    }
    return this.#out.subarray(0, this.#used);
  }

  #lineEnd(): void {
    if (!this.#isLaidOut) return;
    this.#out[this.#used++] = lineFeed;
    const end = this.#used + 2 * Math.min(this.#depth, maxIndent);
    while (this.#used < end) this.#out[this.#used++] = space;
  }

  #scalar(start: number): number {
    const json = this.#json;
    let at = start;
    for (; at < json.length; at++) {
      const byte = json[at] as number;
      if (byte <= space || byte === 0x2c || byte === 0x5d || byte === 0x7d) break;
    }
    this.#copy(start, at);
    return at;
  }

  /** Unnecessary escapes become the character, so that é can be searched. */
  #string(start: number): number {
    const json = this.#json;
    let isEscaped = false;
    let at = start + 1;
    for (; json[at] !== quote; at++) {
      if (json[at] !== backslash) continue;
      at++;
      isEscaped ||= json[at] === 0x75 || json[at] === 0x2f;
    }
    if (!isEscaped) this.#copy(start, at + 1);
    else {
      const text = JSON.stringify(JSON.parse(json.toString('utf8', start, at + 1)));
      this.#reserve(text.length * 3);
      this.#used += this.#out.write(text, this.#used);
    }
    return at + 1;
  }

  /** A loop is faster than a native call for short pieces, which most are. */
  #copy(start: number, end: number): void {
    this.#reserve(end - start);
    if (end - start > 64) this.#used += this.#json.copy(this.#out, this.#used, start, end);
    else for (let at = start; at < end; at++) this.#out[this.#used++] = this.#json[at] as number;
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#out.length) return;
    const larger = Buffer.allocUnsafe(this.#out.length * 2 + bytes);
    this.#out.copy(larger, 0, 0, this.#used);
    this.#out = larger;
  }
}

/** Returns the span of each member's value in a valid JSON object; the last of duplicate names counts. */
export function memberSpans(json: Buffer): Map<string, readonly [start: number, end: number]> {
  const spans = new Map<string, readonly [number, number]>();
  let depth = 0;
  let name: string | undefined;
  let start = -1;
  let last = 0;
  const end = (): void => {
    if (name !== undefined && start >= 0) spans.set(name, [start, last]);
    [name, start] = [undefined, -1];
  };
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    if (byte <= space) continue;
    const isClose = byte === 0x7d || byte === 0x5d;
    if (isClose) depth--;
    if ((isClose && depth === 0) || (depth === 1 && byte === 0x2c)) {
      end();
      continue;
    }
    const first = at;
    if (byte === quote) {
      for (at++; json[at] !== quote; at++) if (json[at] === backslash) at++;
    }
    if (depth === 1 && name === undefined) name = JSON.parse(json.toString('utf8', first, at + 1)) as string;
    else if (depth === 1 && byte !== 0x3a && start < 0) start = first;
    if (byte === 0x7b || byte === 0x5b) depth++;
    last = at + 1;
  }
  return spans;
}
