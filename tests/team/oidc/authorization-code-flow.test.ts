/** The authorization code flow at a real OIDC provider, with each way of client authentication. */
import { onTestFinished, test, expect } from 'vitest';
import { CodeFlow } from '../../../src-main/team/oidc/authorization-code-flow.ts';
import { type OidcClient, OidcIssuer } from '../../../src-main/team/oidc/issuer.ts';
import { browseAs, registerClient } from '../../support/oidc-person.ts';
import { testIssuer, type TestIssuer } from '../../support/test-issuer.ts';

const redirect = 'http://127.0.0.1:9/callback';
const secret = 'one: two %20+&';

function flowAt(idp: TestIssuer, client: OidcClient): CodeFlow {
  const issuer = new OidcIssuer({ issuer: idp.issuer, client, env: {} });
  onTestFinished(() => issuer.close());
  return new CodeFlow({ issuer, redirect: () => redirect });
}

async function signIn(flow: CodeFlow): ReturnType<CodeFlow['claims']> {
  const visit = flow.createPkceState();
  const back = await browseAs('ana', await flow.authorizationUrl(visit, 'a state'), redirect);
  expect(back.searchParams.get('state')).toBe('a state');
  return flow.claims(back.searchParams, visit);
}

test('binds the code of a client without a secret by PKCE', async () => {
  const idp = await testIssuer('http://127.0.0.1:9/mcp');
  const { client_id: id } = await registerClient(idp.issuer);
  const flow = flowAt(idp, { id, secret: undefined });
  expect(await signIn(flow)).toMatchObject({ sub: 'ana', groups: ['platform'], aud: id });
  const visit = flow.createPkceState();
  const back = await browseAs('ana', await flow.authorizationUrl(visit, 'a state'), redirect);
  const stolen = flow.claims(back.searchParams, { ...visit, verifier: flow.createPkceState().verifier });
  await expect(stolen).rejects.toMatchObject({ code: 'not_allowed' });
});

test.each(['client_secret_basic', 'client_secret_post'])(
  'sends the secret by %s, and reports a wrong one',
  async (way) => {
    const client = { id: 'the dashboard', secret, redirect };
    const idp = await testIssuer('http://127.0.0.1:9/mcp', { client, clientAuth: [way] });
    expect(await signIn(flowAt(idp, client))).toMatchObject({ sub: 'ana', aud: client.id });
    const wrong = signIn(flowAt(idp, { ...client, secret: 'another' }));
    await expect(wrong).rejects.toMatchObject({ code: 'server_unreachable' });
    await expect(wrong).rejects.toThrow('rejected the token request: invalid_client.');
  },
);

test('rejects a callback without a code', async () => {
  const idp = await testIssuer('http://127.0.0.1:9/mcp');
  const flow = flowAt(idp, { id: 'the dashboard', secret: undefined });
  const back = flow.claims(new URLSearchParams({ iss: idp.issuer }), flow.createPkceState());
  await expect(back).rejects.toMatchObject({ message: 'The authorization response has no code.' });
});
