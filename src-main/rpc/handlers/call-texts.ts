/** What was said in a call, side by side, for a page that shows it: parts of texts, or why there are none. */
import type { ActivityEntry } from '../../core/activity/call-record.ts';
import { markSteering } from '../../core/base/shown-text.ts';
import type { CallSide, CallText } from '../contract.ts';
import type { RpcDeps } from '../deps.ts';

/** In characters, of each text at a time. */
const partLength = 64 * 1024;

/** The parts that begin at `from`, in characters of the masked text. */
export async function callTexts<Side extends CallSide>(
  core: RpcDeps['core'],
  { id, startedAt, unkept, spillId }: ActivityEntry,
  sides: readonly Side[],
  from = 0,
): Promise<Record<Side, CallText>> {
  const found = await core.texts.find({ id, startedAt, unkept, sides, from, length: partLength });
  await core.spills.ready();
  const shown = sides.map((side): [Side, CallText] => {
    // Whatever became of the texts, a kept answer lies on disk on its own.
    if (side === 'sent' && spillId !== undefined) {
      return [side, { none: core.spills.find(spillId) === undefined ? 'lost-answer' : 'kept-answer' }];
    }
    const text = found[side] ?? { none: 'gone' };
    // What nobody would see stands as a mark: here a person looks for what a model read.
    return [side, 'none' in text ? text : { text: markSteering(text.text), next: text.next }];
  });
  return Object.fromEntries(shown) as Record<Side, CallText>;
}
