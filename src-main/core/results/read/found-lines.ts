/** The text of op grep while it grows: lines with their numbers, the ones around them, and no more than fits. */
import type { FileLine } from './each-line.ts';
import type { Match } from './line-pattern.ts';

/** Longer lines are shown as what surrounds the match, in characters. */
const longestLine = 1000;
const beforeMatch = 200;

export class FoundLines {
  readonly #context: number;
  readonly #mostMatches: number;
  readonly #maxBytes: number;
  readonly #lines: string[] = [];
  /** Lines that will be shown if one of the next matches. */
  #before: { number: number; shown: string }[] = [];
  #after = 0;
  #bytes = 0;
  #lastShown = 0;
  #returned = 0;
  #isFull = false;

  constructor(context: number, mostMatches: number, maxBytes: number) {
    // A line takes at least four bytes: more of them could not be told.
    this.#context = Math.min(context, Math.ceil(maxBytes / 4));
    this.#mostMatches = mostMatches;
    this.#maxBytes = maxBytes;
  }

  /** Matches that are shown. */
  get returned(): number {
    return this.#returned;
  }

  /** More would not have fitted. */
  get isFull(): boolean {
    return this.#isFull;
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  match(line: FileLine, found: Match): void {
    const hasRoom = !this.#isFull && this.#returned < this.#mostMatches;
    this.#after = hasRoom ? this.#context : 0;
    if (!hasRoom) return;
    const before = this.#before.filter(({ number }) => number !== line.number);
    this.#before = [];
    for (const { number, shown } of before) this.#show(number, shown);
    if (this.#lastShown !== line.number && this.#show(line.number, excerpt(line, found))) this.#returned++;
  }

  pass(line: FileLine): void {
    const { number } = line;
    // Of a line in parts the first stands for it.
    const isKnown = number === this.#lastShown || number === this.#before.at(-1)?.number;
    if (this.#isFull || this.#context === 0 || isKnown) return;
    if (this.#after > 0) {
      this.#after--;
      this.#show(number, excerpt(line));
      return;
    }
    this.#before.push({ number, shown: excerpt(line) });
    if (this.#before.length > this.#context) this.#before.shift();
  }

  #show(number: number, shown: string): boolean {
    if (this.#isFull || number === this.#lastShown) return !this.#isFull;
    const isApart = this.#lastShown > 0 && number > this.#lastShown + 1;
    const line = `${isApart ? '---\n' : ''}${number}: ${shown}`;
    this.#bytes += Buffer.byteLength(line) + 1;
    if (this.#bytes > this.#maxBytes) {
      this.#isFull = true;
      return false;
    }
    this.#lines.push(line);
    this.#lastShown = number;
    return true;
  }
}

/** A line as it is shown: a long one around the match, with half a pair of surrogates at no end. */
function excerpt(line: FileLine, { at, length }: Match = { at: 0, length: 0 }): string {
  const { text, partFrom } = line;
  if (text.length <= longestLine && partFrom === undefined) return text;
  const from = Math.max(0, Math.min(at - beforeMatch, text.length - longestLine));
  const to = Math.min(text.length, Math.max(from + longestLine, Math.min(at + length, from + 2 * longestLine)));
  const middle = text
    .slice(from, to)
    .replace(/^[\udc00-\udfff]/, '')
    .replace(/[\ud800-\udbff]$/, '');
  const place =
    partFrom === undefined
      ? `characters ${from + 1} to ${to} of ${text.length}`
      : `a part of the line: more with op='read', fromByte=${partFrom + Buffer.byteLength(text.slice(0, from))}`;
  return `${from > 0 || partFrom !== undefined ? '…' : ''}${middle}${to < text.length ? '…' : ''} [${place}]`;
}
