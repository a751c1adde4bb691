/** Where a person's process is begun: all replicas agree, and a runner that goes or comes moves only its own. */
import { expect, test } from 'vitest';
import { byRendezvous } from '../../../src-main/team/replicas/rendezvous.ts';

const runner = (id: string): { readonly id: string } => ({ id });
const [a, b, c] = [runner('a_000001'), runner('b_000001'), runner('c_000001')];
const people = Array.from({ length: 300 }, (_, at) => ({ tenant: 'main', user: `u${at}` }));
const first = (runners: readonly { readonly id: string }[]): readonly string[] =>
  people.map((person) => byRendezvous(runners, person, 'server')[0]?.id ?? '');

test('the order of what is known does not count, nor the life of a runner; each has about as many', () => {
  const chosen = first([a, b, c]);
  expect(first([c, a, b])).toEqual(chosen);
  const later = first([runner('a_zzzzzz'), b, c]);
  expect(later.map((id) => id.slice(0, 1))).toEqual(chosen.map((id) => id.slice(0, 1)));
  for (const { id } of [a, b, c]) expect(chosen.filter((one) => one === id).length).toBeGreaterThan(70);
});

test('without a runner its people go to others, and nobody else’s do; another server or tenant is another place', () => {
  const [all, without] = [first([a, b, c]), first([a, b])];
  const moved = all.filter((id, at) => id !== without[at]);
  expect(new Set(moved)).toEqual(new Set([c.id]));
  expect(moved).toHaveLength(all.filter((id) => id === c.id).length);
  const elsewhere = people.map(({ user }) => byRendezvous([a, b, c], { tenant: 'other', user }, 'server')[0]?.id);
  expect(elsewhere).not.toEqual(all);
});
