/** Install, uninstall and undo leave the expected bytes for every known app in every state of its file. */
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AppConfigFile } from '../../../src-main/core/client-apps/update-app-file.ts';
import { ChangeJournal } from '../../../src-main/core/client-apps/change-journal.ts';
import { createTooltrayEntry } from '../../../src-main/core/client-apps/tooltray-entry.ts';
import { installEntry, planInstall, uninstallEntries } from '../../../src-main/core/client-apps/install.ts';
import type { KnownApp } from '../../../src-main/core/client-apps/known-app.ts';
import { knownApps } from '../../../src-main/core/client-apps/known-apps.ts';
import { undoChange } from '../../../src-main/core/client-apps/undo-app-change.ts';
import { allCases, someOf } from '../../support/all-cases.ts';
import { type Situation, situationsOf } from './situations.ts';

/** JSON always; YAML and TOML, of which the last takes as long as all others together, in the long run. */
const bigOnes = ['claude-code', ...(allCases ? ['goose', 'codex'] : [])];
const hasBig: ReadonlySet<string> = new Set(
  process.env['TOOLTRAY_TEST_APPS'] === 'all' ? knownApps.map(({ id }) => id) : bigOnes,
);

/** The outcome depends on the format: one app of each in every situation, the others in some. */
const firstOfFormat: ReadonlySet<string> = new Set(
  ['json', 'jsonc', 'yaml', 'toml'].map((format) => knownApps.find((app) => app.format === format)?.id ?? ''),
);

let folder = '';
let journal = new ChangeJournal('');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-install-'));
  journal = new ChangeJournal(join(folder, 'journal'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe.each(knownApps.map((app) => [app.id, app] as const))('%s', (id, app) => {
  const launch = { command: '/opt/tool tray/launch', args: ['stdio', '--app', id], env: { TOOLTRAY_HOME: '/home/x' } };

  // Five megabytes take a second each time, depending on the format, not the app: `npm run test:apps` has all.
  const all = situationsOf(app, createTooltrayEntry(app, launch)).filter(
    ({ name }) => name !== '5 MB' || hasBig.has(id),
  );
  const situations = firstOfFormat.has(id) ? all : someOf(3, all);
  test.each(situations.map((situation) => [situation.name, situation] as const))('%s', async (_, situation) => {
    const place = await lay(app, situation);
    if (situation.after === undefined) {
      await expect(installEntry(place, launch, { journal })).rejects.toMatchObject({
        name: 'AppError',
        code: situation.how === 'read-only' ? 'not_allowed' : 'config_invalid',
      });
      expect([await textOf(place), await readdir(dirname(place.file)), await journal.changes()]).toEqual([
        situation.before,
        ['config'],
        [],
      ]);
      return;
    }
    const plan = await planInstall(place, launch, journal);
    const change = await installEntry(place, launch, { journal }, plan.revision);
    expect(await textOf(place)).toBe(situation.after);
    expect(await installEntry(place, launch, { journal })).toBeUndefined();
    if (situation.before !== undefined) expect(await readFile(plan.backup, 'utf8')).toBe(situation.before);
    const uninstall = await uninstallEntries(place, journal);
    expect(await textOf(place)).toBe(situation.uninstalled ?? situation.before);
    await undoChange(uninstall?.id ?? '', journal);
    expect(await textOf(place)).toBe(situation.after);
    await undoChange(change?.id ?? '', journal);
    expect(await textOf(place)).toBe(situation.before);
    await expectUntouched(place, situation);
  });
});

async function lay(app: KnownApp, { before, how }: Situation): Promise<AppConfigFile> {
  const file = join(folder, 'app', 'settings', 'config');
  if (before === undefined) return { app, file };
  await mkdir(dirname(file), { recursive: true });
  const target = how === 'link' ? join(folder, 'dotfiles') : file;
  await writeFile(target, before);
  await chmod(target, how === 'read-only' ? 0o444 : 0o640);
  if (how === 'link') await symlink(target, file);
  return { app, file };
}

async function textOf({ file }: AppConfigFile): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

/** Permissions and links are unchanged, and no temporary files remain. */
async function expectUntouched({ file }: AppConfigFile, { before, how }: Situation): Promise<void> {
  if (before === undefined) {
    expect(await readdir(folder)).toEqual(['journal']);
    return;
  }
  expect((await lstat(file)).isSymbolicLink()).toBe(how === 'link');
  expect((await stat(file)).mode & 0o777).toBe(0o640);
  expect(await readdir(dirname(file))).toEqual(['config']);
}
