/** What is said of a change that waits for the person. */
import type { ChangeOutcome } from '../../admin/server-admin.ts';
import type { JsonObject } from '../../base/json.ts';

/** Nothing for a change that was made. */
export function proposedChange(outcome: ChangeOutcome): JsonObject {
  if (outcome.kind === 'applied') return {};
  const { id, sentence } = outcome.proposal;
  const message = `Nothing has changed yet: the person must approve it (tooltray approve ${id}). ${sentence}`;
  return { status: 'pending_approval', proposal_id: id, message };
}
