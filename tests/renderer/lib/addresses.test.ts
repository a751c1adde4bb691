/** The addresses of the dashboard's places. */
import { expect, test } from 'vitest';
import { hrefTo, isView, partsOf, queryOf } from '../../../src-renderer/lib/addresses.ts';

test('a name may hold any character and comes back as it was', () => {
  const names = ['git/hub', 'ä b', '50%', '?a=b', '#x'];
  expect(names.map((name) => partsOf(hrefTo('servers', [name, 'log'])))).toEqual(
    names.map((name) => ['servers', name, 'log']),
  );
});

test('a query comes back as it was, and is no part of the path', () => {
  const href = hrefTo('activity', [], { server: 'a&b', text: '50 %' });
  expect([...queryOf(href)]).toEqual([
    ['server', 'a&b'],
    ['text', '50 %'],
  ]);
  expect(partsOf(href)).toEqual(['activity']);
});

test('an address that nobody made leads nowhere, without harm', () => {
  expect([partsOf(''), partsOf('#key=abc'), partsOf('#/servers/%E0%A4%A')]).toEqual([[], [], ['servers', '%E0%A4%A']]);
  expect([isView('servers'), isView('nowhere'), isView(undefined)]).toEqual([true, false, false]);
});
