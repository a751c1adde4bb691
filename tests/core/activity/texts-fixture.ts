/** Payloads of calls to store, and what tests read back of them. */
import { dirname } from 'node:path';
import type { ActivityLog, ActivityLogOptions } from '../../../src-main/core/activity/activity-log.ts';
import type { CallTexts } from '../../../src-main/core/activity/activity-messages.ts';
import type { PayloadExcerpt, PayloadExcerpts, PayloadQuery } from '../../../src-main/core/activity/payload.ts';
import type { Masker } from '../../../src-main/core/base/mask.ts';
import type { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { call, openActivity } from './fixture.ts';

/** Texts of one call. `given` is the result if missing. */
export interface Said {
  readonly asked?: string;
  /** `kept-answer` if it was spilled, `nothing` if there was none. */
  readonly sent?: string | RawJson;
  readonly given?: string;
}

export interface OpenTexts extends AsyncDisposable {
  readonly activity: ActivityLog;
  readonly file: string;
  /** Records a call that began at that time, with its payloads. */
  keep(startedAt: number, said: Said): void;
  /** The beginnings of all sides. */
  find(startedAt: number): Promise<PayloadExcerpts>;
  /** The whole of what the server sent, read part by part; or why there is none. */
  sent(startedAt: number, length?: number): Promise<string>;
  /** Starts of the calls that are found by a text, the newest first. */
  search(text: string): Promise<readonly number[]>;
}

export function openTexts(
  file: string,
  options: Partial<ActivityLogOptions> & { readonly masker?: Masker } = {},
): OpenTexts {
  const open = openActivity(dirname(file), { file, ...options });
  const { activity } = open;
  const sides = ['asked', 'sent', 'given'] as const;
  const idOf = async (startedAt: number): Promise<number> => {
    const [rows] = await activity.ask('sql', [
      { sql: 'SELECT id FROM calls WHERE startedAt = ?', values: [startedAt] },
    ]);
    return Number(rows?.[0]?.['id'] ?? -1);
  };
  return {
    activity,
    file,
    keep: (startedAt, said) => activity.record(call({ startedAt }), toTexts(activity, said)),
    find: async (startedAt) =>
      activity.ask('payload', {
        id: await idOf(startedAt),
        startedAt,
        unkept: undefined,
        sides,
        from: 0,
        length: 1000,
      }),
    sent: async (startedAt, length = 1_000_000) => {
      const id = await idOf(startedAt);
      let whole = '';
      for (let from: number | undefined = 0; from !== undefined;) {
        const query: PayloadQuery = { id, startedAt, unkept: undefined, sides: ['sent'], from, length };
        const part: PayloadExcerpt = (await activity.ask('payload', query)).sent ?? { none: 'gone' };
        if ('none' in part) return part.none;
        whole += part.text;
        from = part.next;
      }
      return whole;
    },
    search: async (text) =>
      (await activity.ask('searchCalls', { text }, { limit: 100 })).calls.map(({ startedAt }) => startedAt),
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}

function toTexts(activity: ActivityLog, { asked = '{}', sent = 'nothing', given }: Said): CallTexts {
  const isSpilled = sent === 'kept-answer';
  const shared = typeof sent === 'string' ? activity.shareText(sent) : activity.share(sent);
  const result = isSpilled || sent === 'nothing' ? undefined : shared;
  return {
    arguments: activity.shareText(asked),
    result,
    given: given === undefined ? result : activity.shareText(given),
    spilled: isSpilled ? { tokens: 1, estimated: false } : undefined,
  };
}
