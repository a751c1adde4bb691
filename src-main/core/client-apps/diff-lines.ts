/** What a change does to a text, as lines to show: the part that differs, with a few lines around it. */
import { maskText } from '../base/mask.ts';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

const around = 3;
const longestLine = 300;

/** Secrets in it are masked. Edits of ours are one place, so what differs lies between what is the same at both ends. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const show = (kind: DiffLine['kind'], lines: readonly string[]): DiffLine[] =>
    lines.map((text) => ({ kind, text: shown(text) }));
  const [removed, added] = narrowed(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail));
  return [
    ...show('same', fresh.slice(Math.max(0, head - around), head)),
    ...show('removed', removed),
    ...show('added', added),
    ...show('same', fresh.slice(fresh.length - tail, fresh.length - tail + around)),
  ];
}

/** A file of one long line: only what differs of it. */
function narrowed(
  removed: readonly string[],
  added: readonly string[],
): readonly [readonly string[], readonly string[]] {
  const [old, fresh] = [removed[0] ?? '', added[0] ?? ''];
  if (removed.length !== 1 || added.length !== 1 || Math.max(old.length, fresh.length) <= longestLine)
    return [removed, added];
  let head = 0;
  while (head < old.length && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, fresh.length) - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const part = (line: string): string =>
    `${head > 40 ? '…' : ''}${line.slice(Math.max(0, head - 40), line.length - Math.max(0, tail - 40))}${tail > 40 ? '…' : ''}`;
  return [[part(old)], [part(fresh)]];
}

function shown(line: string): string {
  const masked = maskText(line.slice(0, 10_000));
  return masked.length > longestLine ? `${masked.slice(0, longestLine)}…` : masked;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
