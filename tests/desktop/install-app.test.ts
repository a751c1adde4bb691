/** One click in the tray: it writes only our own entry, and shows any other change first. */
import { expect, test } from 'vitest';
import { changedLines } from '../../src-main/core/client-apps/text-diff.ts';
import { addsOnly, installInto } from '../../src-main/desktop/install-app.ts';
import type { InstallOutcome, InstallPreview, RpcMethod, RpcMethods } from '../../src-main/rpc/contract.ts';

const pretty = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;
const own = { command: 'notes' };
const entry = { command: 'tooltray', args: ['stdio'] };

test.each([
  ['an empty file', '', pretty({ mcpServers: { tooltray: entry } }), true],
  ['an empty object', '{}\n', pretty({ mcpServers: { tooltray: entry } }), true],
  ['a file with settings', pretty({ theme: 'dark' }), pretty({ theme: 'dark', mcpServers: { tooltray: entry } }), true],
  ['a file with servers', pretty({ mcpServers: { own } }), pretty({ mcpServers: { own, tooltray: entry } }), true],
  ['a server that is replaced', pretty({ mcpServers: { own } }), pretty({ mcpServers: { tooltray: entry } }), false],
  ['a setting that changes', pretty({ theme: 'dark' }), pretty({ theme: 'light', tooltray: entry }), false],
])('recognizes whether only lines are added: %s', (_what, before, after, expected) => {
  expect(addsOnly(changedLines(before, after))).toBe(expected);
});

interface Done {
  readonly log: readonly string[];
  readonly ways: { readonly showDiff: () => void; readonly undo: () => void } | undefined;
}

async function click(preview: Pick<InstallPreview, 'diff' | 'warning'>): Promise<Done> {
  const log: string[] = [];
  let ways: Done['ways'];
  const results: Partial<Record<RpcMethod, object>> = {
    previewInstall: { ...preview, revision: 'r1' },
    installApp: { sentence: 'It is connected.', backup: '', undo: 'change-1' } satisfies InstallOutcome,
  };
  await installInto('claude-desktop', {
    ask: async <M extends RpcMethod>(method: M, input: RpcMethods[M]['input']) => {
      log.push(`${method} ${JSON.stringify(input)}`);
      return results[method] ?? {};
    },
    openDashboard: (place) => void log.push(`open ${place}`),
    report: (_outcome, offered) => (ways = offered),
  });
  return { log, ways };
}

test('writes the entry that was previewed, and offers Diff and Undo', async () => {
  const { log, ways } = await click({ diff: [{ kind: 'added', text: '"tooltray": {}' }], warning: undefined });
  expect(log).toEqual([
    'previewInstall {"app":"claude-desktop"}',
    'installApp {"app":"claude-desktop","revision":"r1"}',
  ]);
  ways?.showDiff();
  ways?.undo();
  expect(log.slice(2)).toEqual(['open setup/apps/claude-desktop/disconnect', 'undoInstall {"undo":"change-1"}']);
});

test.each([
  ['another line would be removed', { diff: [{ kind: 'removed', text: '"own": {}' }], warning: undefined }],
  ['the app may write its file back', { diff: [], warning: 'Quit it first.' }],
] as const)('writes nothing and shows the change if %s', async (_when, preview) => {
  const { log, ways } = await click(preview);
  expect([log.slice(1), ways]).toEqual([['open setup/apps/claude-desktop/connect'], undefined]);
});
