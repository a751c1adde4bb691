/** `magg_load_kit` and `magg_unload_kit`: the servers of a kit are added or removed together, under the policy of any other change. */
import { brokenKit, kitNotFound, loadKitChanges, taggedWith, unloadKitChanges } from '../../admin/kit-changes.ts';
import type { ServerChange } from '../../admin/server-change.ts';
import type { JsonObject } from '../../base/json.ts';
import { maskObject } from '../../base/mask.ts';
import type { Kit } from '../../config/kits.ts';
import type { HelperContext } from '../../modes/mode.ts';
import { type MaggAnswer, maggTool, requireText } from './magg-tool.ts';

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
  if (outcome.kind === 'applied') {
    const waiting = admin.list().flatMap(({ name, held }) => (held === 'review' && servers.includes(name) ? name : []));
    const review = `Not started before the person has looked at what a kit would run: tooltray review ${waiting.join(', ')}.`;
    return { output: { action, kit, message: waiting.length === 0 ? done : `${done} ${review}` } };
  }
  const { id } = outcome.proposal;
  const message = `Nothing has changed yet: the person must approve it first (tooltray approve ${id}).`;
  return { output: { message, status: 'proposed', proposal: id, action, kit } };
}

// Which kits there are, and which of them are loaded: those that some server carries as a tag.

interface KitFacts {
  readonly name: string;
  readonly loaded: boolean;
  /** Undefined where its file is gone and only its servers are left. */
  readonly kit: Kit | undefined;
  /** Names of servers that carry its tag. */
  readonly tagged: readonly string[];
}

export async function kitFacts({ admin }: Pick<HelperContext, 'admin'>): Promise<readonly KitFacts[]> {
  const [{ kits }, notes] = await Promise.all([admin.kits(), admin.notes()]);
  const tags = [...notes.values()].flatMap((note) => note.kits);
  const names = [...new Set([...kits.map((kit) => kit.name), ...tags])];
  return names.map((name) => {
    const tagged = taggedWith(name, notes);
    return { name, loaded: tagged.length > 0, kit: kits.find((kit) => kit.name === name), tagged };
  });
}

/** All of a kit but its secrets. */
export function shownKit({ name, loaded, kit, tagged }: KitFacts): JsonObject {
  return {
    loaded,
    ...(kit !== undefined && { path: kit.path }),
    name,
    description: kit?.description ?? null,
    author: kit?.author ?? null,
    version: kit?.version ?? null,
    keywords: kit?.keywords ?? [],
    links: kit?.links ?? {},
    servers: maskObject(kit?.servers ?? Object.fromEntries(tagged.map((server) => [server, {}]))),
  };
}

export async function kitList(context: Pick<HelperContext, 'admin'>): Promise<JsonObject> {
  const [kits, { broken }] = await Promise.all([kitFacts(context), context.admin.kits()]);
  const loaded = kits.filter((kit) => kit.loaded).length;
  return {
    kits: Object.fromEntries(
      kits.map((facts) => {
        const { name, links: _links, servers, ...shown } = shownKit(facts);
        return [name, { path: null, ...shown, servers: Object.keys(servers as JsonObject) }];
      }),
    ),
    ...(broken.length > 0 && { broken: broken.map(({ path, reason }) => ({ path, reason })) }),
    summary: { total: kits.length, loaded, available: kits.length - loaded },
  };
}

/** `magg_list_kits` and `magg_kit_info`. */
export const listKits = maggTool({
  name: 'magg_list_kits',
  description: 'List the kits (bundles of servers) in kit.d.',
  readOnly: true,
  run: async (_input, context) => ({ output: await kitList(context) }),
});

export const showKit = maggTool({
  name: 'magg_kit_info',
  description: 'Show one kit with its servers.',
  properties: { name: { type: 'string' } },
  required: ['name'],
  readOnly: true,
  async run(input, context) {
    const name = requireText(input, 'name');
    const found = (await kitFacts(context)).find((kit) => kit.name === name);
    if (found !== undefined) return { output: shownKit(found) };
    const { kits, broken } = await context.admin.kits();
    const file = broken.find((one) => one.name === name);
    throw file === undefined ? kitNotFound(name, kits) : brokenKit(file);
  },
});
