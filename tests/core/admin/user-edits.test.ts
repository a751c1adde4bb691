/** Edits from the dashboard are written to the config file, keeping secrets and comments. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UserEdits } from '../../../src-main/core/admin/user-edits.ts';
import { ConfigStore } from '../../../src-main/core/config/config-store.ts';
import { serversHarness } from '../servers/servers-harness.ts';

async function editing(text: string): Promise<{ edits: UserEdits; text: () => string }> {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-edits-'));
  const file = join(folder, 'config.json');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(file, text);
  const config = await ConfigStore.open(file, {});
  const servers = serversHarness().manager();
  await servers.apply(config.current.servers);
  return { edits: new UserEdits(config, servers), text: () => readFileSync(file, 'utf8') };
}

const git = `{ // mine
  "servers": {
    "git": { "command": "node", "args": ["--version"], "enabled": false, "env": { "API_KEY": "s3cr3t-value" } } // kept
  }
}
`;

test('returns an entry with its secrets masked', async () => {
  const { edits } = await editing(git);
  expect(await edits.maskedEntry('git')).toMatchObject({ command: 'node', env: { API_KEY: '***' } });
});

test('returns the entry of a quarantined server unmasked, since enabling it runs what it shows', async () => {
  const { edits } = await editing(
    '{ "servers": { "odd": { "command": "node", "env": { "API_KEY": "$(curl evil)" }, "quarantined": true } } }',
  );
  expect(await edits.maskedEntry('odd')).toMatchObject({ env: { API_KEY: '$(curl evil)' } });
});

test('keeps the stored value of a masked secret, and keeps comments', async () => {
  const { edits, text } = await editing(git);
  await edits.save('git', { ...(await edits.maskedEntry('git')), args: ['-v'] }, true);
  expect(text()).toBe(git.replace('["--version"]', '["-v"]'));
});

test('rejects an edited masked value', async () => {
  const { edits, text } = await editing(git);
  const edited = edits.save('git', { command: 'node', env: { API_KEY: '***x' } }, true);
  await expect(edited).rejects.toMatchObject({ code: 'bad_request' });
  expect(text()).toBe(git);
});

test('rejects a name that is taken unless replacing is requested', async () => {
  const { edits } = await editing(git);
  await expect(edits.save('git', { command: 'x' }, false)).rejects.toMatchObject({ code: 'config_conflict' });
});

test('disables and enables tools, and removes the key with the last one', async () => {
  const { edits, text } = await editing(git);
  await edits.setToolEnabled('git', 'push', false);
  const off = text();
  await edits.setToolEnabled('git', 'push', true);
  expect([off.includes('"disabledTools": ["push"]'), text()]).toEqual([true, git]);
});

test('adds an enabled tool to an allow list that lacks it', async () => {
  const { edits, text } = await editing(
    '{ "servers": { "a": { "command": "x", "enabled": false, "enabled_tools": ["one"] } } }',
  );
  await edits.setToolEnabled('a', 'two', true);
  expect(JSON.parse(text())).toMatchObject({ servers: { a: { enabled_tools: ['one', 'two'] } } });
});

test('merges the members of a settings group, and removes an empty group', async () => {
  const { edits, text } = await editing('{ "results": { "toon": true } }');
  await edits.merge('results', { retentionDays: 3 });
  const both = JSON.parse(text()) as unknown;
  await edits.merge('results', { retentionDays: null, toon: null });
  expect([both, JSON.parse(text())]).toEqual([{ results: { toon: true, retentionDays: 3 } }, {}]);
});

test('rejects an edit that adds an error to the file, and writes nothing', async () => {
  const { edits, text } = await editing('{}');
  await expect(edits.save('bad', { args: [] }, false)).rejects.toMatchObject({ code: 'config_invalid' });
  expect(text()).toBe('{}');
});

test('saves beside an entry that has an error, and beside one that lacks a value', async () => {
  const git = { command: 'node', args: ['--version'] };
  const before = { servers: { bad: { args: [] }, lacking: { url: '${env:NOPE}' }, git } };
  const { edits, text } = await editing(JSON.stringify(before));
  await edits.save('new', { command: 'node', enabled: false }, false);
  await edits.setEnabled('git', false);
  await edits.merge('results', { toon: true });
  expect(JSON.parse(text())).toMatchObject({ servers: { new: {}, git: { enabled: false } }, results: { toon: true } });
});

test('masks the secrets of a server that needs setup', async () => {
  const { edits } = await editing(
    '{ "servers": { "a": { "command": "${env:NOPE}", "env": { "API_KEY": "s3cr3t-value" } } } }',
  );
  expect(await edits.maskedEntry('a')).toMatchObject({ env: { API_KEY: '***' } });
});
