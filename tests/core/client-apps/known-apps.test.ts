/** Checks the data of the known apps: ids, file paths on each system, and entry shapes compared with add-mcp. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  configFormatFor,
  knownApp,
  type Machine,
  resolvePaths,
  projectFile,
} from '../../../src-main/core/client-apps/app-files.ts';
import { parseLaunch } from '../../../src-main/core/client-apps/app-servers.ts';
import { valueAt } from '../../../src-main/core/client-apps/formats/config-format.ts';
import { createTooltrayEntry, installLink, snippetFor } from '../../../src-main/core/client-apps/tooltray-entry.ts';
import { knownApps } from '../../../src-main/core/client-apps/known-apps.ts';

const stdio = { command: '/opt/launch', args: ['stdio', '--app', 'a'], env: { K: '1' } };
const http = { url: 'http://127.0.0.1:7777/mcp/app/a', headers: { Authorization: 'Bearer t' } };
const mac: Machine = { platform: 'darwin', home: '/Users/me', env: {} };
const windows: Machine = { platform: 'win32', home: 'C:\\Users\\me', env: {} };
const linux: Machine = { platform: 'linux', home: '/home/me', env: {} };

test('lists no two apps with the same id or file', () => {
  expect(new Set(knownApps.map(({ id }) => id)).size).toBe(knownApps.length);
  for (const machine of [mac, windows, linux]) {
    const files = knownApps.flatMap(({ files }) => resolvePaths(machine, files));
    expect(files).toEqual([...new Set(files)]);
  }
});

test.each([
  [
    'claude-desktop',
    '/Users/me/Library/Application Support/Claude/claude_desktop_config.json',
    'C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    '/home/me/.config/Claude/claude_desktop_config.json',
  ],
  ['claude-code', '/Users/me/.claude.json', 'C:\\Users\\me\\.claude.json', '/home/me/.claude.json'],
  [
    'vscode',
    '/Users/me/Library/Application Support/Code/User/mcp.json',
    'C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json',
    '/home/me/.config/Code/User/mcp.json',
  ],
  ['codex', '/Users/me/.codex/config.toml', 'C:\\Users\\me\\.codex\\config.toml', '/home/me/.codex/config.toml'],
  [
    'goose',
    '/Users/me/.config/goose/config.yaml',
    'C:\\Users\\me\\AppData\\Roaming\\Block\\goose\\config\\config.yaml',
    '/home/me/.config/goose/config.yaml',
  ],
  [
    'cline',
    '/Users/me/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    'C:\\Users\\me\\AppData\\Roaming\\Code\\User\\globalStorage\\saoudrizwan.claude-dev\\settings\\cline_mcp_settings.json',
    '/home/me/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
  ],
  [
    'zed',
    '/Users/me/.config/zed/settings.json',
    'C:\\Users\\me\\AppData\\Roaming\\Zed\\settings.json',
    '/home/me/.config/zed/settings.json',
  ],
])('resolves the file of %s on each system', (id, onMac, onWindows, onLinux) => {
  const { files } = knownApp(id);
  expect([mac, windows, linux].map((machine) => resolvePaths(machine, files)[0])).toEqual([onMac, onWindows, onLinux]);
});

test('follows environment variables that move app folders', () => {
  const moved: Machine = {
    ...linux,
    env: { CODEX_HOME: '/c', XDG_CONFIG_HOME: '/x', CLAUDE_CONFIG_DIR: 'not/absolute' },
  };
  expect(['codex', 'zed', 'claude-code'].map((id) => resolvePaths(moved, knownApp(id).files)[0])).toEqual([
    '/c/config.toml',
    '/x/zed/settings.json',
    '/home/me/.claude.json',
  ]);
});

describe.each(knownApps.map((app) => [app.id, app] as const))('%s', (_, app) => {
  test('reads back the launch of an entry', () => {
    expect(parseLaunch(createTooltrayEntry(app, stdio))).toEqual({ ...stdio, cwd: undefined });
    if (app.shape.http === undefined) expect(() => createTooltrayEntry(app, http)).toThrow('does not support URLs');
    else expect(parseLaunch(createTooltrayEntry(app, http))).toEqual(http);
  });

  test('returns a snippet that is a whole file with the entry', () => {
    const read = configFormatFor(app).read(snippetFor(app, stdio));
    expect(valueAt(read, [...app.container, 'tooltray'])).toEqual(createTooltrayEntry(app, stdio));
  });
});

/** add-mcp's names for our apps. What we write in addition is in the apps' own documentation. */
const theirs = {
  'claude-desktop': 'claude-desktop',
  'claude-code': 'claude-code',
  cursor: 'cursor',
  vscode: 'vscode',
  windsurf: 'windsurf',
  zed: 'zed',
  codex: 'codex',
  'gemini-cli': 'gemini-cli',
  antigravity: 'antigravity',
  cline: 'cline',
  'cline-cli': 'cline-cli',
  kiro: 'kiro-cli',
  goose: 'goose',
  'copilot-cli': 'github-copilot-cli',
  opencode: 'opencode',
} as const;

test('compares every app that add-mcp knows by the same name', async () => {
  const { getAgentTypes } = await import('add-mcp');
  const known = new Set<string>(getAgentTypes());
  const left = knownApps.map(({ id }) => id).filter((id) => known.has(id) && !Object.hasOwn(theirs, id));
  expect(left, 'add it to `theirs` above').toEqual([]);
});

/** It writes `type` where the app needs only `url`, and omits descriptions. */
const differing = ['type', 'description'];

describe.each(Object.entries(theirs))('%s', (id, agent) => {
  test.each([
    ['a command', stdio],
    ['an address', { type: 'http', ...http }],
  ])('has the file and shape of add-mcp for %s', async (_, config) => {
    const app = knownApp(id);
    if ('url' in config && app.shape.http === undefined) return;
    const home = await mkdtemp(join(tmpdir(), 'tooltray-shapes-'));
    try {
      const script = `import { upsertServer } from 'add-mcp'; upsertServer(${JSON.stringify(agent)}, 'tooltray', ${JSON.stringify(config)}, { local: false });`;
      const env = { PATH: process.env['PATH'], HOME: home };
      await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env, cwd: process.cwd() });
      const [file = ''] = (await readdir(home, { recursive: true, withFileTypes: true }))
        .filter((one) => one.isFile())
        .map((one) => join(one.parentPath, one.name));
      expect(resolvePaths({ platform: process.platform, home, env: {} }, app.files)).toContain(file);
      const written = valueAt(configFormatFor(app).read(await readFile(file, 'utf8')), [
        ...app.container,
        'tooltray',
      ]) as object;
      const ours = createTooltrayEntry(app, 'url' in config ? http : stdio);
      const comparable = Object.entries(written).filter(([key]) => !differing.includes(key));
      expect(ours).toMatchObject(Object.fromEntries(comparable));
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});

test('has the project files and shape of add-mcp', async () => {
  const ids = ['claude-code', 'cursor', 'vscode', 'zed', 'codex', 'gemini-cli', 'kiro', 'opencode'] as const;
  const project = await mkdtemp(join(tmpdir(), 'tooltray-shapes-'));
  try {
    const agents = JSON.stringify(ids.map((id) => theirs[id]));
    const script = `import { upsertServer } from ${JSON.stringify(import.meta.resolve('add-mcp'))}; for (const agent of ${agents}) upsertServer(agent, 'tooltray', ${JSON.stringify(stdio)}, { local: true });`;
    const env = { PATH: process.env['PATH'], HOME: project };
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env, cwd: project });
    for (const id of ids) {
      const app = knownApp(id);
      const file = await projectFile({ ...linux, home: project }, app, project);
      const written = configFormatFor(app).read(await readFile(file ?? '', 'utf8'));
      const entry = valueAt(written, [...app.container, 'tooltray']) as object;
      const comparable = Object.entries(entry).filter(([key]) => !differing.includes(key));
      expect(createTooltrayEntry(app, stdio)).toMatchObject(Object.fromEntries(comparable));
    }
  } finally {
    await rm(project, { recursive: true, force: true });
  }
});

test('creates install links with the entry in the notation of their app', () => {
  const entryIn = (link = '', from: RegExp): unknown =>
    JSON.parse(Buffer.from(decodeURIComponent(from.exec(link)?.[1] ?? ''), 'base64').toString());
  expect(
    entryIn(
      installLink(knownApp('cursor'), stdio),
      /^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?name=tooltray&config=([^&]+)$/,
    ),
  ).toEqual(stdio);
  expect(
    entryIn(installLink(knownApp('lm-studio'), http), /^lmstudio:\/\/add_mcp\?name=tooltray&config=([^&]+)$/),
  ).toEqual(http);
  const [, code = ''] = /^vscode:mcp\/install\?([^&]+)$/.exec(installLink(knownApp('vscode'), stdio) ?? '') ?? [];
  expect(JSON.parse(decodeURIComponent(code))).toEqual({ name: 'tooltray', type: 'stdio', ...stdio });
  expect(new URL(installLink(knownApp('kiro'), stdio) ?? '').searchParams.get('config')).toContain('"/opt/launch"');
  const goose = new URL(installLink(knownApp('goose'), { url: http.url }) ?? '');
  expect([goose.protocol, goose.searchParams.get('type'), goose.searchParams.get('url')]).toEqual([
    'goose:',
    'streamable_http',
    http.url,
  ]);
  expect(installLink(knownApp('goose'), stdio)).toBeUndefined();
  expect(installLink(knownApp('zed'), stdio)).toBeUndefined();
});

test('rejects an unknown app and names the known ones', () => {
  expect(() => knownApp('nothing')).toThrow('Unknown client app "nothing".');
});
