/**
 * Op grep in pretty-printed JSON: a line that matches is a member of something, and that is what is told: the element
 * around it.
 */
import type { FileLine } from './read-lines.ts';

/** Longer elements are not told whole, in characters of compact JSON. */
const maxElementLength = 2000;
/** Matches that wait for the end of what they are in. */
const maxWaiting = 1000;

export interface FoundElement {
  /** From 1, both ends included. */
  readonly fromLine: number;
  readonly toLine: number;
  /** In one line; of an element that is too long the line that matches. */
  readonly text: string;
  /** Lines in it that match. */
  readonly matches: number;
}

interface Open {
  readonly fromLine: number;
  readonly isList: boolean;
  /** An object in a list. */
  readonly isElement: boolean;
  /** Its lines so far; undefined: they are too many. */
  lines: string[] | undefined;
  length: number;
  /** Matches in it, each as it is told where this one is too long. */
  readonly waiting: FoundElement[];
}

/**
 * To be told of each line in its order, and then whether it matched: what is found is whole when its last line has
 * passed.
 */
export class Elements {
  readonly #open: Open[] = [];
  #waiting = 0;

  /** Returns the elements that end with this line. */
  pass({ number, text, partFrom }: FileLine): readonly FoundElement[] {
    const line = text.trim();
    const ends = /^[}\]],?$/.test(line);
    if (!ends && /[{[]$/.test(line)) this.#begin(number, line.endsWith('['));
    for (const one of this.#open) grow(one, partFrom === undefined ? line : undefined);
    const ended = ends ? this.#open.pop() : undefined;
    return ended === undefined ? [] : this.#end(ended, number);
  }

  /** Marks the line as a match; `shown` is its text outside an element. Returns false if it is in no element. */
  match(number: number, shown: string): boolean {
    const holder = this.#open.findLast(({ isList }) => !isList);
    if (holder === undefined || this.#open.every(({ isElement }) => !isElement)) return false;
    if (this.#waiting < maxWaiting) {
      this.#waiting++;
      holder.waiting.push({ fromLine: number, toLine: number, text: shown, matches: 1 });
    }
    return true;
  }

  #begin(fromLine: number, isList: boolean): void {
    const isElement = !isList && this.#open.at(-1)?.isList === true;
    this.#open.push({ fromLine, isList, isElement, lines: [], length: 0, waiting: [] });
  }

  /** The outermost element that is not too long is told; what is inside of it waits for its end. */
  #end({ waiting, fromLine, lines }: Open, toLine: number): readonly FoundElement[] {
    if (waiting.length === 0) return [];
    const matches = waiting.reduce((sum, one) => sum + one.matches, 0);
    const whole = lines && { fromLine, toLine, text: lines.map(compact).join('').replace(/,$/, ''), matches };
    const told = whole === undefined ? waiting : [whole];
    const above = this.#open.findLast(({ isList }, at) => !isList && this.#open.slice(0, at + 1).some(isInList));
    if (above !== undefined) {
      above.waiting.push(...told);
      this.#waiting -= waiting.length - told.length;
      return [];
    }
    this.#waiting -= waiting.length;
    if (whole !== undefined) return told;
    const note = ` [in an element of lines ${fromLine} to ${toLine}, too long to be shown: op='slice']`;
    return waiting.map((one) => ({ ...one, text: one.text + note }));
  }
}

function isInList({ isElement }: Open): boolean {
  return isElement;
}

function grow(open: Open, line: string | undefined): void {
  if (open.lines === undefined) return;
  open.length += line?.length ?? maxElementLength + 1;
  if (open.length > maxElementLength) open.lines = undefined;
  else open.lines.push(line ?? '');
}

/** Without the space behind a name. */
function compact(line: string): string {
  return line.replace(/^("(?:[^"\\]|\\.)*"): /, '$1:');
}
