/** Project config files of client apps: which file, what is written into it, and what is imported from it. */
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { knownApp, type Machine } from '../../../src-main/core/client-apps/app-files.ts';
import { loadAppStatus } from '../../../src-main/core/client-apps/app-status.ts';
import { ChangeJournal } from '../../../src-main/core/client-apps/change-journal.ts';
import { findProjectApps } from '../../../src-main/core/client-apps/find-apps.ts';
import { findImportOffers } from '../../../src-main/core/client-apps/import-offers.ts';
import { installEntry } from '../../../src-main/core/client-apps/install.ts';
import { tooltrayLaunches, projectLaunches } from '../../../src-main/core/client-apps/tooltray-launch.ts';
import { resolveProjectFile, projectWarning } from '../../../src-main/core/client-apps/project-file.ts';
import { undoChange } from '../../../src-main/core/client-apps/undo-app-change.ts';

let home = '';
let project = '';
let machine: Machine = { platform: 'linux', home: '', env: {} };
const own = { dataDir: '/nowhere', platform: 'linux', command: ['/n/node', '/d/cli.js'], home: undefined } as const;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tooltray-projects-')));
  project = join(home, 'work', 'site');
  machine = { platform: 'linux', home, env: {} };
  await mkdir(project, { recursive: true });
});

afterEach(() => rm(home, { recursive: true, force: true }));

async function put(path: string, content: object): Promise<string> {
  const file = join(project, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(content));
  return file;
}

const find = async (folder = project) =>
  (await findProjectApps(machine, new Set(), folder)).filter(({ installed }) => installed);

test('finds apps with a project file or on this machine, and lists a shared file once', async () => {
  await put('.vscode/mcp.json', { servers: {} });
  await put('.mcp.json', { mcpServers: {} });
  await mkdir(join(home, '.kiro'));
  await mkdir(join(home, '.codeium', 'windsurf'), { recursive: true });
  expect((await find()).map(({ app, file }) => [app.id, file.slice(project.length)])).toEqual([
    ['claude-code', '/.mcp.json'],
    ['vscode', '/.vscode/mcp.json'],
    ['kiro', '/.kiro/settings/mcp.json'],
  ]);
});

test('rejects an app without project files and names those with one', async () => {
  await expect(resolveProjectFile(machine, knownApp('windsurf'), project)).rejects.toMatchObject({
    code: 'unsupported',
    message: 'Windsurf has no config file for single projects.',
    fix: expect.stringContaining('claude-code, cursor') as string,
  });
});

test('does not take a user file in the home folder for a project file', async () => {
  await expect(resolveProjectFile(machine, knownApp('cursor'), home)).rejects.toMatchObject({ code: 'bad_request' });
  await expect(resolveProjectFile(machine, knownApp('claude-code'), home)).resolves.toMatchObject({ project: home });
});

test.each([
  ['the file', '.mcp.json', '../../other.json', 'claude-code'],
  ['its folder', '.cursor', '../..', 'cursor'],
])('writes nothing if %s is a link out of the project', async (_, path, target, app) => {
  await writeFile(join(home, 'other.json'), '{}');
  await symlink(target, join(project, path));
  await expect(resolveProjectFile(machine, knownApp(app), project)).rejects.toMatchObject({ code: 'not_allowed' });
  expect(await find()).toEqual([]);
});

test('names the command alone if it is on PATH, and says what others need', () => {
  const [named] = projectLaunches(own, knownApp('cursor'), true);
  expect(named).toEqual({ command: 'tooltray', args: ['stdio', '--app', 'cursor'] });
  expect(projectWarning(named)).toMatch(/No password or token is written to it\. Other users need Tooltray/);
  const [direct] = projectLaunches(own, knownApp('cursor'), false);
  expect(direct).toEqual(tooltrayLaunches(own, 'cursor')[0]);
  expect(projectWarning(direct)).toContain('contains a path of this machine');
  const [privately] = projectLaunches({ ...own, home: '/private' }, knownApp('cursor'), true);
  expect(projectWarning(privately)).toContain('refers to the folder of this private Tooltray');
});

test('shows both apps that read the same file as connected', async () => {
  await put('.vscode/mcp.json', {
    servers: { tooltray: { type: 'stdio', command: 'tooltray', args: ['stdio', '--app', 'vscode-insiders'] } },
  });
  const [found] = await find();
  if (found === undefined) throw new Error('it was written');
  expect(await loadAppStatus(found, projectLaunches(own, found.app, true))).toMatchObject({
    id: 'vscode',
    connected: 'yes',
  });
});

test('restores the exact files at undo and removes created folders', async () => {
  const journal = new ChangeJournal(join(home, 'journal'));
  const place = await resolveProjectFile(machine, knownApp('junie'), project);
  const change = await installEntry(place, tooltrayLaunches(own, 'junie')[0], { journal });
  expect(change?.madeFolder).toBe(join(project, '.junie'));
  await undoChange(change?.id ?? '', journal);
  await expect(readFile(place.file)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(readFile(join(project, '.junie'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('starts imported project servers in the project folder', async () => {
  await put('.vscode/mcp.json', {
    servers: {
      a: { command: '${workspaceFolder}/bin/a', args: ['--name', '${workspaceFolderBasename}'] },
      b: { command: './b', cwd: 'sub' },
      c: { command: 'c', cwd: '${env:WHERE}' },
      d: { type: 'http', url: 'https://example.com/mcp' },
    },
  });
  const { offers } = await findImportOffers(await find(), [], { home, env: {}, platform: 'linux' });
  expect(offers.map(({ entry }) => entry)).toEqual([
    { command: `${project}/bin/a`, args: ['--name', 'site'], cwd: project },
    { command: './b', cwd: join(project, 'sub') },
    { command: 'c', cwd: '${env:WHERE}' },
    { url: 'https://example.com/mcp' },
  ]);
});
