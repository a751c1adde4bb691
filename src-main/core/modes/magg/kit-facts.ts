/** Which kits there are, and which of them are loaded: those that some server carries as a tag. */
import { taggedWith } from '../../admin/kit-changes.ts';
import { maskObject } from '../../base/mask-secrets.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Kit } from '../../config/kits.ts';
import type { HelperContext } from '../mode.ts';

export interface KitFacts {
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
