/** Payloads of a call: parts of the texts, or why they are missing. */
import type { CoreGroups } from '../../core/core-groups.ts';
import type { ActivityEntry } from '../../core/activity/call-record.ts';
import { neutralizeControlCharacters } from '../../core/base/visible-text.ts';
import type { PayloadSide, PayloadText } from '../contract.ts';

/** Per text, in characters. */
const maxChunkLength = 64 * 1024;

/** Fields of a call or a step. */
type Said = Pick<ActivityEntry, 'id' | 'startedAt' | 'dropReason'>;

/** Parts starting at `from`, in characters of the masked text. */
export async function payloadParts<Side extends PayloadSide>(
  { activity }: Pick<CoreGroups, 'activity'>,
  { id, startedAt, dropReason }: Said,
  sides: readonly Side[],
  from = 0,
): Promise<Record<Side, PayloadText>> {
  const found = await activity.log.ask('payload', {
    id,
    startedAt,
    dropReason,
    sides,
    from,
    length: maxChunkLength,
  });
  const shown = sides.map((side): [Side, PayloadText] => {
    const text = found[side] ?? { none: 'gone' };
    // Invisible characters are shown as marks, because the user reviews here what a model has read.
    return [side, 'none' in text ? text : { text: neutralizeControlCharacters(text.text), next: text.next }];
  });
  return Object.fromEntries(shown) as Record<Side, PayloadText>;
}

/** Payloads of a call; a spilled result is stored separately and read from disk. */
export async function callTexts<Side extends PayloadSide>(
  { calls, activity }: Pick<CoreGroups, 'calls' | 'activity'>,
  call: ActivityEntry,
  sides: readonly Side[],
  from = 0,
): Promise<Record<Side, PayloadText>> {
  const said: Record<PayloadSide, PayloadText> = await payloadParts<PayloadSide>({ activity }, call, sides, from);
  await calls.spills.ready();
  if (call.spillId !== undefined && sides.some((side) => side === 'serverResult'))
    said.serverResult = {
      none: (await calls.spills.find(call.spillId)) === undefined ? 'spill-deleted' : 'spilled',
    };
  return said;
}
