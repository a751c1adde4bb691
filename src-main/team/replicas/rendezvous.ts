/**
 * Which replica has what belongs at one of them, a person's process of a server, what was read in their calls: each is given a number by its
 * name and whose that is, and the highest has it. All come to the same order without asking, and one that goes or comes moves only what was
 * or will be its own.
 * Source: Thaler and Ravishankar, Using Name-Based Mappings to Increase Hit Rates (1998).
 */
import { createHash } from 'node:crypto';
import type { Person } from '../../core/servers/personal-lines.ts';

/** The first choice first. `id`: `name_tag`; by its name it is the same after a restart, when the homes of its people are still there. */
export function byRendezvous<Replica extends { readonly id: string }>(
  replicas: readonly Replica[],
  { tenant, user }: Person,
  what: string,
): readonly Replica[] {
  const scored = replicas.map((replica) => {
    const [name = ''] = replica.id.split('_');
    const score = createHash('sha256')
      .update(JSON.stringify([name, tenant, user, what]))
      .digest('hex');
    return { replica, order: `${score} ${replica.id}` };
  });
  return scored.toSorted((a, b) => (a.order < b.order ? 1 : -1)).map(({ replica }) => replica);
}
