/** Lines of a change on a terminal, as every command that shows one prints them. */
import type { DiffLine } from '../rpc/contract.ts';
import { plainText } from './terminal.ts';

const signs = { same: ' ', new: '+', gone: '-', other: '~' } as const;

/** `  + Argument 2: "x"`, a line each. */
export function diffLines(lines: readonly DiffLine[]): string[] {
  return lines.map(({ change, text }) => `  ${signs[change]} ${plainText(text)}`);
}
