/** What a change does to a text, as lines to show: what differs, with a few lines around it, and a word for what is left out. */
import { maskText } from '../base/mask.ts';
import { count } from '../base/wording.ts';

export interface ChangedLine {
  /** `gap`: lines that stay as they are and are not shown; the text says how many. */
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  readonly text: string;
}

const around = 3;
const longestLine = 300;
/** Lines before times lines after, of the part that differs: beyond that all of it is shown as gone and come. */
const mostPairs = 1_000_000;

/** Secrets in it are masked. Nothing where both are the same. */
export function changedLines(before: string, after: string): ChangedLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const middle = changes(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail));
  if (middle.length === 0) return [];
  return [
    ...same(fresh.slice(Math.max(0, head - around), head)),
    ...folded(narrowed(middle)),
    ...same(fresh.slice(fresh.length - tail, fresh.length - tail + around)),
  ].map(({ kind, text }) => ({ kind, text: shown(text) }));
}

function same(lines: readonly string[]): ChangedLine[] {
  return lines.map((text) => ({ kind: 'same', text }));
}

/** The shortest way from one to the other, by the longest lines they have in common; what goes before what comes. */
function changes(old: readonly string[], fresh: readonly string[]): ChangedLine[] {
  const [removed, added] = [asLines('removed', old), asLines('added', fresh)];
  if (old.length * fresh.length > mostPairs) return [...removed, ...added];
  const width = fresh.length + 1;
  /** At `i * width + j`: how many lines old from i on and fresh from j on have in common. */
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const here = i * width + j;
      common[here] =
        old[i] === fresh[j]
          ? (common[here + width + 1] ?? 0) + 1
          : Math.max(common[here + width] ?? 0, common[here + 1] ?? 0);
    }
  }
  const lines: ChangedLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < fresh.length) {
    const here = i * width + j;
    if (old[i] === fresh[j]) {
      lines.push({ kind: 'same', text: old[i++] ?? '' });
      j++;
    } else if ((common[here + width] ?? 0) >= (common[here + 1] ?? 0)) lines.push(...removed.slice(i, ++i));
    else lines.push(...added.slice(j, ++j));
  }
  return [...lines, ...removed.slice(i), ...added.slice(j)];
}

function asLines(kind: ChangedLine['kind'], texts: readonly string[]): ChangedLine[] {
  return texts.map((text) => ({ kind, text }));
}

/** Long runs of what stays are told by their number. */
function folded(lines: readonly ChangedLine[]): ChangedLine[] {
  return runs(lines).flatMap((run) => {
    const left = run.length - 2 * around;
    if (run[0]?.kind !== 'same' || left < 2) return run;
    const gap: ChangedLine = { kind: 'gap', text: `${count(left, 'line')} as before` };
    return [...run.slice(0, around), gap, ...run.slice(-around)];
  });
}

/** A line so long that nobody would find the change in it: only what differs of it. */
function narrowed(lines: readonly ChangedLine[]): ChangedLine[] {
  const all = runs(lines);
  return all.flatMap((run, at) => {
    const [one] = run;
    const before = all[at - 1];
    const next = all[at + 1];
    if (one?.kind === 'removed' && run.length === 1 && next?.length === 1 && next[0]?.kind === 'added')
      return [{ ...one, text: parts(one.text, next[0].text)[0] }];
    if (one?.kind === 'added' && run.length === 1 && before?.length === 1 && before[0]?.kind === 'removed')
      return [{ ...one, text: parts(before[0].text, one.text)[1] }];
    return run;
  });
}

/** Neighbours of one kind. */
function runs(lines: readonly ChangedLine[]): ChangedLine[][] {
  const all: ChangedLine[][] = [];
  for (const line of lines) {
    const last = all.at(-1);
    if (last?.[0]?.kind === line.kind) last.push(line);
    else all.push([line]);
  }
  return all;
}

function parts(old: string, fresh: string): [string, string] {
  if (Math.max(old.length, fresh.length) <= longestLine) return [old, fresh];
  let head = 0;
  while (head < old.length && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, fresh.length) - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const part = (line: string): string =>
    `${head > 40 ? '…' : ''}${line.slice(Math.max(0, head - 40), line.length - Math.max(0, tail - 40))}${tail > 40 ? '…' : ''}`;
  return [part(old), part(fresh)];
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
