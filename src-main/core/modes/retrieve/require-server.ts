/** The server that an operation is about, as it is now. */
import type { ModelAdmin } from '../../admin/server-admin.ts';
import type { ServerFacts } from '../../admin/server-facts.ts';
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { shortName } from '../../base/short-name.ts';
import { readText } from './read-options.ts';

/** Throws AppError bad_request without a name, server_not_found. */
export function requireServer(input: JsonObject, admin: ModelAdmin): ServerFacts {
  const name = requireName(input);
  const servers = admin.list();
  const server = servers.find((one) => one.name === name);
  if (server !== undefined) return server;
  const available = servers.map((one) => one.name);
  throw new AppError('server_not_found', `There is no server named ${JSON.stringify(shortName(name))}.`, {
    fix: available.length === 0 ? 'No server is configured yet.' : `There are: ${available.join(', ')}.`,
    data: { available },
  });
}

/** Throws AppError bad_request. */
export function requireName(input: JsonObject): string {
  const name = readText(input['name']);
  if (name !== undefined) return name;
  throw new AppError('bad_request', 'The name of the server is missing.', { fix: 'Give it as "name".' });
}
