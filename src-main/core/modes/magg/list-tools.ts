/** `magg_list_tools`: which tools there are, by server, as they are called. */
import { AppError } from '../../base/errors.ts';
import { condenseDescription } from '../../condense/condense-description.ts';
import { resolveServer } from '../../catalog/resolve-entry.ts';
import type { HelperContext } from '../mode.ts';
import { maggTool } from './magg-tool.ts';
import { readText } from './read-input.ts';
import { requireServer } from './server-entry.ts';

export const listTools = maggTool({
  name: 'magg_list_tools',
  description: 'List the tools of all servers, or of one.',
  properties: { server: { type: 'string' } },
  readOnly: true,
  async run(input, context) {
    const { catalog } = context;
    const only = readText(input, 'server');
    const named = only === undefined ? catalog.servers : [serverNamed(only, context)];
    const servers = named.map((server) => ({
      server,
      tools: catalog.lookup.tools.of(server).map(({ listedName, definition: { description } }) => ({
        name: listedName,
        description: condenseDescription(typeof description === 'string' ? description : ''),
      })),
    }));
    return { output: { total: servers.reduce((sum, { tools }) => sum + tools.length, 0), servers } };
  },
});

/** Throws AppError server_not_found, also for one that is switched off and has no tools for now. */
function serverNamed(handle: string, context: HelperContext): string {
  try {
    return resolveServer(context.catalog, handle);
  } catch {
    const { name, health } = requireServer(handle, context);
    throw new AppError('server_disabled', `Server '${name}' has no tools now: ${health.summary}.`);
  }
}
