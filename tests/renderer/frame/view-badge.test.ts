/** The badges of the sidebar. */
import { expect, test } from 'vitest';
import type { InboxSummary } from '../../../src-main/rpc/contract.ts';
import { badgeOf } from '../../../src-renderer/frame/view-badge.ts';
import { views } from '../../../src-renderer/lib/addresses.ts';
import { serverRow } from '../rows.ts';

const item: InboxSummary = {
  id: '1',
  kind: 'proposal',
  cause: 'a',
  at: 1,
  until: undefined,
  server: 'b',
  title: '',
  sentence: '',
  from: '',
  risks: [],
  isGrave: false,
};

test('shows nothing without items, and before the state is known', () => {
  const facts = { inbox: [], servers: [serverRow('a'), serverRow('b', { level: 'off' })] };
  for (const view of views) {
    expect(badgeOf(view, facts)).toBeUndefined();
    expect(badgeOf(view, { inbox: undefined, servers: undefined })).toBeUndefined();
  }
});

test('shows a number on the inbox, a dot on servers, and nothing elsewhere', () => {
  const facts = { inbox: [item, item], servers: [serverRow('a'), serverRow('b', { level: 'error' })] };
  const shown = views.flatMap((view) => {
    const badge = badgeOf(view, facts);
    return badge === undefined ? [] : [[view, badge.kind === 'count' ? badge.count : badge.kind]];
  });
  expect(shown).toEqual([
    ['servers', 'dot'],
    ['inbox', 2],
  ]);
});
