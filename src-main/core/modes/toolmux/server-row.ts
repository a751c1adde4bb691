/** A server as `manage_servers` lists it. */
import type { ServerFacts } from '../../admin/server-facts.ts';
import type { JsonObject } from '../../base/json.ts';

export function serverRow({ name, transport, config, enabled, error, state }: ServerFacts): JsonObject {
  const { command, args, url, description } = config;
  return {
    name,
    transport,
    ...(command !== undefined && { command, args }),
    ...(url !== undefined && { base_url: url }),
    ...(description !== undefined && { description }),
    status: enabled ? (error === undefined ? 'ok' : 'failed') : 'disabled',
    state,
    ...(error !== undefined && { error }),
  };
}
