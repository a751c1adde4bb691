/** Ops head, tail, slice and read: a stretch of the file, cut where it would be too long. */
import type { ResultAnswer } from '../result-files.ts';
import { brokenCharacter, readWindow, wholeCharacters } from './file-window.ts';
import { type LineIndex, startOfLine } from './line-index.ts';
import type { ReadTarget } from './reader-messages.ts';

export interface Stretch {
  /** First byte, and the one behind the last. */
  readonly from: number;
  readonly to: number;
}

export function readHead(target: ReadTarget, index: LineIndex, lines: number, maxBytes: number): ResultAnswer {
  const to = endOfLine(target, index, lines);
  return { ...readFrom(target, { from: 0, to }, maxBytes), fields: { lines, totalLines: index.totalLines } };
}

/** Of a tail that is too long the end is what was asked for. */
export function readTail(target: ReadTarget, index: LineIndex, lines: number, maxBytes: number): ResultAnswer {
  const { fd, bytes } = target;
  const fields = { lines, totalLines: index.totalLines };
  const wanted = startOfLine(fd, bytes, index, index.totalLines - lines + 1);
  const from = Math.max(wanted, bytes - maxBytes);
  if (from === wanted) return { ...readFrom(target, { from, to: bytes }, maxBytes), fields };
  const window = readWindow(fd, from, bytes - from);
  const text = window.toString('utf8', brokenCharacter(window));
  const note = `[TRUNCATED at ${maxBytes} bytes: the first ${from - wanted} bytes of these lines are left out. From there: op='read', fromByte=${wanted}]`;
  return { text: `${note}\n${text}`, fields, truncated: true };
}

export function readSlice(
  target: ReadTarget,
  index: LineIndex,
  wanted: { readonly fromLine: number; readonly toLine: number | undefined },
  maxBytes: number,
): ResultAnswer {
  const { totalLines } = index;
  const fromLine = Math.min(wanted.fromLine, totalLines);
  const toLine = Math.max(fromLine, Math.min(wanted.toLine ?? totalLines, totalLines));
  const fields = { fromLine, toLine, totalLines };
  // Clamping must not turn lines behind the end into the last one.
  if (wanted.fromLine > totalLines) {
    return { text: `(the file ends with line ${totalLines})`, fields, truncated: false };
  }
  const from = startOfLine(target.fd, target.bytes, index, fromLine);
  return { ...readFrom(target, { from, to: endOfLine(target, index, toLine) }, maxBytes), fields };
}

export function readBytes(target: ReadTarget, index: LineIndex, fromByte: number, maxBytes: number): ResultAnswer {
  const { bytes } = target;
  const from = Math.min(fromByte, bytes);
  const fields = { totalLines: index.totalLines, byteSize: bytes, ...(from > 0 && { fromByte: from }) };
  return { ...readFrom(target, { from, to: bytes }, maxBytes), fields };
}

function readFrom({ fd, bytes }: ReadTarget, { from, to }: Stretch, maxBytes: number): Omit<ResultAnswer, 'fields'> {
  const window = readWindow(fd, from, Math.min(maxBytes, to - from));
  if (from + window.length >= to) return { text: window.toString('utf8'), truncated: false };
  // Less than a character would never get on.
  const length = wholeCharacters(window) || window.length;
  const next = from + length;
  const note = `[TRUNCATED at ${maxBytes} bytes of ${to - from}. Go on with op='read', fromByte=${next}; the file has ${bytes} bytes]`;
  return { text: `${window.toString('utf8', 0, length)}\n${note}`, truncated: true };
}

/** Where line `line` ends, without its line feed. */
function endOfLine({ fd, bytes }: ReadTarget, index: LineIndex, line: number): number {
  return line >= index.totalLines ? bytes : startOfLine(fd, bytes, index, line + 1) - 1;
}
