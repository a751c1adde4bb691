/** upstream_servers' short operations: remove, switch on and off, try again. */
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext } from '../mode.ts';
import { proposedChange } from './proposed-change.ts';
import { requireServer } from './require-server.ts';
import { requireUnchanged } from './require-unchanged.ts';

/** Throws AppError server_not_found, config_conflict. */
export async function removeServer(input: JsonObject, { admin, author }: HelperContext): Promise<JsonObject> {
  const { name } = requireServer(input, admin);
  requireUnchanged(input, name, admin);
  const outcome = await admin.request({ kind: 'remove', server: name }, author);
  return { id: name, name, removed: outcome.kind === 'applied', ...proposedChange(outcome) };
}

/** Throws AppError server_not_found, config_conflict. */
export async function switchServer(
  input: JsonObject,
  action: 'enable' | 'disable',
  { admin, author }: HelperContext,
): Promise<JsonObject> {
  const { name } = requireServer(input, admin);
  requireUnchanged(input, name, admin);
  const outcome = await admin.request({ kind: action, server: name }, author);
  return { success: outcome.kind === 'applied', server: name, action, ...proposedChange(outcome) };
}

/** A server that is at work for others is not torn down: its lists are read again. Throws AppError server_not_found. */
export async function retryServer(input: JsonObject, action: string, { admin }: HelperContext): Promise<JsonObject> {
  const { name } = requireServer(input, admin);
  const { ok, tools, error } = await admin.try(name, 'retry');
  return { success: ok, server: name, action, tools, ...(error !== undefined && { error }) };
}
