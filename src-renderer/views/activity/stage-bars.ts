/** The stages of a call as consecutive bars. Pure. */
import type { CallDetail } from '../../../src-main/rpc/contract.ts';

export interface StageBar {
  readonly name: string;
  readonly what: string;
  readonly ms: number;
  /** Start and length, as fractions of the total. */
  readonly from: number;
  readonly share: number;
  /** The server's own time; the rest is Tooltray's. */
  readonly isServers: boolean;
}

const stages = [
  ['resolve', 'Tool lookup'],
  ['allow', 'Policy and argument validation'],
  ['call', 'Server time'],
  ['shape', 'Result shaping'],
] as const;

export function stageBars({ stages: times }: Pick<CallDetail, 'stages'>): readonly StageBar[] {
  const whole = Math.max(
    stages.reduce((sum, [name]) => sum + times[name], 0),
    Number.MIN_VALUE,
  );
  let startMs = 0;
  return stages.map(([name, what]) => {
    const ms = times[name];
    const bar = { name, what, ms, from: startMs / whole, share: ms / whole, isServers: name === 'call' };
    startMs += ms;
    return bar;
  });
}
