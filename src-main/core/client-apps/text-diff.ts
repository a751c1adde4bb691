/** The lines that a change adds and removes, with a few lines of context. */
import { structuredPatch, type StructuredPatchHunk } from 'diff';
import { maskText } from '../base/mask.ts';
import { formatCount } from '../base/text-format.ts';

export interface ChangedLine {
  /** `gap`: unchanged lines that are not shown; the text says how many. */
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  readonly text: string;
}

const context = 3;
const maxLineLength = 300;
/** Maximum number of different lines; beyond it, all lines between the first and the last difference are shown. */
const maxEditLength = 1_000;

/** The different lines with context. Secrets are masked. Empty if both texts have the same lines. */
export function changedLines(before: string, after: string): ChangedLine[] {
  const [old, fresh] = [wholeLines(before), wholeLines(after)];
  const patch = structuredPatch('', '', old, fresh, '', '', { context, maxEditLength });
  const lines = patch === undefined ? replaced(old, fresh) : patch.hunks.flatMap(linesOfHunk);
  return narrowed(lines).map(({ kind, text }) => ({ kind, text: shown(text) }));
}

/** Adds a line break after the last line. */
function wholeLines(text: string): string {
  const lines = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  return lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`;
}

function linesOfHunk(hunk: StructuredPatchHunk, at: number, all: readonly StructuredPatchHunk[]): ChangedLine[] {
  const last = all[at - 1];
  const left = last === undefined ? 0 : hunk.newStart - last.newStart - last.newLines;
  const gap: ChangedLine = { kind: 'gap', text: `${formatCount(left, 'unchanged line')}` };
  const lines = hunk.lines.map((line): ChangedLine => ({ kind: kinds[line[0] ?? ' '] ?? 'same', text: line.slice(1) }));
  return left === 0 ? lines : [gap, ...lines];
}

const kinds: Readonly<Record<string, ChangedLine['kind']>> = { '-': 'removed', '+': 'added' };

/** All lines except those at the beginning and end that both texts share. */
function replaced(before: string, after: string): ChangedLine[] {
  const [old, fresh] = [before.split('\n').slice(0, -1), after.split('\n').slice(0, -1)];
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const part = (kind: ChangedLine['kind'], lines: readonly string[]): ChangedLine[] =>
    lines.slice(head, lines.length - tail).map((text) => ({ kind, text }));
  return [...part('removed', old), ...part('added', fresh)];
}

/** Shortens a very long line to the part that differs. */
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

/** Groups adjacent lines of the same kind. */
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
  if (Math.max(old.length, fresh.length) <= maxLineLength) return [old, fresh];
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
  return masked.length > maxLineLength ? `${masked.slice(0, maxLineLength)}…` : masked;
}
