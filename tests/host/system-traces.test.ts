/** Tests what an uninstall removes from the system, and the command on the PATH that "Install command" adds. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  existsSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  readlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { launcherPath } from '../../src-main/core/base/app-paths.ts';
import { administratorScript, installCommand } from '../../src-main/desktop/install-command.ts';
import { commandLink, removeTraces, type UserSystem } from '../../src-main/host/system-traces.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), "tooltray it's "))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const linux = (): UserSystem => ({ platform: 'linux', env: {}, home, dataDir: join(home, 'data') });

function put(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** The script passed to PowerShell. */
const scriptOf = (args: readonly string[]): string => Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le');

describe('on Linux', () => {
  test('removes the login item, the link scheme, and the command, and nothing else', async () => {
    const autostart = put('.config/autostart/tooltray.desktop', '[Desktop Entry]\n');
    const other = put('.config/autostart/other.desktop', '');
    const schemes = '[Default Applications]\ntext/html=b.desktop\n';
    const list = put('.config/mimeapps.list', `${schemes}x-scheme-handler/tooltray=tooltray.desktop\n[Added]\n`);
    const link = await installCommand(linux());
    expect(readlinkSync(link)).toBe(launcherPath(join(home, 'data'), 'linux'));
    expect(await installCommand(linux())).toBe(link);
    expect(await removeTraces(linux())).toEqual([]);
    expect([autostart, link, other].map((file) => existsSync(dirname(file)) && existsSync(file))).toEqual([
      false,
      false,
      true,
    ]);
    expect(readFileSync(list, 'utf8')).toBe(`${schemes}[Added]\n`);
    expect(await removeTraces(linux())).toEqual([]);
  });

  test('does not replace or remove another program of that name', async () => {
    const link = commandLink(linux());
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync('/opt/other', link);
    await expect(installCommand(linux())).rejects.toMatchObject({ code: 'config_conflict' });
    await removeTraces(linux());
    expect(readlinkSync(link)).toBe('/opt/other');
  });
});

test('on macOS asks for an administrator if the folder is not writable', async () => {
  const blocked = put('blocked', '');
  const runs: (readonly string[])[] = [];
  const system = { ...linux(), platform: 'darwin' } as const;
  const link = join(blocked, 'bin/tooltray');
  await installCommand(system, { link, run: async (program, args) => runs.push([program, ...args]) });
  const launcher = launcherPath(system.dataDir, 'darwin');
  expect(runs).toEqual([['osascript', '-e', administratorScript(launcher, link)]]);
  expect(administratorScript('/a "b" it\'s', '/usr/local/bin/tooltray')).toBe(
    String.raw`do shell script "mkdir -p '/usr/local/bin' && ln -s '/a \"b\" it'\\''s' '/usr/local/bin/tooltray'" with administrator privileges`,
  );
});

describe('on Windows', () => {
  const system = { platform: 'win32', env: {}, home: 'C:\\Users\\É', dataDir: "C:\\Users\\É d'Or\\.tooltray" } as const;

  test("adds the launcher's folder to the PATH, and removes it", async () => {
    const scripts: string[] = [];
    const run = async (program: string, args: readonly string[]): Promise<void> => {
      expect(program).toBe('powershell.exe');
      scripts.push(scriptOf(args));
    };
    await installCommand(system, { run });
    await removeTraces(system, run);
    const [added = '', removed = ''] = scripts;
    for (const script of scripts) expect(script).toMatch(/^\$folder = 'C:\\Users\\É d''Or\\\.tooltray.bin'$/m);
    expect(added).toContain('$parts += $folder');
    expect(removed).not.toContain('$parts += $folder');
    expect(removed).toContain(String.raw`HKCU:\Software\Classes\tooltray`);
    expect(removed).toContain(String.raw`CurrentVersion\Run`);
  });

  test("removes the shim's runtimes, and reports those that client apps still use", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tooltray-traces-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
    mkdirSync(join(dataDir, 'runtime/unused'), { recursive: true });
    // Cannot be removed as a file, like a running program on Windows.
    const used = join(dataDir, 'runtime/used');
    mkdirSync(join(used, 'tooltray-shim.exe'), { recursive: true });
    const problems = await removeTraces({ ...system, dataDir }, async () => undefined);
    expect(problems.map((problem) => problem.includes(used))).toEqual([true]);
    expect(readdirSync(join(dataDir, 'runtime'))).toEqual(['used']);
  });

  test('reports what could not be removed', async () => {
    const failing = (): Promise<never> => Promise.reject(new Error('no PowerShell'));
    expect(await removeTraces(system, failing)).toEqual(['no PowerShell']);
  });
});
