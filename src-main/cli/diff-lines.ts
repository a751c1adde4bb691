/** Formats diffs for the terminal, for every command that shows one. */
import type { DiffLine, InboxPart } from '../rpc/contract.ts';
import { oneLine, paint, plainText } from './terminal.ts';

const signs = { same: ' ', new: '+', gone: '-', other: '~' } as const;

/** One line each: `  + Argument 2: "x"`. */
export function diffLines(lines: readonly DiffLine[]): string[] {
  return lines.map(({ change, text }) => `  ${signs[change]} ${plainText(text)}`);
}

/** A part of a pending decision: its notes, new sentences, and diff. */
export function partLines({ title, notes, added, lines, more }: InboxPart): string[] {
  return [
    '',
    paint('head', oneLine(title)),
    ...notes.map(({ text, isGrave }) => `  ${isGrave ? paint('bad', '!') : ' '} ${oneLine(text)}`),
    ...added.map(({ place, sentence }) => `  ${paint('good', '+')} ${oneLine(place)}: ${plainText(sentence)}`),
    ...(added.length > 0 && lines.length > 0 ? ['  Diff:'] : []),
    ...diffLines(lines),
    ...(more === 0 ? [] : [`  … and ${more} more.`]),
  ];
}
