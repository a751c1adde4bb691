/** Asks for a change of the servers, and says in ToolMux's shape what became of it. */
import type { ServerChange } from '../../admin/server-change.ts';
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext } from '../mode.ts';
import { dataResult } from './data-result.ts';

export interface ChangeTexts {
  readonly done: string;
  readonly asked: string;
  /** What the person reads, where the change does not say it all. */
  readonly sentence?: string;
}

/** Rejects with AppError as ModelAdmin.request does. */
export async function requestChange(
  change: ServerChange,
  { done, asked, sentence }: ChangeTexts,
  { admin, author }: HelperContext,
  more: JsonObject = {},
): Promise<JsonObject> {
  const outcome = await admin.request(change, author, sentence);
  if (outcome.kind === 'applied')
    return dataResult({ success: true, message: done, note: 'It is in effect now.', ...more });
  const { id } = outcome.proposal;
  return dataResult({
    success: true,
    status: 'proposed',
    proposal: id,
    message: asked,
    note: `Nothing has changed yet. The person must approve it first: tooltray approve ${id}`,
    ...more,
  });
}
