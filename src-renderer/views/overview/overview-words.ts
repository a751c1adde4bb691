/** What the overview's figures say, in words. Pure. */
import type { AppState, SavingsSummary } from '../../../src-main/rpc/contract.ts';
import { compact, compactCount, count } from '../../lib/format.ts';

const causeNames: Readonly<Record<string, string>> = {
  lists: 'Tool lists',
  instructions: 'Instructions of servers',
  results: 'Big results kept on disk or shortened',
  code: 'Results that programs worked on',
  discovery: 'Looking tools up',
  helpers: 'Texts of our own tools',
  readback: 'Reading kept results again',
};

export function causeName(cause: string): string {
  return causeNames[cause] ?? cause;
}

/** What the big number means: `fewer tokens than without Tooltray, 92 % less`. */
export function savingsMeaning({ without, net }: SavingsSummary): string {
  if (net < 0) return 'tokens more than without Tooltray so far: its own lists and look-ups are not paid for yet';
  const share = without > 0 ? Math.round((net / without) * 100) : 0;
  return `tokens saved${share > 0 ? `, ${share} % of what your apps would have read` : ''}`;
}

export function estimateNote({ estimatedShare }: SavingsSummary): string {
  if (estimatedShare <= 0) return '';
  const percent = Math.round(estimatedShare * 100);
  return percent === 0 ? 'less than 1 % estimated' : `${percent} % estimated`;
}

/** What counts of answers is what the apps would have let in of them; empty where that is all of it. */
export function uncappedNote({ without, uncapped }: SavingsSummary): string {
  return uncapped === without ? '' : `${compact(uncapped)} without us if apps let everything in that servers sent`;
}

/** `≈ 0.55 USD`; empty where no price is set. */
export function worth(net: number, pricePerMillion: number | undefined, currency: string): string {
  if (pricePerMillion === undefined) return '';
  const amount = (net / 1_000_000) * pricePerMillion;
  return `≈ ${amount.toLocaleString('en', { maximumFractionDigits: Math.abs(amount) < 1 ? 3 : 2 })} ${currency}`;
}

/** Where data flows are counted and there is something to tell, or to decide. */
export function showsFlow({ mode, week, mayOffer }: NonNullable<AppState['flow']>): boolean {
  return mode === 'record' && (mayOffer || (week.recorded ?? 0) > 0);
}

export function flowSentence(recorded: number): string {
  if (recorded === 0)
    return 'No call of the last seven days would have been asked about: none sent to where only an answer led.';
  const what = recorded === 1 ? 'It was' : 'They were';
  return `${count(recorded, 'call')} of the last seven days went to where only an answer of a tool led. ${what} let through and counted.`;
}

export function tokensInWords(tokens: number): string {
  return compactCount(tokens, 'token');
}

/** Nobody has set anything up: only what Tooltray brings itself is there, and no app has called. */
export function isFirstUse({ servers, activity }: Partial<Pick<AppState, 'servers' | 'activity'>>): boolean {
  return servers?.every(({ transport }) => transport === 'builtin') === true && activity?.recent.length === 0;
}
