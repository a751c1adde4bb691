/** `magg_load_kit` and `magg_unload_kit`: the servers of a kit are added or removed together, under the policy of any other change. */
import { loadKitChanges, unloadKitChanges } from '../../admin/kit-changes.ts';
import type { ServerChange } from '../../admin/server-change.ts';
import type { HelperContext } from '../mode.ts';
import { type MaggAnswer, maggTool } from './magg-tool.ts';
import { requireText } from './read-input.ts';

const byName = { properties: { name: { type: 'string' } }, required: ['name'] };

export const loadKit = maggTool({
  name: 'magg_load_kit',
  description: 'Add the servers of a kit.',
  ...byName,
  async run(input, context) {
    const name = requireText(input, 'name');
    const changes = loadKitChanges(name, await context.admin.kits(), await context.admin.notes());
    return changeAll('kit_loaded', name, changes, `Load the kit "${name}"`, context);
  },
});

export const unloadKit = maggTool({
  name: 'magg_unload_kit',
  description: 'Remove the servers that only this kit brought.',
  ...byName,
  async run(input, context) {
    const name = requireText(input, 'name');
    const changes = unloadKitChanges(name, await context.admin.notes());
    return changeAll('kit_unloaded', name, changes, `Unload the kit "${name}"`, context);
  },
});

/** All of them or none: they are one proposal. */
async function changeAll(
  action: string,
  kit: string,
  changes: readonly ServerChange[],
  what: string,
  { admin, author }: HelperContext,
): Promise<MaggAnswer> {
  const servers = changes.map(({ server }) => server);
  const done = `${servers.length} ${servers.length === 1 ? 'server' : 'servers'} changed.`;
  if (changes.length === 0) return { output: { action, kit, message: done } };
  const outcome = await admin.request(changes, author, `${what}: ${servers.join(', ')}.`);
  if (outcome.kind === 'applied') return { output: { action, kit, message: done } };
  const { id } = outcome.proposal;
  const message = `Nothing has changed yet: the person must approve it first (tooltray approve ${id}).`;
  return { output: { message, status: 'proposed', proposal: id, action, kit } };
}
