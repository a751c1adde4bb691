/** The approval of external edits uses the parsed config, so that a second spelling cannot hide a change. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigApproval } from '../../../src-main/core/config/config-approval.ts';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';
import { acceptanceKey } from '../../../src-main/core/secrets/acceptance-key.ts';
import { plainVault } from '../../support/plain-vault.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-spelling-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** The effective config after the user accepted `before` and another program wrote `after`. */
async function edited(before: string, after: string) {
  const file = join(folder, 'config.json');
  const accepted = new ConfigApproval(join(folder, 'accepted.json'), false, acceptanceKey(plainVault(folder)));
  await accepted.approveAll(before, file, {});
  const good = parseConfig(before, file, {}).config;
  const { config, waiting, problems } = await accepted.evaluate(after, parseConfig(after, file, {}, good), {});
  return { server: config?.servers[0], config, waiting, problems };
}

const withTools = '{"servers":{"a":{"command":"x","disabledTools":["delete"]}}}';

test.each([
  '"disabledTools":["delete"],"excludeTools":[]',
  '"excludeTools":[],"disabledTools":["delete"]',
  '"disabledTools":["delete"],"disabled_tools":["other"]',
  '"disabledTools":["delete"],"disabledTools":[]',
  '"disabledTools":["delete"],"tools":{"other":false}',
])('keeps a tool disabled if a second spelling would enable it: %s', async (written) => {
  const { server, problems } = await edited(withTools, `{"servers":{"a":{"command":"x",${written}}}}`);
  expect(server?.toolSwitch?.off).toEqual(['delete']);
  expect(problems).toMatchObject([{ severity: 'error', server: 'a' }]);
});

test.each([
  '"command":"x","cmd":"evil"',
  '"command":"x","command":"evil"',
  '"command":"x","env":{"A":"1"},"environment":{"A":"2"}',
  '"command":"x","transport":{"command":"evil"}',
  '"url":"https://a.example","serverUrl":"https://evil.example"',
])('uses neither of two different spellings of one setting: %s', (written) => {
  const { config, problems } = parseConfig(`{"servers":{"a":{${written}}}}`, '/c/config.json', {});
  expect(config?.servers).toEqual([]);
  expect(problems).toMatchObject([{ severity: 'error', server: 'a' }]);
});

test.each(['"env":{"A":"1"},"env_vars":["B"]', '"enabled":true,"disabled":false', '"cwd":"/w","working_dir":"/w"'])(
  'accepts two spellings that agree or complement each other: %s',
  (written) => {
    const { config, problems } = parseConfig(`{"servers":{"a":{"command":"x",${written}}}}`, '/c/config.json', {
      B: '2',
    });
    expect([config?.servers.length, problems]).toEqual([1, []]);
  },
);

test('asks before a tool filter is widened in the spelling of any product', async () => {
  const before = '{"servers":{"a":{"command":"x","includeTools":["read_*"]}}}';
  const { server, waiting } = await edited(before, '{"servers":{"a":{"command":"x","tools":["*"]}}}');
  expect(server?.toolSwitch?.only).toEqual(['read_*']);
  expect(waiting).toMatchObject([{ kind: 'entry', server: 'a' }]);
});

test.each([
  ['retentionDays', 0.01],
  ['maxBytes', 1],
  ['deleteOnExit', true],
  ['threshold', 100_000_000],
  ['folders', ['/etc']],
])('asks before results.%s is changed', async (key, value) => {
  const after = JSON.stringify({ results: { [key]: value }, servers: {} });
  const { config, waiting } = await edited('{"servers":{}}', after);
  expect(waiting).toMatchObject([{ kind: 'setting', key: `results.${key}` }]);
  expect(config?.results).not.toHaveProperty(key, value);
});

test('warns of a server under both names of the container, and uses the one under "servers"', () => {
  const written = '{"mcpServers":{"a":{"command":"/other"},"b":{"command":"/b"}},"servers":{"a":{"command":"/own"}}}';
  const { config, problems } = parseConfig(written, join(folder, 'config.json'), {});
  expect(config?.servers).toMatchObject([
    { name: 'a', command: '/own' },
    { name: 'b', command: '/b' },
  ]);
  const ofNames = problems.filter(({ path }) => path === 'mcpServers.a');
  expect(ofNames).toMatchObject([{ severity: 'warning', server: 'a' }]);
});
