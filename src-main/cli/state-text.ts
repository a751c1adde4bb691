/** How an app is connected, in a word. */
import type { AppRow } from '../rpc/contract.ts';
import { paint, type Paint } from './print.ts';

const states: Readonly<Record<AppRow['connected'], readonly [Paint, string]>> = {
  yes: ['good', 'connected'],
  stale: ['bad', 'outdated'],
  no: ['quiet', 'not connected'],
};

export function stateText({ connected, problem }: Pick<AppRow, 'connected' | 'problem'>): string {
  const [how, word] = problem === '' ? states[connected] : (['bad', 'unreadable'] as const);
  return paint(how, word);
}
