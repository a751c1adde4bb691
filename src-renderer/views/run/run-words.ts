/** Descriptions of runs, and of results in each mode. Pure. */
import type { ModePreview, RunState } from '../../../src-main/rpc/contract.ts';
import { bytes, compactCount } from '../../lib/format.ts';

type Outcome = NonNullable<RunState['end']>['outcome'];

export const outcomeTitles: Readonly<Record<Outcome, string>> = {
  ok: 'Server result',
  tool_error: 'The tool reported an error',
  failed: 'Failed',
  cancelled: 'Cancelled',
  blocked: 'Blocked by policy',
};

const givenWords: Readonly<Record<ModePreview['kind'], string>> = {
  whole: 'unchanged',
  toon: 'as TOON',
  kept: 'spilled, summary returned',
  program: 'returned to a program',
};

/** `as it is · 1.2 kB · 310 tokens`; data for programs is not read by a model. */
export function givenInWords({ kind, bytes: size, tokens, estimated }: ModePreview): string {
  if (kind === 'program') return givenWords[kind];
  return [givenWords[kind], bytes(size), `${estimated ? 'about ' : ''}${compactCount(tokens, 'token')}`].join(' · ');
}

/** `3 of 10: copying`; empty without progress from the server. */
export function progressInWords(progress: RunState['progress']): string {
  if (progress === undefined) return '';
  const { progress: done, total, message } = progress;
  const amount = typeof done !== 'number' ? '' : typeof total === 'number' ? `${done} of ${total}` : String(done);
  return [amount, typeof message === 'string' ? message : ''].filter((one) => one !== '').join(': ');
}
