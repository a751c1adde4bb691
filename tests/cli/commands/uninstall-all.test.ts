/** `uninstall --all`, as the uninstallers run it: the built command line, beside a running core and without one. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliHome, entries, type Outcome } from '../cli-home.ts';

let person = '';
beforeEach(async () => {
  person = await mkdtemp(join(tmpdir(), 'tooltray-person-'));
});
afterEach(() => rm(person, { recursive: true, force: true }));

async function put(path: string, content: string): Promise<string> {
  const file = join(person, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
}

const environment = (): NodeJS.ProcessEnv => ({ HOME: person, XDG_CONFIG_HOME: join(person, '.config') });

function run(home: CliHome, ...args: string[]): Promise<Outcome> {
  return home.runWith({ env: environment() }, ...args);
}

test.each([false, true])(
  'restores files, removes secrets and login item, and ends the core (running: %s)',
  async (isRunning) => {
    await using home = new CliHome();
    home.writeConfig({ port: 0, servers: { e: entries.echo } });
    const cursor = await put('.cursor/mcp.json', '{\n\t// mine\n "mcpServers" :{}}\r\n');
    const before = await readFile(cursor, 'utf8');
    await mkdir(join(person, '.gemini'), { recursive: true });
    const gemini = join(person, '.gemini/settings.json');
    const autostart = await put('.config/autostart/tooltray.desktop', '');
    if (isRunning) await home.serveAs(environment());
    for (const app of ['cursor', 'gemini-cli']) expect((await run(home, 'install', app, '--yes')).code).toBe(0);
    const env = { HOME: person };
    expect((await home.runWith({ input: 'value', env }, 'secret', 'set', 'KEY')).code).toBe(0);
    expect(await readFile(gemini, 'utf8')).toContain('tooltray');
    expect(existsSync(join(home.path, 'data/secrets/vault.json'))).toBe(true);

    const { code, stdout, stderr } = await run(home, 'uninstall', '--all', '--quiet');
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(cursor, 'utf8')).toBe(before);
    const gone = [gemini, autostart, join(home.path, 'data/secrets/vault.json'), join(home.path, 'run/core.sock')];
    expect(gone.filter(existsSync)).toEqual([]);
    expect(home.configText()).toContain('"e"');
  },
);

test('asks for confirmation, and for an app or --all', async () => {
  await using home = new CliHome();
  home.writeConfig({ servers: {} });
  const cursor = await put('.cursor/mcp.json', '{"mcpServers":{"tooltray":{"command":"tooltray","args":["stdio"]}}}');
  expect((await run(home, 'uninstall', '--all')).code).toBe(1);
  expect((await run(home, 'uninstall')).code).toBe(2);
  expect(await readFile(cursor, 'utf8')).toContain('tooltray');
});
