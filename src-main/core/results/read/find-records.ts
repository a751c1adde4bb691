/** The list that an answer is about: itself, or the longest near its top. */
import { isObject } from '../../base/json.ts';
import type { Location } from './document.ts';

export interface Records {
  readonly location: Location;
  readonly values: readonly unknown[];
}

const deepest = 4;

export function findRecords(value: unknown): Records | undefined {
  let best: Records | undefined;
  for (const found of lists(value, [])) {
    if (best === undefined || found.values.length > best.values.length) best = found;
  }
  return best;
}

/** Lists inside of lists are parts of records. */
function* lists(value: unknown, location: Location): Generator<Records, void, undefined> {
  if (Array.isArray(value)) yield { location, values: value };
  else if (isObject(value) && location.length < deepest) {
    for (const [key, member] of Object.entries(value)) yield* lists(member, [...location, key]);
  }
}
