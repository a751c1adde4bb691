/** Reads the whole list of spilled results. */
import type { RpcMethods, SpillRow } from '../../../src-main/rpc/contract.ts';

type Spills = RpcMethods['spills'];

const pageLength = 1000;

export async function readSpillRows(
  ask: (input: Spills['input']) => Promise<Spills['output']>,
): Promise<readonly SpillRow[]> {
  const rows: SpillRow[] = [];
  for (let input: Spills['input'] = { limit: pageLength }; ;) {
    const { spills } = await ask(input);
    rows.push(...spills);
    const last = spills.at(-1);
    // Spills being deleted are omitted, so a page may be shorter without being the last.
    if (last === undefined || spills.length < pageLength / 2) return rows;
    input = { limit: pageLength, beforeId: last.id };
  }
}
