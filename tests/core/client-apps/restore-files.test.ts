/** Disconnects every client app at once and restores each file to its state before Tooltray. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChangeJournal } from '../../../src-main/core/client-apps/change-journal.ts';
import { installEntry, restoreFiles, uninstallEntries } from '../../../src-main/core/client-apps/install.ts';
import { knownApps } from '../../../src-main/core/client-apps/known-apps.ts';
import { type AppConfigFile, changeAppFile } from '../../../src-main/core/client-apps/update-app-file.ts';

const launch = { command: '/opt/launch', args: ['stdio'] };
let folder: string;
let journal: ChangeJournal;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-restore-'));
  journal = new ChangeJournal(join(folder, 'journal'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** With unusual formatting. */
const texts: Readonly<Record<string, string>> = {
  json: '{\r\n\t"mcpServers" :{ "a": {"command":"x"} }}\r\n\r\n',
  jsonc: '{ // mine\n  "theme": 1.0, }\n',
  toml: '# mine\r\n[a]\nb   = 1',
  yaml: '# mine\na:   {b: 1}\n\n\n',
};

async function lay(id: string, before?: string): Promise<AppConfigFile> {
  const app = knownApps.find((one) => one.id === id);
  if (app === undefined) throw new Error(`There is no app ${id}.`);
  const file = join(folder, 'apps', id, 'config');
  if (before !== undefined) {
    await mkdir(join(folder, 'apps', id), { recursive: true });
    await writeFile(file, before);
  }
  return { app, file };
}

describe.each(knownApps.map(({ id, format }) => [id, texts[format] ?? ''] as const))('%s', (id, text) => {
  test('restores the exact bytes after any number of changes', async () => {
    const place = await lay(id, text);
    await installEntry(place, launch, { journal });
    await uninstallEntries(place, journal);
    await installEntry(place, { ...launch, command: '/opt/moved' }, { journal });
    expect(await readFile(place.file, 'utf8')).not.toBe(text);
    expect(await restoreFiles([], journal)).toEqual({ files: [place.file], problems: [] });
    expect(await readFile(place.file, 'utf8')).toBe(text);
    expect(await restoreFiles([place], journal)).toEqual({ files: [], problems: [] });
  });
});

test('removes a file and folders that did not exist before', async () => {
  const place = await lay('cursor');
  await installEntry(place, launch, { journal });
  expect(existsSync(place.file)).toBe(true);
  await restoreFiles([place], journal);
  expect(existsSync(join(folder, 'apps'))).toBe(false);
});

test('restores servers that an import removed', async () => {
  const place = await lay('cursor', '{"mcpServers":{"a":{"command":"x"}}}');
  await changeAppFile(place, { action: 'import', edit: () => '{"mcpServers":{}}' }, journal);
  await installEntry(place, launch, { journal });
  await uninstallEntries(place, journal);
  await restoreFiles([], journal);
  expect(await readFile(place.file, 'utf8')).toBe('{"mcpServers":{"a":{"command":"x"}}}');
});

test('keeps later changes of the app and removes the entry', async () => {
  const place = await lay('cursor', '{"mcpServers":{}}');
  await installEntry(place, launch, { journal });
  const changed = JSON.parse(await readFile(place.file, 'utf8')) as Record<string, unknown>;
  await writeFile(place.file, JSON.stringify({ ...changed, theme: 'dark' }));
  expect((await restoreFiles([], journal)).files).toEqual([place.file]);
  expect(JSON.parse(await readFile(place.file, 'utf8'))).toEqual({ mcpServers: {}, theme: 'dark' });
});

test('removes an entry that was written by hand', async () => {
  const place = await lay('cursor', '{"mcpServers":{"tooltray":{"command":"tooltray","args":["stdio"]}}}');
  expect((await restoreFiles([place], journal)).files).toEqual([place.file]);
  expect(JSON.parse(await readFile(place.file, 'utf8'))).toEqual({ mcpServers: {} });
});

test('reports a file that cannot be written and restores the others', async () => {
  const [broken, fine] = [await lay('cursor', '{}'), await lay('windsurf', '{ }')];
  await installEntry(broken, launch, { journal });
  await installEntry(fine, launch, { journal });
  await chmod(broken.file, 0o444);
  const { files, problems } = await restoreFiles([], journal);
  expect(files).toEqual([fine.file]);
  expect(problems).toEqual([expect.stringContaining(broken.file)]);
  expect(await readFile(fine.file, 'utf8')).toBe('{ }');
});
