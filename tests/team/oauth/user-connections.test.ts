/**
 * Connections of single users to a server at an address: with their own values, limited in number, and closed when
 * idle.
 */
import { expect, onTestFinished, test } from 'vitest';
import { Emitter } from '../../../src-main/core/base/emitter.ts';
import { secretVaultKey } from '../../../src-main/core/secrets/resolve-secrets.ts';
import type { ManagedServer } from '../../../src-main/core/servers/managed-server.ts';
import { UserConnections } from '../../../src-main/team/oauth/user-connections.ts';
import type { SignInChange } from '../../../src-main/team/oauth/team-sign-ins.ts';
import { serversHarness } from '../../core/servers/servers-harness.ts';
import { startHttpFixture } from '../../fixtures/servers/http-fixture.ts';
import { startReplica } from '../../support/start-replica.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { Page } from '../dashboard/page.ts';
import { ann, as, bob } from '../placement/people.ts';

test('sends each user’s own value in a header, and reports a missing one', async () => {
  const fixture = await startHttpFixture('conformance', { token: 'right' });
  onTestFinished(() => fixture.close());
  const keyed = { url: fixture.url, prefix: 'keyed', headers: { Authorization: 'Bearer ${user:KEY}' } };
  const marked = { url: fixture.url, headers: { 'X-Mark': '${user:MARK}' } };
  await using at = await startReplica(await teamDatabase(), { servers: { keyed, marked } });
  const people = new TeamPeople(at);
  const { vaults } = at.replica.signIns;
  const come = async (name: string, value?: string) => {
    const { id } = await people.people.add({ name });
    if (value !== undefined) await vaults.forUser(id).write(secretVaultKey('KEY'), value);
    return { id, token: await people.give(name) };
  };
  const call = async ({ token }: { token: string }): Promise<string> => {
    const { session } = await openSession(at.url, token);
    const { message } = await post(
      at.url,
      'tools/call',
      { name: 'keyed_test_simple_text', arguments: {} },
      session,
      token,
    );
    return JSON.stringify(message.result ?? message.error);
  };
  const [has, wrong, nothing] = [await come('has', 'right'), await come('wrong', 'wrong'), await come('nothing')];
  expect(await call(has)).toContain('simple text');
  expect(await call(wrong)).toContain('HTTP 401');
  expect(await call(nothing)).toContain('tooltray team secret set --user NAME KEY');
  // A missing per-user value is not the server's fault, and the organization's value does not replace it.
  await vaults.organization.write(secretVaultKey('MARK'), 'of all');
  const { manager: servers } = at.replica.host.core.servers;
  await expect(servers.get('marked').ready()).rejects.toMatchObject({
    code: 'secret_missing',
    data: { whose: 'user' },
  });
  await expect.poll(() => servers.get('marked').health.summary).toBe('Waiting for users');
  // The dashboard shows which values exist, and offers no sign-in where there is none.
  const own = async ({ token }: { token: string }) => (await Page.open(at, token)).ask('ownSignIns', {});
  const mark = { server: 'marked', name: 'MARK', isStored: false };
  expect(await own(has)).toEqual({ signIns: [], values: [{ server: 'keyed', name: 'KEY', isStored: true }, mark] });
  expect(await own(nothing)).toEqual({
    signIns: [],
    values: [{ server: 'keyed', name: 'KEY', isStored: false }, mark],
  });
  await vaults.forUser(wrong.id).write(secretVaultKey('KEY'), 'right');
  expect(await call(wrong)).toContain('simple text');
  await vaults.forUser(has.id).write(secretVaultKey('KEY'), 'not any more');
  await expect.poll(() => call(has)).toContain('HTTP 401');
});

test('reports the connection limit, until another user’s connection is idle', async () => {
  const fixture = await startHttpFixture('conformance');
  onTestFinished(() => fixture.close());
  const harness = serversHarness();
  const own = new UserConnections({
    idleMs: () => 200,
    maxConnections: 1,
    signIns: { of: () => harness.deps.signIns, link: () => 'nowhere', changed: new Emitter<SignInChange>() },
    transport: (config) => harness.deps.createTransport(config),
  });
  const replica = serversHarness({ own });
  const call = (at: ManagedServer, context: ReturnType<typeof as>): Promise<unknown> =>
    at.request('tools/call', { name: 'test_simple_text', arguments: {} }, context);
  // This entry keeps it open for longer than this test takes.
  const longer = replica.server(harness.http('far', fixture.url, { idleTimeoutMs: 600_000 }));
  await call(longer, as(ann));
  expect(own.size).toBe(1);
  await expect(call(longer, as(bob))).rejects.toThrow('limit of 1 connection for users');
  await longer.stop();
  const usual = replica.server(harness.http('far', fixture.url));
  await call(usual, as(ann));
  await expect.poll(() => own.size).toBe(0);
  await call(usual, as(bob));
});
