/** Calls per hour as the chart wants them. Pure. */
import type { ActivityOverview } from '../../../src-main/rpc/contract.ts';

/** The chart has no stacks: all calls are drawn in the colour of failures, and those answered over them. */
export function toData(hours: ActivityOverview['hours']): [number[], number[], number[]] {
  return [hours.map(({ from }) => from / 1_000), hours.map(({ ok, failed }) => ok + failed), hours.map(({ ok }) => ok)];
}
