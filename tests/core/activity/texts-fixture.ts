/** Payloads of calls to store, and what tests read back of them. */
import { dirname } from 'node:path';
import type { ActivityLog, ActivityLogOptions } from '../../../src-main/core/activity/activity-log.ts';
import type { CallTexts } from '../../../src-main/core/activity/activity-messages.ts';
import type { PayloadExcerpt, PayloadExcerpts, PayloadQuery } from '../../../src-main/core/activity/payload.ts';
import type { Masker } from '../../../src-main/core/base/mask.ts';
import type { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { call, openActivity } from './fixture.ts';

/** Texts of one call. `modelResult` is the server's result if missing. */
export interface Said {
  readonly request?: string;
  /** `spilled` if it was spilled, `nothing` if there was none. */
  readonly serverResult?: string | RawJson;
  readonly modelResult?: string;
}

export interface OpenTexts extends AsyncDisposable {
  readonly activity: ActivityLog;
  readonly file: string;
  /** Records a call that began at that time, with its payloads. */
  keep(startedAt: number, said: Said): void;
  /** The beginnings of all payloads. */
  find(startedAt: number): Promise<PayloadExcerpts>;
  /** The server's full result, read in parts; or why it is missing. */
  serverResult(startedAt: number, length?: number): Promise<string>;
  /** Start times of the calls found by a text, newest first. */
  search(text: string): Promise<readonly number[]>;
}

export function openTexts(
  file: string,
  options: Partial<ActivityLogOptions> & { readonly masker?: Masker } = {},
): OpenTexts {
  const open = openActivity(dirname(file), { file, ...options });
  const { activity } = open;
  const sides = ['request', 'serverResult', 'modelResult'] as const;
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
        dropReason: undefined,
        sides,
        from: 0,
        length: 1000,
      }),
    serverResult: async (startedAt, length = 1_000_000) => {
      const id = await idOf(startedAt);
      let whole = '';
      for (let from: number | undefined = 0; from !== undefined;) {
        const query: PayloadQuery = { id, startedAt, dropReason: undefined, sides: ['serverResult'], from, length };
        const part: PayloadExcerpt = (await activity.ask('payload', query)).serverResult ?? { none: 'gone' };
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

function toTexts(activity: ActivityLog, { request = '{}', serverResult = 'nothing', modelResult }: Said): CallTexts {
  const isSpilled = serverResult === 'spilled';
  const shared = typeof serverResult === 'string' ? activity.shareText(serverResult) : activity.share(serverResult);
  const result = isSpilled || serverResult === 'nothing' ? undefined : shared;
  return {
    arguments: activity.shareText(request),
    result,
    given: modelResult === undefined ? result : activity.shareText(modelResult),
    spilled: isSpilled ? { tokens: 1, estimated: false } : undefined,
  };
}
