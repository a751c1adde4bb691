/**
 * A server whose tokens are exchanged for those of a team's users (RFC 8693), over two replicas and a real
 * authorization server.
 */
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { secretVaultKey } from '../../../src-main/core/secrets/resolve-secrets.ts';
import type { ReplicaOptions } from '../../../src-main/team/replica.ts';
import { exchanger, type OidcFixture, startOidcFixture } from '../../fixtures/servers/oidc-http.ts';
import { startReplica, type TestReplica } from '../../support/start-replica.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { testIssuer } from '../../support/test-issuer.ts';

interface World {
  readonly fixture: OidcFixture;
  readonly replicas: readonly [TestReplica, TestReplica];
  readonly people: TeamPeople;
}

async function world(
  options: Parameters<typeof startOidcFixture>[0] = {},
  more: Partial<ReplicaOptions> = {},
): Promise<World> {
  const fixture = await startOidcFixture(options);
  const database = await teamDatabase();
  const exchange = { tokenEndpoint: `${fixture.issuer}/token`, audience: 'files' };
  const oauth = { clientId: exchanger.id, clientSecret: '${secret:EXCHANGER}', tokenExchange: exchange };
  const elsewhere = { ...oauth, tokenExchange: { ...exchange, audience: 'mail' } };
  const servers = {
    far: { url: fixture.url, prefix: 'far', oauth },
    other: { url: fixture.url, prefix: 'other', oauth: elsewhere },
  };
  const start = (): Promise<TestReplica> => startReplica(database, { servers }, more);
  const replicas = [await start(), await start()] as const;
  await replicas[0].replica.host.core.trust.vault.write(secretVaultKey('EXCHANGER'), exchanger.secret);
  onTestFinished(async () => {
    await Promise.all(replicas.map((replica) => replica[Symbol.asyncDispose]()));
    await fixture[Symbol.asyncDispose]();
  });
  return { fixture, replicas, people: new TeamPeople(replicas[0]) };
}

/** With a token for `/mcp`, and as the door hears of whoever comes by one of the team's issuer. */
async function come(
  { people, replicas }: World,
  name: string,
  subject?: string,
): Promise<{ readonly token: string; readonly id: string }> {
  const { id } = await people.people.add({ name });
  const until = Date.now() + 600_000;
  if (subject !== undefined) for (const { replica } of replicas) replica.signIns.came(id, subject, until);
  return { id, token: await people.give(name) };
}

async function call(at: TestReplica, token: string, tool: string): Promise<string> {
  const { session } = await openSession(at.url, token);
  const { message } = await post(at.url, 'tools/call', { name: tool, arguments: {} }, session, token);
  return (message.result?.['content'] as { text: string }[] | undefined)?.[0]?.text ?? JSON.stringify(message.error);
}

test('exchanges each user’s token for one of the server, once per replica', async () => {
  const of = await world();
  const { fixture, people, replicas } = of;
  const [here, there] = replicas;
  const mine = await fixture.subjectToken('ana');
  const ann = await come(of, 'ann', mine);
  const bob = await come(of, 'bob', await fixture.subjectToken('ben'));
  for (const at of [here, there, here])
    expect([await call(at, ann.token, 'far_whoami'), await call(at, bob.token, 'far_whoami')]).toEqual(['ana', 'ben']);
  expect(fixture.grants).toHaveLength(4);
  const { masker } = here.replica.host.core.context;
  expect(masker.maskText(`${mine} and ${exchanger.secret}`)).not.toMatch(
    new RegExp(`${mine}|of the exchanging client`),
  );
  // Whoever does not come in any more leaves nothing that still opens something.
  await people.people.change('ann', { isSuspended: true });
  const open = (): readonly number[] => replicas.map(({ replica }) => replica.signIns.own.size);
  await expect.poll(open).toEqual([1, 1]);
});

test('reports in a sentence why a token cannot be exchanged', async () => {
  const of = await world();
  const [here] = of.replicas;
  const personal = await come(of, 'personal');
  expect(await call(here, personal.token, 'far_whoami')).toContain('requires your organization');
  const strange = await come(of, 'strange', 'no token of anybody');
  expect(await call(here, strange.token, 'far_whoami')).toMatch(/rejected the token exchange.*invalid_grant/);
  const ann = await come(of, 'ann', await of.fixture.subjectToken('ana'));
  expect(await call(here, ann.token, 'other_whoami')).toContain('invalid_target: not for that');
});

test('exchanges the token of the team’s issuer on every replica', async () => {
  const audience = 'https://tools.example.com/mcp';
  const idp = await testIssuer(audience);
  const keys = createRemoteJWKSet(new URL(`${idp.issuer}/jwks`));
  const subjectOf = async (token: string): Promise<string | undefined> =>
    (await jwtVerify(token, keys, { issuer: idp.issuer })).payload.sub;
  const rules = { groupsClaim: 'groups', adminGroup: undefined, takesNew: true, needsType: false };
  const of = await world({ subjectOf }, { issuer: { issuer: idp.issuer, audiences: [audience], ...rules } });
  const token = await idp.sign();
  for (const at of of.replicas) expect(await call(at, token, 'far_whoami')).toBe('ana');
});
