/** One line of a change, as a terminal shows it. */
import type { InstallPreview } from '../rpc/contract.ts';
import { plainText } from './plain-text.ts';
import { paint } from './print.ts';

export function diffText({ kind, text }: InstallPreview['diff'][number]): string {
  const line = plainText(text).replace(/\n/g, ' ');
  if (kind === 'added') return paint('good', `+ ${line}`);
  return kind === 'removed' ? paint('bad', `- ${line}`) : `  ${line}`;
}
