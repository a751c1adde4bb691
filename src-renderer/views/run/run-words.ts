/** Descriptions of runs. Pure. */
import type { RunState } from '../../../src-main/rpc/contract.ts';

type Outcome = NonNullable<RunState['end']>['outcome'];

export const outcomeTitles: Readonly<Record<Outcome, string>> = {
  ok: 'Server result',
  tool_error: 'The tool reported an error',
  failed: 'Failed',
  cancelled: 'Cancelled',
  blocked: 'Blocked by policy',
};

/** `3 of 10: copying`; empty without progress from the server. */
export function progressInWords(progress: RunState['progress']): string {
  if (progress === undefined) return '';
  const { progress: done, total, message } = progress;
  const amount = typeof done !== 'number' ? '' : typeof total === 'number' ? `${done} of ${total}` : String(done);
  return [amount, typeof message === 'string' ? message : ''].filter((one) => one !== '').join(': ');
}
