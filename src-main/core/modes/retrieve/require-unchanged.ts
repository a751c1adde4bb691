/** Whether a server is still as the model saw it, where it says what it saw. */
import type { ModelAdmin } from '../../admin/server-admin.ts';
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { readText } from './read-options.ts';

/** Throws AppError config_conflict with the `etag` of now. */
export function requireUnchanged(input: JsonObject, server: string, admin: ModelAdmin): void {
  const seen = readText(input['etag']);
  const now = admin.revision(server);
  if (seen === undefined || seen === now) return;
  throw new AppError('config_conflict', `"${server}" was changed since you listed it. Nothing was changed now.`, {
    fix: 'List the servers again, then decide anew.',
    data: { etag: now },
  });
}
