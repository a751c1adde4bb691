/** `magg_load_kit` and `magg_unload_kit`: the servers of a kit are added or removed, each under the policy of any other change. */
import type { ServerChange } from '../../admin/server-change.ts';
import { AppError } from '../../base/errors.ts';
import type { EntryNotes } from '../../config/entry-notes.ts';
import type { Kit } from '../../config/kits.ts';
import type { HelperContext } from '../mode.ts';
import { kitFacts } from './kit-facts.ts';
import { type MaggAnswer, maggTool } from './magg-tool.ts';
import { requireText } from './read-input.ts';

const byName = { properties: { name: { type: 'string' } }, required: ['name'] };

export const loadKit = maggTool({
  name: 'magg_load_kit',
  description: 'Add the servers of a kit.',
  ...byName,
  async run(input, context) {
    const name = requireText(input, 'name');
    const facts = (await kitFacts(context)).find((kit) => kit.name === name);
    if (facts?.loaded === true) throw new AppError('config_conflict', `Kit '${name}' is already loaded.`);
    if (facts?.kit === undefined) {
      const fix = 'magg_list_kits lists those there are.';
      throw new AppError('not_found', `Kit '${name}' not found in any kit.d directory.`, { fix });
    }
    return changeAll('kit_loaded', name, loadChanges(facts.kit, await context.admin.notes()), context);
  },
});

export const unloadKit = maggTool({
  name: 'magg_unload_kit',
  description: 'Remove the servers that only this kit brought.',
  ...byName,
  async run(input, context) {
    const name = requireText(input, 'name');
    const facts = (await kitFacts(context)).find((kit) => kit.name === name);
    if (facts?.loaded !== true) throw new AppError('not_found', `Kit '${name}' is not loaded.`);
    return changeAll('kit_unloaded', name, unloadChanges(name, await context.admin.notes()), context);
  },
});

/** A server that the person has added is not tagged: unloading the kit would take it away. */
function loadChanges(kit: Kit, notes: ReadonlyMap<string, EntryNotes>): ServerChange[] {
  return Object.entries(kit.servers).flatMap(([server, entry]): ServerChange[] => {
    const known = notes.get(server);
    if (known === undefined) return [{ kind: 'add', server, entry: { ...entry, kits: [kit.name] } }];
    return known.kits.length === 0 ? [] : [{ kind: 'update', server, fields: { kits: [...known.kits, kit.name] } }];
  });
}

function unloadChanges(kit: string, notes: ReadonlyMap<string, EntryNotes>): ServerChange[] {
  return [...notes].flatMap(([server, { kits }]): ServerChange[] => {
    if (!kits.includes(kit)) return [];
    const others = kits.filter((other) => other !== kit);
    return [others.length === 0 ? { kind: 'remove', server } : { kind: 'update', server, fields: { kits: others } }];
  });
}

async function changeAll(
  action: string,
  kit: string,
  changes: readonly ServerChange[],
  { admin, author }: HelperContext,
): Promise<MaggAnswer> {
  const proposals: string[] = [];
  // One after the other: each is an edit of the same file.
  for (const change of changes) {
    const outcome = await admin.request(change, author);
    if (outcome.kind === 'proposed') proposals.push(outcome.proposal.id);
  }
  const count = changes.length - proposals.length;
  const done = `${count} ${count === 1 ? 'server' : 'servers'} changed.`;
  if (proposals.length === 0) return { output: { action, kit, message: done } };
  const commands = proposals.map((id) => `tooltray approve ${id}`).join(', ');
  const open = count === 0 ? 'Nothing has changed yet' : `${done} The rest has not changed yet`;
  const message = `${open}: the person must approve it first (${commands}).`;
  return { output: { message, status: 'proposed', proposals, action, kit } };
}
