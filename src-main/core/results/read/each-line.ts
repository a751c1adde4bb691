/** Goes through the lines of a file of any size, one block in memory at a time. */
import { readWindow, wholeCharacters } from './file-window.ts';

export interface FileLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Set where the line is too long for one go: at which byte this part of it begins. Its other parts have the same number. */
  readonly partFrom?: number;
}

const blockLength = 4 * 1024 * 1024;
const lineFeed = 0x0a;

/** A line feed at the end of the file is followed by one more, empty line. */
export function* eachLine(fd: number, bytes: number): Generator<FileLine, void, undefined> {
  let number = 1;
  let from = 0;
  let isInside = false;
  while (from < bytes) {
    const window = readWindow(fd, from, Math.min(blockLength, bytes - from));
    // The file has become shorter meanwhile.
    if (window.length === 0) return;
    const isLast = from + window.length >= bytes;
    const wholeLines = isLast ? window.length : window.lastIndexOf(lineFeed) + 1;
    const length = wholeLines === 0 ? wholeCharacters(window) || window.length : wholeLines;
    const text = window.toString('utf8', 0, length);
    if (wholeLines === 0) yield { number, text, partFrom: from };
    else number = yield* linesOf(text, number, isInside ? from : undefined);
    isInside = wholeLines === 0;
    from += length;
  }
  if (bytes === 0 || endsWithLineFeed(fd, bytes)) yield { number, text: '' };
}

/** Returns the number of the line that comes next. `partFrom`: the first one began before. */
function* linesOf(text: string, first: number, partFrom: number | undefined): Generator<FileLine, number, undefined> {
  let number = first;
  let start = 0;
  const part = partFrom === undefined ? {} : { partFrom };
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    yield { number, text: text.slice(start, end), ...(number === first && part) };
    number++;
    start = end + 1;
  }
  if (start < text.length) yield { number, text: text.slice(start), ...(number === first && part) };
  return number;
}

function endsWithLineFeed(fd: number, bytes: number): boolean {
  return readWindow(fd, bytes - 1, 1)[0] === lineFeed;
}
