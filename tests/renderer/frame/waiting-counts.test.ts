/** The counts of the sidebar. */
import { expect, test } from 'vitest';
import type { AttentionItem, SetupFacts } from '../../../src-main/rpc/contract.ts';
import { waitingCounts } from '../../../src-renderer/frame/waiting-counts.ts';
import { serverRow } from '../rows.ts';

const setup = (open: number): SetupFacts => ({ apps: [], offered: 0, firstCall: undefined, open });

test('where nothing waits nothing is counted', () => {
  expect(waitingCounts({ attention: [], servers: [serverRow('a')], setup: setup(0) })).toEqual({});
  expect(waitingCounts({ attention: undefined, servers: undefined, setup: undefined })).toEqual({});
});

test('servers that are ill, things that need a person and open steps are counted', () => {
  const action = { kind: 'retry', label: 'Try again' } as const;
  const item: AttentionItem = { id: 'server-b', sentence: 'b', server: 'b', action };
  const servers = [serverRow('a'), serverRow('b', { level: 'error' }), serverRow('c', { level: 'off' })];
  expect(waitingCounts({ attention: [item, item], servers, setup: setup(3) })).toEqual({
    overview: 2,
    servers: 1,
    setup: 3,
  });
});
