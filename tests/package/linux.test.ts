/** Checks the contents of the packages for Linux, and connects a client app from the launcher to the packaged core. */
import { execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser } from '../../scripts/browser.mjs';
import { launcherPath } from '../../src-main/core/base/app-paths.ts';
import { writeLauncher, launcherFacts } from '../../src-main/desktop/launcher.ts';
import { permissions, unpacked } from '../../src-main/core/code-runner/guest-worker.ts';
import { until } from '../support/until.ts';
import { fusesOf } from './electron-folder.ts';
import { pack, type Packed } from './pack.ts';

const dist = join(import.meta.dirname, '../../dist');
const isHere = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

describe.skipIf(process.platform !== 'linux' || !isHere('dpkg-deb'))('the package for Debian', () => {
  let packed: Packed;
  let home: string;
  beforeAll(async () => {
    packed = await pack(['deb'], { CUSTOM_FPM_PATH: join(import.meta.dirname, 'fpm.mjs') });
    home = mkdtempSync(join(tmpdir(), 'tooltray-packed-'));
  });
  afterAll(() => {
    for (const folder of [packed.folder, home]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  test('contains the built app with its engines, but no sources and no packages', () => {
    expect(readdirSync(packed.app).sort()).toEqual(['dist', 'package.json']);
    const engines = readdirSync(join(packed.app, 'dist/python')).filter((name) => !name.endsWith('.js'));
    expect(engines.sort()).toEqual(['engine.image', 'pyodide.asm.mjs', 'pyodide.asm.wasm', 'python_stdlib.zip']);
    const bytes = (folder: string, file: string): Buffer => readFileSync(join(folder, file));
    for (const file of [
      'quickjs.wasm',
      ...readdirSync(join(packed.app, 'dist/python')).map((name) => `python/${name}`),
    ])
      expect({ file, same: bytes(join(packed.app, 'dist'), file).equals(bytes(dist, file)) }).toEqual({
        file,
        same: true,
      });
    const files = readdirSync(packed.app, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['dist/main.js', 'dist/preload.cjs', 'dist/renderer/index.html']));
    expect(files).toEqual(expect.arrayContaining(['dist/tray/normal-linux.png', 'dist/activity-worker.js']));
    expect(files.filter((file) => /\.(map|ts|svelte)$|^dist\/team/.test(file))).toEqual([]);
  });

  test('contains readable licenses, and native code outside the archive', () => {
    const resources = join(packed.unpacked, 'resources');
    expect(readFileSync(join(resources, 'LICENSE.txt'), 'utf8')).toContain('MIT License');
    expect(readFileSync(join(resources, 'third-party-notices.txt'), 'utf8')).toBe(
      readFileSync(join(dist, 'third-party-notices.txt'), 'utf8'),
    );
    const native = readdirSync(packed.app, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.node'),
    );
    expect(native.filter((file) => !existsSync(join(resources, 'app.asar.unpacked', file)))).toEqual([]);
  });

  test('contains the whole shim outside the archive', () => {
    const shim = join(packed.unpacked, 'resources/shim');
    const parts = readdirSync(shim, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.cjs'));
    const text = parts.map((part) => readFileSync(join(shim, part), 'utf8')).join('\n');
    const wanted = [...text.matchAll(/["'`]\.\/([\w/.-]+\.cjs)["'`]/g)].map(([, name]) => name?.replace('chunks/', ''));
    expect(wanted.length).toBeGreaterThan(0);
    expect(wanted.filter((name) => !parts.some((part) => part.endsWith(name ?? '')))).toEqual([]);
  });

  test('lets the app run as Node.js, and disables other ways to run code in its name', () => {
    // In the order of @electron/fuses: run as Node.js, cookie encryption, NODE_OPTIONS, --inspect, archive integrity,
    // archive only, browser snapshot, file:// privileges.
    expect(fusesOf(readFileSync(join(packed.unpacked, 'tooltray-app'))).slice(0, 8)).toBe('11001100');
  });

  test('installs where launchers find it, with icons of every size and the links', () => {
    const [deb = ''] = readdirSync(packed.release).filter((name) => name.endsWith('.deb'));
    const listing = execFileSync('dpkg-deb', ['--contents', join(packed.release, deb)], { encoding: 'utf8' });
    expect(listing).toContain('./opt/Tooltray/tooltray-app\n');
    expect(listing).toContain('./usr/bin/tooltray\n');
    expect(listing).toContain('./opt/Tooltray/resources/shim/tooltray.cjs\n');
    expect(listing).toContain('./opt/Tooltray/resources/shim/shim.cjs\n');
    for (const size of [16, 32, 48, 128, 256, 512])
      expect(listing).toContain(`/hicolor/${size}x${size}/apps/tooltray-app.png`);
    const data = join(packed.folder, 'deb');
    execFileSync('dpkg-deb', ['--extract', join(packed.release, deb), data]);
    const entry = readFileSync(join(data, 'usr/share/applications/tooltray.desktop'), 'utf8');
    expect(entry).toContain('Exec=/opt/Tooltray/tooltray-app %U');
    expect(entry).toContain('MimeType=x-scheme-handler/tooltray;');
    expect(statSync(join(data, 'opt/Tooltray/tooltray-app')).mode & 0o111).toBe(0o111);
  });

  test('`tooltray` of the package is the command line, and its `stdio` answers initialize', async () => {
    const command = join(home, 'usr-bin-tooltray');
    const script = readFileSync(join(packed.folder, 'deb/usr/bin/tooltray'), 'utf8');
    writeFileSync(
      command,
      script
        .replaceAll('/opt/Tooltray', join(packed.folder, 'deb/opt/Tooltray'))
        .replaceAll('/usr/bin/tooltray', command),
      {
        mode: 0o755,
      },
    );
    const { version } = JSON.parse(readFileSync(join(packed.app, 'package.json'), 'utf8')) as { version: string };
    const env = envOf(join(home, 'alone'));
    const cursor = join(home, 'alone/.cursor/mcp.json');
    mkdirSync(dirname(cursor), { recursive: true });
    writeFileSync(cursor, '{ "mcpServers":{}}');
    const plan = execFileSync(command, ['install', 'cursor', '--dry-run', '--json'], { env, encoding: 'utf8' });
    expect((JSON.parse(plan) as { snippet: string }).snippet).toContain(JSON.stringify(command));
    writeFileSync(cursor, JSON.stringify({ mcpServers: { tooltray: { command, args: ['stdio'] } } }));
    execFileSync(command, ['uninstall', '--all', '--quiet'], { env });
    expect(JSON.parse(readFileSync(cursor, 'utf8'))).toEqual({ mcpServers: {} });
    expect(execFileSync(command, ['--version'], { env, encoding: 'utf8' })).toBe(`Tooltray ${version}\n`);
    const client = new Client({ name: 'package-test', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command, args: ['stdio', '--standalone'], env }));
    expect(client.getServerVersion()?.name).toBe('tooltray');
    await client.close();
  });

  test('the launcher starts the packaged shim, which starts the packaged app, and a client app gets a result', async () => {
    const facts = launcherFacts({
      platform: 'linux',
      program: join(packed.unpacked, 'tooltray-app'),
      resources: join(packed.unpacked, 'resources'),
      appImage: undefined,
      checkout: undefined,
    });
    const launcher = launcherPath(home, 'linux');
    await writeLauncher(launcher, facts, { isLasting: true, cacheDir: join(home, 'cache') });
    writeFileSync(
      join(home, 'config.json'),
      '{ "port": 0, "mode": "code", "servers": { "utils": { "type": "builtin", "builtin": "utils" } } }',
    );
    const env = envOf(home);
    const client = new Client({ name: 'package-test', version: '1.0.0' });
    try {
      await client.connect(
        new StdioClientTransport({ command: launcher, args: ['stdio', '--app', 'package-test'], env }),
      );
      expect(client.getServerVersion()?.name).toBe('tooltray');
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('execute');
      expect(existsSync(join(home, 'data/desktop'))).toBe(true);
      // Both engines start from the package: their binaries, workers, and the Python process.
      const run = (code: string, language: string): Promise<object> =>
        client.callTool({ name: 'execute', arguments: { code, language } });
      expect(await run('import sys, zlib\nf"{sys.version_info[:2]} {zlib.crc32(b\'x\')}"', 'python')).toEqual({
        content: [{ type: 'text', text: '(3, 14) 2363233923' }],
      });
      expect(await run('return 6 * 7', 'javascript')).toEqual({ content: [{ type: 'text', text: '42' }] });
    } finally {
      await client.close();
      // The app that the shim started outlives it, so the test stops it.
      stopCore(env);
    }
  });

  test('Python starts outside the archive, with the permissions of Node.js and without the archive', async () => {
    const entry = unpacked(pathToFileURL(join(packed.unpacked, 'resources/app.asar/dist/python-process.js')));
    renameSync(join(packed.unpacked, 'resources/app.asar'), join(packed.folder, 'app.asar'));
    const child = fork(fileURLToPath(entry), [], {
      env: {},
      execArgv: permissions(entry),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    try {
      expect((await once(child, 'message'))[0]).toEqual({ kind: 'ready' });
      child.send({ kind: 'check', code: 'def f(): pass' });
      const [said] = (await once(child, 'message')) as [object];
      expect(said).toMatchObject({ kind: 'checked', isJavaScript: false });
      expect(said).not.toHaveProperty('error.message');
    } finally {
      child.kill('SIGKILL');
      renameSync(join(packed.folder, 'app.asar'), join(packed.unpacked, 'resources/app.asar'));
    }
  });

  test('client apps find the app again after it was moved and started once', async () => {
    const launcher = launcherPath(join(home, 'data'), 'linux');
    expect(readFileSync(launcher, 'utf8')).toContain(packed.unpacked);
    const moved = join(packed.folder, 'moved');
    renameSync(packed.unpacked, moved);
    const env = envOf(home);
    try {
      spawn(join(moved, 'tooltray-app'), ['--background'], { env, stdio: 'ignore' });
      await until(() => readFileSync(launcher, 'utf8').includes(`program='${join(moved, 'tooltray-app')}'`));
      const client = new Client({ name: 'package-test', version: '1.0.0' });
      await client.connect(new StdioClientTransport({ command: launcher, args: ['stdio'], env }));
      expect(client.getServerVersion()?.name).toBe('tooltray');
      await client.close();
    } finally {
      stopCore(env);
      renameSync(moved, packed.unpacked);
    }
  });

  function envOf(folder: string): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      TOOLTRAY_HOME: folder,
      STAND_IN_NODE: process.execPath,
      CHROME_PATH: findBrowser(),
      APP_FOLDER: packed.app,
    };
  }

  function stopCore(env: Record<string, string>): void {
    execFileSync(process.execPath, [join(import.meta.dirname, 'stop-core.ts')], { env, stdio: 'inherit' });
  }
});

describe.skipIf(process.platform !== 'linux' || !['mksquashfs', 'desktop-file-validate'].every(isHere))(
  'the AppImage',
  () => {
    test('contains the same app, with the shim where the launcher looks for it', async () => {
      const tools = mkdtempSync(join(tmpdir(), 'tooltray-appimage-'));
      const { makeAppImageTools, runtimeBytes } = await import('./appimage-tools.ts');
      makeAppImageTools(tools);
      const packed = await pack(['AppImage'], { APPIMAGE_TOOLS_PATH: tools });
      try {
        const [image = ''] = readdirSync(packed.release).filter((name) => name.endsWith('.AppImage'));
        const words = ['-o', String(runtimeBytes), '-ls', join(packed.release, image)];
        const listing = execFileSync('unsquashfs', words, { encoding: 'utf8' });
        const names = ['tooltray-app', 'resources/app.asar', 'resources/shim/tooltray.cjs', 'tooltray.desktop'];
        for (const name of names) expect(listing).toContain(`squashfs-root/${name}\n`);
        const entry = execFileSync(
          'unsquashfs',
          ['-o', String(runtimeBytes), '-cat', join(packed.release, image), 'tooltray.desktop'],
          {
            encoding: 'utf8',
          },
        );
        expect(entry).toMatch(/^Exec=AppRun %U$/m);
      } finally {
        for (const folder of [packed.folder, tools]) rmSync(folder, { recursive: true, force: true });
      }
    });
  },
);
