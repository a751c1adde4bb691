import { request } from 'node:http';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src-main/team/database/database.ts';
import { startReplica } from '../support/start-replica.ts';
import { teamDatabase } from '../support/team-database.ts';

const noServers = { servers: {} };

function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode);
      response.resume();
    });
    asked.on('error', reject).end();
  });
}

test('accepts only its configured names, and opens neither a socket nor a page by key', async () => {
  const named = { publicUrl: 'https://tools.example.com/', allowedHosts: ['inner'], trustedProxies: ['127.0.0.1'] };
  await using one = await startReplica(await teamDatabase(), noServers, named);
  const { host } = one.replica;
  expect(host.addresses).toEqual({ http: 'https://tools.example.com/mcp', socket: '', httpProblem: '' });
  expect(existsSync(host.paths.socketPath)).toBe(false);
  const at = (path: string): string => `http://127.0.0.1:${one.port}${path}`;
  const of = (name: string, path = '/mcp'): Promise<number | undefined> => statusOf(at(path), { host: name });
  expect([await of('tools.example.com'), await of('inner'), await of('127.0.0.1')]).toEqual([401, 401, 403]);
  // The page is not built in a test's folder; requests need a sign-in.
  expect([await of('inner', '/'), await of('inner', '/rpc/state')]).toEqual([404, 401]);
  const forwarded = { host: 'x', 'x-forwarded-for': '1.2.3.4', 'x-forwarded-host': 'tools.example.com' };
  expect(await statusOf(at('/mcp'), forwarded)).toBe(401);
});

test('keeps connections open longer than load balancers do', async () => {
  await using one = await startReplica(await teamDatabase(), noServers);
  const { headers } = await fetch(`http://127.0.0.1:${one.port}/healthz`);
  expect(headers.get('keep-alive')).toBe('timeout=75');
});

test('rejects a schema with missing or unknown migrations before opening anything', async () => {
  const url = await teamDatabase({ isEmpty: true });
  await expect(startReplica(url, noServers)).rejects.toMatchObject({ code: 'unsupported' });
  const other = await teamDatabase();
  const sql = connect({ url: other, most: 1 });
  await sql`INSERT INTO tooltray.migrations (version, name, is_additive) SELECT max(version) + 1, 'later', false FROM tooltray.migrations`;
  await sql.end();
  await expect(startReplica(other, noServers)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('newer') as string,
  });
});

test('a replica on a public interface requires a name', async () => {
  const listen = { address: '0.0.0.0', port: 0 };
  await expect(startReplica(await teamDatabase(), noServers, { listen })).rejects.toMatchObject({
    code: 'bad_request',
  });
});

test('a folder belongs to one replica until that one stops', async () => {
  const database = await teamDatabase();
  const home = mkdtempSync(join(tmpdir(), 'tooltray-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { TOOLTRAY_HOME: home };
  {
    await using one = await startReplica(database, noServers, { env });
    await expect(startReplica(database, noServers, { env })).rejects.toMatchObject({ code: 'already_running' });
    expect(one.replica.host.port).toBeGreaterThan(0);
  }
  await using next = await startReplica(database, noServers, { env });
  expect(next.replica.host.port).toBeGreaterThan(0);
}, 30_000);
