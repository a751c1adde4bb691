/**
 * `tooltray secret`: reads values without echo, lists names only, moves values out of the config, with and without a
 * core.
 */
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliHome, entries, eventually } from '../../cli-home.ts';
import { allCases } from '../../../support/all-cases.ts';

/** The system keychain is not used. */
const env = { DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: '' };
const planted = 'planted-value-12345';

const run = (home: CliHome, input: string, ...args: string[]): ReturnType<CliHome['runWith']> =>
  home.runWith({ input, env }, 'secret', ...args);

async function json(home: CliHome, ...args: string[]): Promise<unknown> {
  const { stdout, stderr } = await run(home, '', ...args, '--json');
  expect(stdout + stderr).not.toContain('planted');
  return JSON.parse(stdout);
}

/** Every file below the home that holds the text. */
function filesWith(home: CliHome, text: string): string[] {
  const all = readdirSync(home.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return all
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text))
    .map((file) => file.slice(home.path.length + 1))
    .sort();
}

test('reads a value from stdin and never prints it; names the servers that need it', async () => {
  await using home = new CliHome({ a: { command: 'x', env: { K: '${secret:K}', L: '${secret:L}' } } });
  const { code, stdout } = await run(home, `${planted}\n`, 'set', 'K');
  expect([code, stdout]).toEqual([0, 'Set K. Used by: a.\n']);
  expect(await json(home)).toMatchObject({
    secrets: [
      { name: 'K', changedAt: expect.any(Number) as number, servers: ['a'] },
      { name: 'L', servers: ['a'] },
    ],
    vault: { state: 'open', place: 'file', sentence: expect.stringContaining('the key is in a file') as string },
  });
  expect(filesWith(home, planted)).toEqual([]);
  expect(await json(home, 'rm', 'K')).toEqual({ name: 'K', removed: true, servers: ['a'] });
  expect(await json(home, 'rm', 'K')).toMatchObject({ removed: false });
});

test.for([
  ['a value among the arguments', ['set', 'K', planted]],
  ['a name that is none', ['set', 'a b']],
  ['no value', ['set', 'K']],
  ['a place that is none', ['key', 'cloud']],
  ['a passphrase that is too short', ['key', 'passphrase']],
] as const)('rejects %s', async ([, words]) => {
  await using home = new CliHome({});
  const { code } = await run(home, '', ...words);
  expect(code).not.toBe(0);
  expect(existsSync(join(home.path, 'data/secrets/vault.json'))).toBe(false);
});

test('move takes likely secrets out of the config, and names each file that still has them', async () => {
  await using home = new CliHome();
  const config = `{
  // Mine.
  "servers": {
    "a": { "command": "x", "env": { "API_KEY": "${planted}", "MODE": "fast" } }, // kept
    "b": { "url": "https://h/mcp?k=1", "headers": { "Authorization": "Bearer ${planted}-2" } },
    "c": { "command": "x", "env": { "API_KEY": "${planted}-3" } }
  }
}`;
  writeFileSync(home.configFile, config);
  expect(await json(home, 'move', '--dry-run')).toMatchObject({
    found: [{ server: 'a' }, { server: 'b' }, { server: 'c' }],
  });
  expect(home.configText()).toBe(config);
  expect(await json(home, 'move')).toEqual({
    moved: [
      { server: 'a', where: 'env API_KEY', name: 'API_KEY' },
      { server: 'b', where: 'headers Authorization', name: 'B_AUTHORIZATION' },
      { server: 'c', where: 'env API_KEY', name: 'C_API_KEY' },
    ],
    copies: [join(home.path, 'config.json.bak')],
  });
  expect(home.configText()).toBe(
    config
      .replace(`"${planted}"`, '"${secret:API_KEY}"')
      .replace(`${planted}-2`, '${secret:B_AUTHORIZATION}')
      .replace(`"${planted}-3"`, '"${secret:C_API_KEY}"'),
  );
  expect(filesWith(home, planted)).toEqual(['config.json.bak']);
  expect(await json(home, 'move')).toEqual({ moved: [], copies: [] });
  expect(await json(home, 'move', 'nobody')).toMatchObject({ error: { code: 'server_not_found' } });
});

test('a move killed at any moment leaves each value in config or vault, and a second move finishes it', async () => {
  for (const delayMs of allCases ? [60, 100, 130, 160, 190, 220, 260, 320] : [130, 220]) {
    await using home = new CliHome({
      a: { command: 'x', env: { API_KEY: planted } },
      b: { command: 'x', env: { B_KEY: `${planted}-b` } },
    });
    const child = home.spawn(['secret', 'move'], env, []);
    const timer = setTimeout(() => child.kill('SIGKILL'), delayMs);
    await once(child, 'close');
    clearTimeout(timer);
    const before = home.configText();
    JSON.parse(before);
    const kept = existsSync(join(home.path, 'data/secrets/vault.json'))
      ? ((await json(home)) as { secrets: { name: string; changedAt?: number }[] }).secrets
      : [];
    for (const name of ['API_KEY', 'B_KEY']) {
      const isThere = kept.some((one) => one.name === name && one.changedAt !== undefined);
      expect([
        before.includes(`\${secret:${name}}`) && !isThere,
        !before.includes(`\${secret:${name}}`) && !before.includes(planted),
      ]).toEqual([false, false]);
    }
    await run(home, '', 'move');
    expect(home.configText()).not.toContain('planted');
    expect((await run(home, '', 'key')).code).toBe(0);
  }
});

test.runIf(allCases)(
  'a running core starts a server when its secret is set, and unlocks its vault with the passphrase',
  async () => {
    await using home = new CliHome({ echo: { ...entries.echo, env: { K: '${secret:K}' } } });
    const words = 'correct horse battery';
    expect((await run(home, words, 'key', 'passphrase')).stdout).toContain(
      'Secrets are encrypted with a key protected by your passphrase.',
    );
    await home.runWith({ input: planted, env: { ...env, TOOLTRAY_VAULT_PASSPHRASE: words } }, 'secret', 'set', 'K');
    await home.serve();
    const state = async (): Promise<string> => (await home.run('list', '--json')).stdout;
    expect(await eventually(state, (text) => text.includes('passphrase is not set'))).not.toContain('planted');
    expect((await run(home, 'another horse', 'unlock')).stderr).toContain('not the passphrase');
    await run(home, words, 'unlock');
    await eventually(state, (text) => text.includes('"ready"'));
    expect(filesWith(home, planted)).toEqual([]);
  },
);

test.runIf(allCases)(
  'doctor reports where the key is stored, what is missing, and a vault that cannot be opened',
  async () => {
    await using home = new CliHome({ off: { command: 'x', env: { K: '${secret:K}' }, enabled: false } });
    const finding = async (): Promise<unknown> => {
      const { stdout } = await home.runWith({ env }, 'doctor', '--json');
      return (JSON.parse(stdout) as { findings: { topic: string }[] }).findings.find(
        ({ topic }) => topic === 'secrets',
      );
    };
    expect(await finding()).toMatchObject({ level: 'problem', text: expect.stringContaining('Not set: K.') as string });
    await run(home, planted, 'set', 'K');
    expect(await finding()).toMatchObject({
      level: 'note',
      text: expect.stringContaining('the key is in a file') as string,
    });
    const folder = join(home.path, 'data/secrets');
    const [key = ''] = readdirSync(folder).filter((name) => name.startsWith('key-'));
    writeFileSync(join(folder, key), 'not a key');
    expect(await finding()).toMatchObject({ level: 'problem', text: expect.stringContaining('is locked') as string });
  },
);

test('add --vault writes a reference into the config and the value into the vault', async () => {
  await using home = new CliHome({});
  const { code } = await home.runWith({ env }, 'add', 'a', '--vault', '--env', `API_KEY=${planted}`, '--', 'x');
  expect(code).toBe(0);
  expect(home.configText()).toContain('${secret:API_KEY}');
  expect(filesWith(home, planted)).toEqual([]);
});
