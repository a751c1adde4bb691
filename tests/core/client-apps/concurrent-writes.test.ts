/** Concurrent writers and kills leave no incomplete file and lose no change. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { knownApp } from '../../../src-main/core/client-apps/app-files.ts';
import { changeAppFile, revisionOf, updateAppFile } from '../../../src-main/core/client-apps/update-app-file.ts';
import { ChangeJournal } from '../../../src-main/core/client-apps/change-journal.ts';
import { insertEntry } from '../../../src-main/core/client-apps/tooltray-entry.ts';
import { installEntry } from '../../../src-main/core/client-apps/install.ts';
import { undoableChanges } from '../../../src-main/core/client-apps/undo-app-change.ts';
import { allCases } from '../../support/all-cases.ts';

const rounds = process.env['TOOLTRAY_TEST_APPS'] === 'all' ? 1000 : 20;
/** Fewer for kills, because each starts two processes. */
const kills = allCases ? rounds : 5;
const launch = { command: '/opt/tooltray', args: ['stdio', '--app', 'cursor'] };
const app = knownApp('cursor');
const plain = `{\n  "mcpServers": {\n    "mine": { "command": "x" }\n  }\n}\n`;

let folder = '';
let file = '';
let journal = new ChangeJournal('');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-writes-'));
  file = join(folder, 'app', 'mcp.json');
  journal = new ChangeJournal(join(folder, 'journal'));
  await updateAppFile(file, { edit: () => plain });
});

afterEach(() => rm(folder, { recursive: true, force: true }));

test('keeps what an app writes between the read and the write', async () => {
  const theirs = plain.replace('"x"', '"y"');
  let reads = 0;
  const edit = (text = ''): string => {
    if (++reads === 1) writeFileSync(file, theirs);
    return insertEntry(text, app, { launch });
  };
  const change = await changeAppFile({ app, file }, { action: 'install', edit }, journal);
  expect([
    await readFile(file, 'utf8'),
    await journal.contentBefore(change as never),
    (await journal.changes()).length,
  ]).toEqual([insertEntry(theirs, app, { launch }), theirs, 1]);
});

test('rejects a preview that no longer fits the file, and leaves the file unchanged', async () => {
  await expect(installEntry({ app, file }, launch, { journal }, 'other')).rejects.toMatchObject({
    code: 'config_conflict',
  });
  expect([await readFile(file, 'utf8'), await journal.changes()]).toEqual([plain, []]);
});

// The app was delayed between opening its file and writing to it, so it writes to a file that was unlinked.
test('keeps what an app writes into the file that was just replaced', async () => {
  const theirs = plain.replace('"x"', '"late"');
  const opened = await open(file, 'r+');
  const { ino } = await opened.stat();
  const late = (async () => {
    while (statSync(file).ino === ino) await setImmediate();
    writeSync(opened.fd, theirs, 0);
  })();
  await updateAppFile(file, { edit: (text = '') => insertEntry(text, app, { launch }) });
  await late;
  await opened.close();
  expect(await readFile(file, 'utf8')).toBe(insertEntry(theirs, app, { launch }));
});

test('loses nothing that an app constantly writes in place', async () => {
  const busy = promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'busy-app.fixture.ts'),
    file,
    String(rounds * 4),
  ]);
  let isOver = false;
  void busy.finally(() => (isOver = true)).catch(() => undefined);
  for (let round = 0; !isOver; round++) {
    const edit = (text = ''): string =>
      round % 2 === 0 ? insertEntry(text, app, { launch }) : text.replace('tooltray', 'tool');
    await updateAppFile(file, { edit }).catch(() => undefined);
    await sleep(Math.random() * 10);
  }
  expect((await busy).stdout).toBe('0');
}, 600_000);

test('loses no change of processes that install at the same time', async () => {
  const many = (id: string) =>
    promisify(execFile)(process.execPath, [
      join(import.meta.dirname, 'install-many.fixture.ts'),
      file,
      join(folder, id),
      id,
      '20',
    ]);
  await Promise.all([many('cursor'), many('junie'), many('lm-studio')]);
  expect([await readFile(file, 'utf8'), await readdir(join(folder, 'app'))]).toEqual([plain, ['mcp.json']]);
});

test('leaves a complete file and a correct journal if killed at any moment', async () => {
  const whole = new Set([plain, insertEntry(plain, app, { launch })]);
  for (let round = 0; round < kills; round++) {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'install-many.fixture.ts'), file, join(folder, 'journal'), 'cursor', '0'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await kill(child, Math.random() * 40);
    const text = readFileSync(file, 'utf8');
    expect(whole).toContain(text);
    // The first undo that is offered leads to the current contents, whatever was recorded before the kill.
    const changes = await undoableChanges(journal);
    const latest = changes.filter(({ at }) => at === changes[0]?.at).map(({ after }) => after);
    expect(latest.length === 0 || latest.includes(revisionOf(text))).toBe(true);
  }
  await installEntry({ app, file }, launch, { journal });
  await updateAppFile(file, { edit: () => plain });
  expect(await readdir(join(folder, 'app'))).toEqual(['mcp.json']);
}, 3_600_000);

async function kill(child: ChildProcess, afterMs: number): Promise<void> {
  const over = once(child, 'exit');
  if (child.stdout !== null) await once(child.stdout, 'data');
  await sleep(afterMs);
  child.kill('SIGKILL');
  await over;
}

test('writes nothing for an unchanged edit', async () => {
  await writeFile(file, plain);
  expect(await changeAppFile({ app, file }, { action: 'install', edit: (text) => text }, journal)).toBeUndefined();
  expect(await journal.changes()).toEqual([]);
});
