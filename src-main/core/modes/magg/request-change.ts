/** Asks for a change of servers, and says in Magg's shape what became of it. */
import type { ServerChange } from '../../admin/server-change.ts';
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext } from '../mode.ts';

/** What the tool answers once it is done, or the same with the word that nothing has changed yet. Rejects as admin.request. */
export async function requestChange(
  change: ServerChange,
  done: JsonObject,
  context: HelperContext,
): Promise<JsonObject> {
  const outcome = await context.admin.request(change, context.author);
  if (outcome.kind === 'applied') return done;
  const { id } = outcome.proposal;
  const message = `Nothing has changed yet: the person must approve this first (tooltray approve ${id}).`;
  return { message, status: 'proposed', proposal: id, ...done };
}
