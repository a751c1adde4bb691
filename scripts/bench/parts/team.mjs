/**
 * What a team's replica costs: processor time of a call, a call that another replica passes on, how three replicas
 * next to one answer more, what is held open, and what the record takes.
 *
 *   npm run bench -- team
 */
import { measureCalls } from '../team/calls.mjs';
import { measureHeld } from '../team/held.mjs';
import { measureRecord } from '../team/record.mjs';
import { measureReplicas } from '../team/replicas.mjs';

export async function measure(print) {
  const told = {};
  for (const [name, part] of Object.entries({ measureCalls, measureReplicas, measureHeld, measureRecord })) {
    told[name] = await part(print);
    print('');
  }
  return told;
}
