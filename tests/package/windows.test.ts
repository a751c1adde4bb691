/** Tests the parts of the Windows package: the launcher under Wine, and the installer script compiled by NSIS. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeLauncher } from '../../src-main/desktop/launcher.ts';

const windows = join(import.meta.dirname, '../../resources/windows');
const isHere = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

test('the launcher is built from the source beside it', () => {
  const source = readFileSync(join(windows, 'tooltray.c'), 'utf8').replaceAll('\r\n', '\n');
  const digest = createHash('sha256').update(source).digest('hex');
  expect(readFileSync(join(windows, 'tooltray.exe')).includes(`tooltray-launcher-source ${digest}`)).toBe(true);
});

describe.skipIf(!isHere('wine') || !isHere('x86_64-w64-mingw32-gcc'))('the launcher, under Wine', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tooltray-wine-'));
    env = { ...process.env, WINEPREFIX: join(folder, 'wine'), WINEDEBUG: '-all' };
  });
  afterAll(() => {
    spawnSync('wineserver', ['--kill'], { env });
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  test('passes arguments, bytes, and the exit code, for a user with any name, without a shell', async () => {
    const home = join(folder, 'Jürgen & Zoë %PATH% ^');
    const app = join(home, 'Programs/Tooltray.exe');
    mkdirSync(join(home, 'Programs'), { recursive: true });
    const compiler = ['-municode', '-Os', '-o', app, join(import.meta.dirname, 'windows-app.c')];
    execFileSync('x86_64-w64-mingw32-gcc', compiler);
    const launcher = join(home, '.tooltray/bin/tooltray.exe');
    const program = `Z:${app.replaceAll('/', '\\')}`;
    const script = { file: 'C:\\é & x\\tooltray.cjs' };
    const facts = { program, script, appWords: ['--background'], windowsProgram: join(windows, 'tooltray.exe') };
    await writeLauncher(launcher, facts, { isLasting: true, cacheDir: folder });

    const words = ['stdio', '--app', 'my & app', 'q"uote', 'end\\', '%PATH%', '^', ''];
    const { code, out } = await run([launcher, ...words], 'hello\n');
    const command = JSON.stringify([program, '--background']);
    expect(out.split('\n')).toEqual(['1', command, script.file, ...words, 'hello', '']);
    expect(code).toBe(7);

    rmSync(app);
    const gone = await run([launcher, 'stdio'], '');
    expect([gone.code, gone.out]).toEqual([127, '']);
    expect(gone.err).toContain(program);
  }, 180_000);

  test('runs the shim, and nothing else, by the runtime of its own, also while the app is replaced', async () => {
    const home = join(folder, 'shim');
    mkdirSync(home);
    const app = join(home, 'Tooltray.exe');
    const shim = join(home, 'tooltray-shim.exe');
    for (const file of [app, shim])
      execFileSync('x86_64-w64-mingw32-gcc', [
        '-municode',
        '-Os',
        '-o',
        file,
        join(import.meta.dirname, 'windows-app.c'),
      ]);
    const ofWine = (file: string): string => `Z:${file.replaceAll('/', '\\')}`;
    const launcher = join(home, 'bin/tooltray.exe');
    const facts = {
      program: ofWine(app),
      script: { file: 'of-app.cjs' },
      appWords: [],
      windowsProgram: join(windows, 'tooltray.exe'),
      shim: { program: ofWine(shim), script: ofWine(join(home, 'of-shim.cjs')) },
    };
    await writeLauncher(launcher, facts, { isLasting: true, cacheDir: folder });
    const scriptOf = async (...words: string[]): Promise<string | undefined> =>
      (await run([launcher, ...words], '')).out.split('\n')[2]?.split('\\').at(-1);
    expect(await scriptOf('stdio', '--app', 'x')).toBe('of-shim.cjs');
    expect(await scriptOf('stdio')).toBe('of-shim.cjs');
    for (const words of [['status'], [], ['stdio', '--standalone'], ['stdiox'], ['run', 'stdio']])
      expect([words, await scriptOf(...words)]).toEqual([words, 'of-app.cjs']);
    rmSync(app);
    expect(await scriptOf('stdio')).toBe('of-shim.cjs');
    rmSync(shim);
    expect((await run([launcher, 'stdio'], '')).code).toBe(127);
  }, 180_000);

  test('of the installer finds the app and the script by their location', async () => {
    const resources = join(folder, 'app/resources/bin');
    mkdirSync(resources, { recursive: true });
    const compiler = [
      '-municode',
      '-Os',
      '-o',
      join(folder, 'app/Tooltray.exe'),
      join(import.meta.dirname, 'windows-app.c'),
    ];
    execFileSync('x86_64-w64-mingw32-gcc', compiler);
    for (const name of ['tooltray.exe', 'tooltray.launch']) copyFileSync(join(windows, name), join(resources, name));
    const { code, out } = await run([join(resources, 'tooltray.exe'), 'uninstall', '--all', '--quiet'], '');
    expect(code).toBe(7);
    const [, , script, ...rest] = out.split('\n');
    expect(script).toMatch(/\\resources\\bin\\\.\.\\shim\\tooltray\.cjs$/);
    expect(rest).toEqual(['uninstall', '--all', '--quiet', '']);
  }, 180_000);

  async function run(
    words: readonly string[],
    input: string,
  ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
    const child = spawn('wine', words, { env });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    await once(child, 'close');
    return { code: child.exitCode, out, err };
  }
});

test('the installer ends only processes of the installed folder or of the name of the app, so no shim', () => {
  const template = createRequire(createRequire(import.meta.url).resolve('electron-builder')).resolve(
    'app-builder-lib/templates/nsis/include/allowOnlyOneInstallerInstance.nsh',
  );
  const ends = readFileSync(template, 'utf8')
    .split('\n')
    .filter((line) => /Stop-Process|taskkill/i.test(line));
  expect(ends.length).toBeGreaterThan(1);
  const others = ends.filter((line) => !/\.Path\.StartsWith\('\$INSTDIR'|\/IM "\$\{_FILE\}"/.test(line));
  expect(others).toEqual([]);
});

test.skipIf(!isHere('makensis'))(
  'the uninstaller runs our command before it removes files, but not for an update',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'tooltray-nsis-'));
    const script = [
      'Unicode true',
      `!include "LogicLib.nsh"`,
      `!include "${join(windows, 'installer.nsh')}"`,
      '!macro _isUpdated _a _b _t _f',
      '  StrCmp "1" "2" `${_t}` `${_f}`',
      '!macroend',
      '!define isUpdated `"" isUpdated ""`',
      `OutFile "${join(folder, 'tooltray-test.exe')}"`,
      'Name "Tooltray"',
      'InstallDir "$LOCALAPPDATA\\Tooltray"',
      'Section',
      '  !insertmacro customUnInstall',
      'SectionEnd',
    ].join('\n');
    try {
      writeFileSync(join(folder, 'test.nsi'), script);
      // -WX: a warning is an error.
      execFileSync('makensis', ['-WX', '-V2', join(folder, 'test.nsi')], { encoding: 'utf8' });
      expect(readFileSync(join(folder, 'tooltray-test.exe')).length).toBeGreaterThan(1000);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
