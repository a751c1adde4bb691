/** Tokens of apps and profiles, and a secret that its server repeats: where each may be stored, and that it is nowhere else. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openAppAccess } from '../../src-main/host/open-config.ts';
import { stateBuilders } from '../../src-main/rpc/build-state.ts';
import { ask } from '../rpc/dashboard-client.ts';
import { filesHolding } from '../support/files-holding.ts';
import { startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

/** Unique per run, because all processes of this computer are searched for it. */
const secret = `planted-secret-${randomUUID()}`;
/** As in a file: each line may be printed alone. */
const lines = ['-----BEGIN THING-----', 'planted-first-line-0002', 'planted-second-line-0003', '-----END THING-----'];
const telling = { command: process.execPath, args: [join(import.meta.dirname, 'servers/telling.ts')] };

async function newFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `tooltray-${name}-`));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Everything the user can request with at most a server name. */
async function told(core: TestCore): Promise<string> {
  const questions = [
    'serverDetail',
    'log',
    'activity',
    'secrets',
    'plaintextSecrets',
    'inbox',
    'audit',
    'proposals',
  ] as const;
  const answers = await Promise.all(
    questions.map((question) => ask(core, question, question === 'inbox' ? {} : { server: 'telling' })),
  );
  const state = await Promise.all(Object.values(stateBuilders(core.host.rpcDeps)).map((build) => build() as unknown));
  return JSON.stringify([answers, await Promise.all(state), await core.host.rpcDeps.apps.access()]);
}

/** Environments of all readable processes of this computer, except this one's. */
async function environmentsWith(text: string): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const having = await Promise.all(
    pids.map(async (pid) => {
      const env = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return env.includes(text) ? [await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')] : [];
    }),
  );
  return having.flat();
}

test('stores each planted secret only where it belongs, and shows it in no other file, result or process', async () => {
  const [home, person] = [await newFolder('planted-home'), await newFolder('planted-person')];
  const servers = {
    telling: { ...telling, env: { TOLD_KEY: '${secret:K}', TOLD_FILE: '${secret:LINES}' } },
    other: telling,
  };
  const env = { HOME: person, XDG_CONFIG_HOME: join(person, '.config') };
  const core = await startCore(
    { servers, profiles: { narrow: { servers: ['other'] } } },
    { home, env, askToken: true },
  );
  try {
    await ask(core, 'setSecret', { name: 'K', value: secret });
    await ask(core, 'setSecret', { name: 'LINES', value: lines.join('\n') });
    await until(() => core.server('telling').state.kind === 'ready');
    // In the arguments and in the result of a call, too.
    await ask(core, 'call', { tool: 'telling:tell', arguments: { say: `${secret} ${lines[1]}` } });

    const expiresAt = Date.now() + 24 * 60 * 60_000;
    const given = (await ask(core, 'createProfileToken', { profile: 'narrow', expiresAt })) as { token: string };
    const { token: app = '' } = await openAppAccess(core.host.paths).grant('cursor', true);
    const profile = given.token.slice(-43);
    expect([profile.length, app.length]).toEqual([43, 43]);

    const shown = await told(core);
    expect(shown).toContain('telling');
    const planted = [secret, ...lines.slice(1, 3), profile, app];
    expect(planted.filter((one) => shown.includes(one))).toEqual([]);
    expect(await environmentsWith(secret)).toEqual([expect.stringContaining('telling.ts')]);
    expect(await environmentsWith(app)).toEqual([]);
    await core.host.stop();
    const places = await Promise.all(planted.map((one) => filesHolding(home, one)));
    const access = places.at(-1) ?? [];
    expect(places.slice(0, -1)).toEqual([[], [], [], []]);
    // The app's own token is compared with the app's file, so it is stored here as well, readable only by the user.
    expect(access.map((file) => relative(home, file))).toEqual([expect.stringContaining('access')]);
    expect((await stat(access[0] ?? '')).mode & 0o077).toBe(0);
    expect(await filesHolding(person, secret)).toEqual([]);
  } finally {
    await core[Symbol.asyncDispose]();
  }
});
