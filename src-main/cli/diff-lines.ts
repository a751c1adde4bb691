/** Lines of a change on a terminal, as every command that shows one prints them. */
import type { DiffLine, InboxPart } from '../rpc/contract.ts';
import { oneLine, paint, plainText } from './terminal.ts';

const signs = { same: ' ', new: '+', gone: '-', other: '~' } as const;

/** `  + Argument 2: "x"`, a line each. */
export function diffLines(lines: readonly DiffLine[]): string[] {
  return lines.map(({ change, text }) => `  ${signs[change]} ${plainText(text)}`);
}

/** A part of what waits: its notes, the sentences that are new, and its lines. */
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
