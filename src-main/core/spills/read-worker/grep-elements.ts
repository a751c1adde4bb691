/** Op `grep` in pretty-printed JSON: reports each matching line with the array element that contains it. */
import type { FileLine } from './read-lines.ts';

/** Maximum length of a reported element, in characters of compact JSON; longer ones are reported by line. */
const maxElementLength = 2000;
/** Maximum number of buffered matches: those in an element that has not ended yet. */
const maxBufferedMatches = 1000;

export interface FoundElement {
  /** 1-based line numbers, both inclusive. */
  readonly fromLine: number;
  readonly toLine: number;
  /** The element as one line of JSON; only the matching line if the element is too long. */
  readonly text: string;
  /** Number of matching lines in the element. */
  readonly matches: number;
}

interface OpenContainer {
  readonly fromLine: number;
  readonly isList: boolean;
  /** Whether it is an object in an array. */
  readonly isElement: boolean;
  /** Lines read so far; undefined once the element is too long. */
  lines: string[] | undefined;
  length: number;
  /** Matches inside, reported one by one if this container is too long. */
  readonly waiting: FoundElement[];
}

/**
 * Streaming parser. Call `addLine` for every line in order, then `match` if the line matched. An element is returned
 * with its last line.
 */
export class ElementMatcher {
  readonly #open: OpenContainer[] = [];
  #waiting = 0;

  /** Returns the elements that end with this line. */
  addLine({ number, text, partFrom }: FileLine): readonly FoundElement[] {
    const line = text.trim();
    const isClosing = /^[}\]],?$/.test(line);
    if (!isClosing && /[{[]$/.test(line)) this.#begin(number, line.endsWith('['));
    for (const one of this.#open) grow(one, partFrom === undefined ? line : undefined);
    const ended = isClosing ? this.#open.pop() : undefined;
    return ended === undefined ? [] : this.#end(ended, number);
  }

  /** Marks the line as a match; `shown` is its text outside an element. Returns false if it is in no element. */
  match(number: number, shown: string): boolean {
    const holder = this.#open.findLast(({ isList }) => !isList);
    if (holder === undefined || this.#open.every(({ isElement }) => !isElement)) return false;
    if (this.#waiting < maxBufferedMatches) {
      this.#waiting++;
      holder.waiting.push({ fromLine: number, toLine: number, text: shown, matches: 1 });
    }
    return true;
  }

  #begin(fromLine: number, isList: boolean): void {
    const isElement = !isList && this.#open.at(-1)?.isList === true;
    this.#open.push({ fromLine, isList, isElement, lines: [], length: 0, waiting: [] });
  }

  /** Reports the outermost element within the length limit; matches inside it are buffered until it ends. */
  #end({ waiting, fromLine, lines }: OpenContainer, toLine: number): readonly FoundElement[] {
    if (waiting.length === 0) return [];
    const matches = waiting.reduce((sum, one) => sum + one.matches, 0);
    const whole = lines && { fromLine, toLine, text: lines.map(compact).join('').replace(/,$/, ''), matches };
    const reported = whole === undefined ? waiting : [whole];
    const above = this.#open.findLast(({ isList }, at) => !isList && this.#open.slice(0, at + 1).some(isInList));
    if (above !== undefined) {
      above.waiting.push(...reported);
      this.#waiting -= waiting.length - reported.length;
      return [];
    }
    this.#waiting -= waiting.length;
    if (whole !== undefined) return reported;
    const note = ` [in an element of lines ${fromLine} to ${toLine}, too long to show: op='slice']`;
    return waiting.map((one) => ({ ...one, text: one.text + note }));
  }
}

function isInList({ isElement }: OpenContainer): boolean {
  return isElement;
}

function grow(open: OpenContainer, line: string | undefined): void {
  if (open.lines === undefined) return;
  open.length += line?.length ?? maxElementLength + 1;
  if (open.length > maxElementLength) open.lines = undefined;
  else open.lines.push(line ?? '');
}

/** Removes the space after member names. */
function compact(line: string): string {
  return line.replace(/^("(?:[^"\\]|\\.)*"): /, '$1:');
}
