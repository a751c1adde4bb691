/** What Magg's tools say of a server. */
import type { ServerFacts } from '../../admin/server-facts.ts';
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { EntryNotes } from '../../config/entry-notes.ts';
import type { HelperContext } from '../mode.ts';

/** Its tools are in the list: it runs, or sleeps until it is called. */
export function isMounted({ enabled, state, listedAt }: ServerFacts): boolean {
  return enabled && (state === 'ready' || (state === 'disconnected' && listedAt !== undefined));
}

/** Without environment and headers. */
export function serverEntry(facts: ServerFacts, notes: EntryNotes | undefined, { catalog }: HelperContext): JsonObject {
  const { command, args, url, cwd } = facts.config;
  return {
    name: facts.name,
    source: notes?.source ?? null,
    prefix: facts.config['prefix'] ?? prefixOf(facts.name, catalog),
    enabled: facts.enabled,
    mounted: isMounted(facts),
    ...(typeof command === 'string' && { command: [command, ...(args as string[])].join(' ') }),
    ...(url !== undefined && { uri: url }),
    ...(cwd !== undefined && { cwd }),
    ...(notes?.notes !== undefined && { notes: notes.notes }),
    ...(facts.error !== undefined && { error: facts.error }),
  };
}

/** What its tools' names begin with; nothing where it is the only one. */
export function prefixOf(name: string, catalog: HelperContext['catalog']): string | null {
  return catalog.servers.length === 1 ? null : (catalog.slugs.get(name) ?? null);
}

/** Throws AppError server_not_found. */
export function requireServer(name: string, { admin }: HelperContext): ServerFacts {
  const servers = admin.list();
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  throw new AppError('server_not_found', `Server '${name}' not found.`, {
    fix: servers.length === 0 ? 'There is none.' : `There are: ${servers.map((server) => server.name).join(', ')}.`,
  });
}
