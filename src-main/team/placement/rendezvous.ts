/**
 * Which runner a person's process of a server is begun at: each is given a number by its name and whose process it is, and the highest
 * has it. All replicas come to the same order without asking, and a runner that goes or comes moves only what was or will be its own.
 * Source: Thaler and Ravishankar, Using Name-Based Mappings to Increase Hit Rates (1998).
 */
import { createHash } from 'node:crypto';
import type { Person } from '../../core/servers/personal-lines.ts';

/** The first choice first. `id`: `name_tag`; by its name it is the same after a restart, when the homes of its people are still there. */
export function byRendezvous<Runner extends { readonly id: string }>(
  runners: readonly Runner[],
  { tenant, user }: Person,
  server: string,
): readonly Runner[] {
  const scored = runners.map((runner) => {
    const [name = ''] = runner.id.split('_');
    const score = createHash('sha256')
      .update(JSON.stringify([name, tenant, user, server]))
      .digest('hex');
    return { runner, order: `${score} ${runner.id}` };
  });
  return scored.toSorted((a, b) => (a.order < b.order ? 1 : -1)).map(({ runner }) => runner);
}
