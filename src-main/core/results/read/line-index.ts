/** Where lines begin in a file: every so many bytes the number of the line there, so that a line is found without reading all before it. */
import { readWindow } from './file-window.ts';

/** Lines are the parts between line feeds: a line feed at the end is followed by one more, empty line. */
export interface LineIndex {
  readonly totalLines: number;
  /** `lineFeeds[i]`: how many line feeds lie before byte `i * stride`. */
  readonly lineFeeds: readonly number[];
}

const stride = 1024 * 1024;
const lineFeed = 0x0a;

export function indexLines(fd: number, bytes: number, step: () => void): LineIndex {
  const lineFeeds: number[] = [];
  let count = 0;
  for (let from = 0; from < bytes; from += stride) {
    lineFeeds.push(count);
    const window = readWindow(fd, from, Math.min(stride, bytes - from));
    for (let at = window.indexOf(lineFeed); at >= 0; at = window.indexOf(lineFeed, at + 1)) count++;
    step();
  }
  return { totalLines: count + 1, lineFeeds };
}

/** Where line `line` begins; one that is not there begins behind the end. */
export function startOfLine(fd: number, bytes: number, index: LineIndex, line: number): number {
  if (line <= 1) return 0;
  const before = line - 1;
  const block = Math.max(0, firstNotBelow(index.lineFeeds, before) - 1);
  let count = index.lineFeeds[block] ?? 0;
  const from = block * stride;
  const window = readWindow(fd, from, Math.min(stride, bytes - from));
  for (let at = window.indexOf(lineFeed); at >= 0; at = window.indexOf(lineFeed, at + 1)) {
    if (++count === before) return from + at + 1;
  }
  return bytes;
}

/** The first place in a rising list whose number is not below this. */
function firstNotBelow(numbers: readonly number[], number: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
