/**
 * The image of a replica (`npm run image`) in a container: it migrates, serves, calls, and stops without losing calls.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { freePort } from '../../scripts/team/engines/free-port.ts';
import { takesSystem } from '../../scripts/team/engines/system.ts';
import { startHttpFixture } from '../fixtures/servers/http-fixture.ts';
import { bearer } from '../support/callers.ts';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { testKeys } from '../support/start-replica.ts';
import { teamDatabase } from '../support/team-database.ts';

const root = join(import.meta.dirname, '../..');
const image = `localhost/tooltray-team:${packageJson.version}`;
/** For containers without systemd to manage limits and cgroups. */
const podman = ['--runtime', 'runc', '--cgroup-manager=cgroupfs'];

test.skipIf(!takesSystem('podman'))(
  'the image migrates, serves a call and stops on SIGTERM',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tooltray-image-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const archive = join(folder, 'image.tar');
    execFileSync(process.execPath, ['scripts/team/image/run.mjs', '--output', archive], { cwd: root, stdio: 'pipe' });
    execFileSync('podman', ['load', '-i', archive], { stdio: 'pipe' });
    onTestFinished(() => void execFileSync('podman', ['rmi', '--force', image], { stdio: 'pipe' }));
    const fixture = await startHttpFixture('conformance');
    onTestFinished(() => fixture.close());
    const config = join(folder, 'config.json');
    writeFileSync(config, JSON.stringify({ mode: 'proxy', servers: { there: { url: fixture.url } } }), { mode: 0o644 });

    const database = await teamDatabase({ isEmpty: true });
    const variables = { ...testKeys, TOOLTRAY_DATABASE: database };
    const named = Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const limits = ['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=4096:4096'];
    const how = ['run', '--rm', '--network=host', ...limits, '-v', `${config}:/config.json:ro`, ...named];
    const inside = (...words: string[]): string =>
      execFileSync('podman', [...podman, ...how, image, ...words], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    inside('team', 'migrate');
    inside('team', 'user', 'add', 'ana');
    const { token } = JSON.parse(inside('team', 'token', 'create', 'ana', '--label', 'test', '--json')) as {
      token: string;
    };

    const port = await freePort();
    const serve = ['team', 'serve', '--json', '--listen', `127.0.0.1:${port}`, '--config', '/config.json'];
    const child = spawn('podman', [...podman, ...how, image, ...serve], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await Promise.race([
      new Promise((resolve) => child.stdout.once('data', resolve)),
      ended.then((code) => Promise.reject(new Error(`The container ended with ${code}: ${said}`))),
    ]);
    const client = new ModernClient(new HttpClient(`http://127.0.0.1:${port}/mcp`, true, bearer(token)));
    await expect
      .poll(async () => JSON.stringify((await client.once('tools/list')).result))
      .toContain('test_simple_text');
    expect(JSON.stringify((await client.call('test_simple_text')).result)).toContain('simple text');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  },
  300_000,
);
