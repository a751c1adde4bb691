/** What was said in a call, side by side, for a page that shows it: parts of texts, or why there are none. */
import type { ActivityEntry } from '../../core/activity/call-record.ts';
import { markSteering } from '../../core/base/shown-text.ts';
import type { CallSide, CallText } from '../contract.ts';
import type { RpcDeps } from '../deps.ts';

/** In characters, of each text at a time. */
const partLength = 64 * 1024;

/** Of a call or a step. */
type Said = Pick<ActivityEntry, 'id' | 'startedAt' | 'unkept'>;

/** The parts that begin at `from`, in characters of the masked text. */
export async function saidTexts<Side extends CallSide>(
  core: RpcDeps['core'],
  { id, startedAt, unkept }: Said,
  sides: readonly Side[],
  from = 0,
): Promise<Record<Side, CallText>> {
  const found = await core.texts.find({ id, startedAt, unkept, sides, from, length: partLength });
  const shown = sides.map((side): [Side, CallText] => {
    const text = found[side] ?? { none: 'gone' };
    // What nobody would see stands as a mark: here a person looks for what a model read.
    return [side, 'none' in text ? text : { text: markSteering(text.text), next: text.next }];
  });
  return Object.fromEntries(shown) as Record<Side, CallText>;
}

/** The same of a call: whatever became of its texts, a kept answer lies on disk on its own. */
export async function callTexts<Side extends CallSide>(
  core: RpcDeps['core'],
  call: ActivityEntry,
  sides: readonly Side[],
  from = 0,
): Promise<Record<Side, CallText>> {
  const said: Record<CallSide, CallText> = await saidTexts<CallSide>(core, call, sides, from);
  await core.spills.ready();
  if (call.spillId !== undefined && sides.some((side) => side === 'sent'))
    said.sent = { none: (await core.spills.find(call.spillId)) === undefined ? 'lost-answer' : 'kept-answer' };
  return said;
}
