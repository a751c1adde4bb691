/** The audit log stores decisions, refusals, changes and calls from every source, without their contents. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dispatchRpc } from '../../src-main/rpc/dispatch-rpc.ts';
import type { AuditRow } from '../../src-main/rpc/contract.ts';
import { openVault } from '../../src-main/core/secrets/vault.ts';
import { AuditKeys } from '../../src-main/core/trust/audit/audit-keys.ts';
import { verifyLog } from '../../src-main/core/trust/audit/verify-audit-log.ts';
import { FileAuditLog } from '../../src-main/core/trust/audit/audit-segments.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

async function entries(core: TestCore, filter: Record<string, unknown> = {}): Promise<readonly AuditRow[]> {
  const answer = await dispatchRpc('auditEntries', filter, core.host.rpcDeps, new AbortController().signal);
  return answer['entries'] as AuditRow[];
}

/** Waits until there are that many. */
async function whenThere(core: TestCore, filter: Record<string, unknown>, most: number): Promise<readonly AuditRow[]> {
  await expect.poll(async () => (await entries(core, filter)).length, { timeout: 30_000 }).toBe(most);
  return entries(core, filter);
}

const echo = fixture('echo');

test('logs calls with hashes and sizes, by server, app and page, without their texts', async () => {
  await using core = await startCore({ servers: { echo, other: echo } });
  const client = await core.open({}, { app: 'Cursor' });
  await client.callTool('echo_echo', { message: 'the lighthouse at noon' });
  await client.callTool('other_echo', { message: 'the lighthouse at noon' });
  await client.callTool('echo_nowhere', {}).catch(() => undefined);
  const [second, first] = await entries(core, { kinds: ['call'], limit: 2 }).then((found) =>
    found.filter((row) => row.kind === 'call' && row.outcome === 'ok'),
  );
  const hash = expect.stringMatching(/^[\w-]{43}$/) as string;
  const args = { bytes: 36, hmac: hash };
  const common = { kind: 'call', app: 'Cursor', mode: 'proxy', tool: 'echo', arguments: args, outcome: 'ok' };
  const result = { bytes: expect.any(Number) as number, hmac: hash };
  const pin = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
  expect(first ?? second).toMatchObject({ ...common, result, pin });
  expect(
    (await entries(core, { kinds: ['call'], server: 'other' })).map((row) => 'server' in row && row.server),
  ).toEqual(['other']);
  expect(await entries(core, { kinds: ['call'], app: 'Zed' })).toEqual([]);
  const folder = join(core.home, 'data', 'audit');
  const written = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(written.join('\n')).not.toContain('lighthouse');
});

test('logs a rejected call as a refusal with its rule, not as a call', async () => {
  const effects = join(import.meta.dirname, '../compat/mcpproxy/effects-server.ts');
  await using core = await startCore({ servers: { fx: { command: process.execPath, args: [effects] } } });
  const client = await core.open({}, { app: 'Cursor' });
  await client.callTool('call_tool_read', { name: 'fx:wipe', args: { path: '/' } });
  expect(await entries(core, { kinds: ['refusal', 'call'], server: 'fx' })).toMatchObject([
    { kind: 'refusal', of: 'call', code: 'not_allowed', rule: 'SERVER_MISMATCH', tool: 'wipe', via: 'call_tool_read' },
  ]);
});

function keysOf(home: string): Promise<AuditKeys | undefined> {
  return AuditKeys.inVault(openVault(join(home, 'data'), process.env));
}

test('logs changes to servers and settings, including changes made while no core ran', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tooltray-audit-'));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const first = await startCore({ servers: { echo } }, { home });
  await whenThere(first, { kinds: ['server'] }, 1);
  await first.write({ servers: { echo: { ...echo, enabled: false }, more: echo }, trustEdits: true });
  const seen = await whenThere(first, { kinds: ['server', 'setting'] }, 4);
  expect(seen.map((row) => row.summary).toReversed()).toEqual([
    'echo was added. This happened while Tooltray was not running.',
    'echo was disabled.',
    'more was added.',
    'trustEdits: false became true.',
  ]);
  await first.host.stop();
  const again = await startCore({ servers: { more: echo } }, { home });
  const [row] = await whenThere(again, { kinds: ['server'], server: 'echo' }, 3);
  expect(row).toMatchObject({ change: 'removed', whileStopped: true });
  await again.host.stop();
  const folder = join(home, 'data', 'audit');
  expect(existsSync(join(folder, 'key'))).toBe(false);
  expect(await verifyLog({ log: new FileAuditLog(folder), ownKey: (await keysOf(home))?.publicKey })).toMatchObject({
    holds: true,
  });
});

test("logs a model's request and the user's decision under one id, and a revoked app's attempt to connect", async () => {
  await using core = await startCore({ servers: { echo }, mode: 'universal' });
  const { admin } = core.host.core.servers;
  const author = { app: 'Cursor', sessionId: 's', tool: 'add_server' };
  const outcome = await admin.request({ kind: 'add', server: 'more', entry: echo }, author);
  const id = outcome.kind === 'proposed' ? outcome.proposal.id : '';
  await admin.approve(id);
  const decided = await entries(core, { kinds: ['decision'] });
  expect(decided).toMatchObject([
    { about: 'proposal', id, choice: 'approve', by: 'person' },
    { about: 'proposal', id, choice: 'asked', by: 'client app', app: 'Cursor', tool: 'add_server' },
  ]);
  await core.host.appAccess.revoke('zed');
  await core.connect({ app: 'zed' }).catch(() => undefined);
  await core.connect({ app: 'zed' }).catch(() => undefined);
  expect(await whenThere(core, { app: 'zed' }, 2)).toMatchObject([
    { kind: 'refusal', of: 'access', code: 'not_allowed' },
    { kind: 'access', change: 'revoked' },
  ]);
});

test('with writeAhead, a call is in the file before its result is returned', async () => {
  await using core = await startCore({ servers: { echo }, audit: { writeAhead: true } });
  const client = await core.open({}, { app: 'Cursor' });
  const folder = join(core.home, 'data', 'audit');
  for (let at = 1; at <= 5; at++) {
    await client.callTool('echo_echo', { message: `${at}` });
    const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
    expect(lines.filter((line) => line.includes('"kind":"call"'))).toHaveLength(at);
  }
});
