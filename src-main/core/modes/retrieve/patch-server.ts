/** upstream_servers `update` and `patch`: only what is named changes; values can be cleared; edits of others are not lost. */
import type { ServerChange } from '../../admin/server-change.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { HelperContext } from '../mode.ts';
import { changedFields } from './patch-fields.ts';
import { proposedChange } from './proposed-change.ts';
import { readServerFields } from './read-server-fields.ts';
import { requireServer } from './require-server.ts';
import { requireUnchanged } from './require-unchanged.ts';
import { connectionStatus } from './server-report.ts';

/** Throws AppError bad_request, server_not_found, config_conflict where the `etag` is out of date. */
export async function patchServer(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const { admin, author } = context;
  const before = requireServer(input, admin);
  requireUnchanged(input, before.name, admin);
  const read = readServerFields(input);
  const fields = changedFields(read.fields, before.config);
  const { enabled } = input;
  if (typeof enabled === 'boolean' && enabled !== before.enabled) fields['enabled'] = enabled;
  const change = toChange(before.name, fields);
  const outcome = change === undefined ? undefined : await admin.request(change, author);
  const now = requireServer(input, admin);
  return {
    id: now.name,
    name: now.name,
    updated: outcome?.kind === 'applied',
    enabled: now.enabled,
    connection_status: connectionStatus(now),
    connection_message: now.health.detail,
    changes: changesIn(fields),
    ...(outcome === undefined ? { message: 'Nothing differs from what is configured.' } : proposedChange(outcome)),
    ...(read.warnings.length > 0 && { warnings: read.warnings }),
    etag: admin.revision(now.name),
  };
}

/** The switch alone is a change of its own. */
function toChange(server: string, fields: JsonObject): ServerChange | undefined {
  const names = Object.keys(fields);
  if (names.length === 0) return undefined;
  if (names.length > 1 || names[0] !== 'enabled') return { kind: 'update', server, fields };
  return { kind: fields['enabled'] === true ? 'enable' : 'disable', server };
}

/** Names only: values may be secrets. `env.TOKEN` is a key inside a map. */
function changesIn(fields: JsonObject): { modified: string[]; removed: string[] } {
  const paths = Object.entries(fields).flatMap(([field, value]) =>
    isObject(value)
      ? Object.entries(value).map(([key, item]) => [`${field}.${key}`, item] as const)
      : [[field, value] as const],
  );
  return {
    modified: paths.filter(([, value]) => value !== null).map(([path]) => path),
    removed: paths.filter(([, value]) => value === null).map(([path]) => path),
  };
}
