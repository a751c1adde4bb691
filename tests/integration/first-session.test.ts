/** The first session of a core opens before its servers are known: it waits for their names, and for nothing else. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allModes } from '../../src-main/compat/all-modes.ts';
import { CoreHost } from '../../src-main/host/core-host.ts';
import { openSocket, type SocketClient } from '../support/socket-client.ts';
import { startCore } from '../support/start-core.ts';

const servers = {
  dead: { command: 'no-such-command-here' },
  hangs: { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] },
};

/** It listens, and no server has been started yet. */
async function openHost(home: string): Promise<CoreHost> {
  const host = await CoreHost.open({
    env: { ...process.env, TOOLTRAY_HOME: home },
    version: '0.0.0',
    port: 0,
    askToken: false,
    pageRoot: home,
    onStop: () => undefined,
  });
  await host.listen();
  return host;
}

const greeting = async (client: SocketClient): Promise<string> => String((await client.initialize())['instructions']);

test('instructions name the servers of the config in every mode, whatever has started', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tooltray-first-'));
  await writeFile(join(home, 'config.json'), JSON.stringify({ servers }));
  const host = await openHost(home);
  try {
    const early = await Promise.all(
      ['auto', ...allModes.modes.map(({ name }) => name)].map(async (mode) => {
        const client = await openSocket(host.paths.socketPath, host.core.clients.token, { mode });
        return [mode, greeting(client)] as const;
      }),
    );
    void host.core.start();
    for (const [mode, text] of early) {
      if (mode === 'gateway') expect([mode, await text]).toEqual([mode, expect.stringContaining('dead(tool')]);
      else expect([mode, await text]).toEqual([mode, expect.stringMatching(/dead, hangs/)]);
    }
  } finally {
    await host.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('passes on the instructions that servers gave to an earlier core before they are ready', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tooltray-first-'));
  const everything = { talks: { command: process.execPath, args: [join(import.meta.dirname, 'servers/talking.ts')] } };
  try {
    await using before = await startCore({ servers: everything }, { home });
    await before.host.stop();
    const host = await openHost(home);
    const client = await openSocket(host.paths.socketPath, host.core.clients.token, { mode: 'proxy' });
    const text = greeting(client);
    void host.core.start();
    expect(await text).toContain('# talks\nSay please.');
    await host.stop();
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('instructions say so if every server is disabled', async () => {
  await using core = await startCore({ servers: { off: { ...servers.dead, enabled: false } } });
  const client = await core.connect();
  expect(await greeting(client)).toContain('Tooltray: no server is enabled yet.');
});
