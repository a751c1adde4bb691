/** A token per client app: it opens that app's door only, lies in a file nobody else reads, and can be taken back. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppTokens } from '../../../src-main/core/security/app-tokens.ts';
import { startCore } from '../../integration/start-core.ts';

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-tokens-'));
  file = join(folder, 'app-tokens.json');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('an app keeps its token, and opens with it its own door only', async () => {
  const tokens = new AppTokens(file);
  const token = await tokens.issue('cursor');
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  expect(await new AppTokens(file).issue('cursor')).toBe(token);
  expect([tokens.accepts('cursor', token), tokens.accepts('zed', token), tokens.accepts('cursor', 'x')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('apps are listed without their tokens, in a file for the owner alone', async () => {
  const tokens = new AppTokens(file, () => 5);
  await tokens.issue('cursor');
  await tokens.issue('__proto__');
  expect(tokens.list()).toEqual([
    { app: 'cursor', since: 5 },
    { app: '__proto__', since: 5 },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['app-tokens.json']);
});

test('a token that was taken back opens nothing, also for whoever had the file read before', async () => {
  const [one, other] = [new AppTokens(file), new AppTokens(file)];
  const token = await one.issue('cursor');
  expect([await other.revoke('cursor'), one.accepts('cursor', token), await other.revoke('cursor')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(await one.issue('cursor')).not.toBe(token);
});

test('tokens that are issued at once are all kept', async () => {
  const apps = Array.from({ length: 8 }, (_, index) => `app${index}`);
  const issued = await Promise.all(apps.map((app) => new AppTokens(file).issue(app)));
  const tokens = new AppTokens(file);
  expect(apps.map((app, index) => tokens.accepts(app, issued[index] ?? ''))).toEqual(apps.map(() => true));
});

test.skipIf(process.platform === 'win32')('a file that others can read is not believed', async () => {
  const tokens = new AppTokens(file);
  const token = await tokens.issue('cursor');
  chmodSync(file, 0o644);
  expect(() => tokens.accepts('cursor', token)).toThrow('is not yours alone');
  expect(readFileSync(file, 'utf8')).toContain(token);
});

test('over HTTP an app’s token opens /mcp/app/<app> and nothing else, until it is revoked', async () => {
  await using core = await startCore({ servers: {} }, { askToken: true });
  const token = await core.host.appTokens.issue('cursor');
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const status = async (path: string): Promise<number> => {
    const response = await fetch(`${core.url}${path}`, { method: 'POST', body, headers });
    await response.body?.cancel();
    return response.status;
  };
  expect([
    await status('/app/cursor'),
    await status('/app/zed'),
    await status(''),
    await status('/mode/proxy'),
  ]).toEqual([200, 401, 401, 401]);
  await core.host.appTokens.revoke('cursor');
  expect(await status('/app/cursor')).toBe(401);
});
