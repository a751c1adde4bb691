/** The counts of the sidebar. */
import { expect, test } from 'vitest';
import type { AttentionItem, InboxSummary, SetupFacts } from '../../../src-main/rpc/contract.ts';
import { waitingCounts } from '../../../src-renderer/frame/waiting-counts.ts';
import { serverRow } from '../rows.ts';

const setup = (open: number): SetupFacts => ({ apps: [], offered: 0, firstCall: undefined, open });

test('where nothing waits nothing is counted', () => {
  expect(waitingCounts({ attention: [], inbox: [], servers: [serverRow('a')], setup: setup(0) })).toEqual({});
  expect(waitingCounts({ attention: undefined, inbox: undefined, servers: undefined, setup: undefined })).toEqual({});
});

test('servers that are ill, decisions, all that needs a person and open steps are counted', () => {
  const action = { kind: 'retry', label: 'Try again' } as const;
  const item: AttentionItem = { id: 'server-b', sentence: 'b', server: 'b', action };
  const servers = [serverRow('a'), serverRow('b', { level: 'error' }), serverRow('c', { level: 'off' })];
  const decide: AttentionItem = { ...item, id: 'inbox-1', action: { kind: 'decide', label: 'Decide' } };
  const inbox: InboxSummary[] = [
    {
      ...{ id: '1', kind: 'proposal', cause: 'a', at: 1, until: undefined, server: 'b' },
      ...{ sentence: '', from: '', isGrave: false },
    },
  ];
  // As many as the overview lists.
  expect(waitingCounts({ attention: [decide, item, item], inbox, servers, setup: setup(3) })).toEqual({
    overview: 3,
    inbox: 1,
    servers: 1,
    setup: 3,
  });
});
