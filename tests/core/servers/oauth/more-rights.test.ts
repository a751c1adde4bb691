/** A server that requires more scopes: the user is asked, and nothing is granted without consent. */
import { expect, onTestFinished, test } from 'vitest';
import type { InboxItem, DecisionResult } from '../../../../src-main/core/trust/inbox/inbox-item.ts';
import { dispatchRpc } from '../../../../src-main/rpc/dispatch-rpc.ts';
import type { AttentionItem, RpcMethods } from '../../../../src-main/rpc/contract.ts';
import { noApps } from '../../../../src-main/rpc/deps.ts';
import { attentionItems } from '../../../../src-main/rpc/state/attention.ts';
import { json } from '../../../fixtures/servers/oauth/authorization-server.ts';
import { type OAuthFixture, startOAuthFixture } from '../../../fixtures/servers/oauth-http.ts';
import { startCore, type TestCore } from '../../../support/start-core.ts';
import { until } from '../../../support/until.ts';
import { goThrough } from './browser.ts';

const wide = 'files:write repo:delete';

/** Signed in with `files:read`; `whoami` needs more. */
async function narrow(): Promise<{ fixture: OAuthFixture; core: TestCore; needs: { scope: string | undefined } }> {
  const fixture = await startOAuthFixture();
  const needs: { scope: string | undefined } = { scope: undefined };
  fixture.resource = { scopes_supported: ['files:read'] };
  fixture.insteadOf = (body, token, response) => {
    const isCall = (body as { method?: string } | undefined)?.method === 'tools/call';
    const granted = fixture.authorization.scopeOf(token) ?? '';
    if (!isCall || needs.scope === undefined || needs.scope.split(' ').every((one) => granted.split(' ').includes(one)))
      return false;
    response.setHeader('www-authenticate', `Bearer error="insufficient_scope", scope="${needs.scope}"`);
    json(response, 403, {});
    return true;
  };
  const core = await startCore({ servers: { far: { url: fixture.url } } });
  onTestFinished(async () => {
    await core[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });
  await goThrough((await ask(core, 'signIn', { server: 'far' })).url);
  await until(() => core.server('far').state.kind === 'ready');
  needs.scope = wide;
  return { fixture, core, needs };
}

async function ask<M extends keyof RpcMethods>(
  core: TestCore,
  method: M,
  input: RpcMethods[M]['input'],
): Promise<RpcMethods[M]['output']> {
  const deps = {
    ...core.host.core,
    addresses: () => core.host.addresses,
    stop: () => undefined,
    desktop: undefined,
    apps: noApps,
  };
  return await dispatchRpc(method, input, deps, new AbortController().signal);
}

async function call(core: TestCore): Promise<string> {
  const { content } = await ask(core, 'call', { tool: 'far:whoami', arguments: {} });
  return (content as { text: string }[])[0]?.text ?? '';
}

async function onlyItem(core: TestCore): Promise<InboxItem> {
  const { items } = await ask(core, 'inbox', {});
  expect(items).toHaveLength(1);
  return ask(core, 'inboxItem', { id: items[0]?.id ?? '' });
}

async function decide(core: TestCore, action: string): Promise<DecisionResult> {
  return ask(core, 'decide', { id: (await onlyItem(core)).id, action });
}

test('names the missing rights to the model and in one inbox item, and keeps the server ready', async () => {
  const { fixture, core } = await narrow();
  const before = fixture.authorization.authorizations.length;
  await expect(call(core)).rejects.toMatchObject({
    code: 'server_unauthorized',
    message:
      'far requires more scopes than the user has granted: delete repo (repo:delete) and change files (files:write).',
    fix: expect.stringContaining('Tooltray is asking the user') as string,
  });
  const item = await onlyItem(core);
  expect(item).toMatchObject({
    kind: 'scopes',
    server: 'far',
    sentence: 'far requests more scopes than you granted: delete repo (repo:delete) and change files (files:write).',
    meanings: [
      { text: 'far may delete repo (repo:delete).', isGrave: true },
      { text: 'far may change files (files:write).', isGrave: false },
    ],
    actions: [
      { id: 'leave', isRisky: false },
      { id: 'give', isRisky: true },
    ],
  });
  expect([core.server('far').state.kind, fixture.authorization.authorizations.length]).toEqual(['ready', before]);
  // Repeated requests are one question.
  await expect(call(core)).rejects.toThrow('more scopes');
  expect((await onlyItem(core)).id).toBe(item.id);
});

test('lists the inbox item once among the tray notices', async () => {
  const { core } = await narrow();
  await call(core).catch(() => undefined);
  const { items: inbox } = await ask(core, 'inbox', {});
  const { servers } = await ask(core, 'state', {});
  const facts = { configProblems: [], httpProblem: '', storeProblems: [], paused: false } as never;
  const told = attentionItems({ core: facts, servers, inbox, apps: [] });
  expect(told).toMatchObject([{ action: { kind: 'decide' }, cause: 'scopes far' }] satisfies object[]);
  expect(told.map(({ sentence }: AttentionItem) => sentence)).toEqual([expect.stringContaining('change files')]);
});

test('opens a page that requests all rights together, and calls work after the sign-in', async () => {
  const { fixture, core } = await narrow();
  await call(core).catch(() => undefined);
  const { goOn = '', isDone } = await decide(core, 'give');
  expect([isDone, new URL(goOn).searchParams.get('scope')]).toEqual([true, `files:read ${wide}`]);
  await expect(call(core)).rejects.toMatchObject({
    fix: expect.stringContaining('The user is signing in') as string,
  });
  expect(core.server('far').state.kind).toBe('ready');
  await goThrough(goOn);
  expect(await call(core)).toBe('the one who signed in');
  expect((await ask(core, 'inbox', {})).items).toEqual([]);
  expect(fixture.authorization.registrations).toBe(1);
});

test('remembers a refusal, reports it to the model and can undo it', async () => {
  const { fixture, core } = await narrow();
  await call(core).catch(() => undefined);
  const { undo = '' } = await decide(core, 'leave');
  await expect(call(core)).rejects.toMatchObject({ fix: 'The user declined. Continue without it.' });
  const { items, decided } = await ask(core, 'inbox', {});
  expect([items, decided.map(({ id, sentence }) => [id, sentence])]).toEqual([
    [],
    [[undo, 'Did not grant additional scopes to far: delete repo (repo:delete) and change files (files:write).']],
  ]);
  await ask(core, 'undoDecision', { id: undo });
  await expect(call(core)).rejects.toThrow('more scopes');
  expect((await onlyItem(core)).kind).toBe('scopes');
  expect(fixture.authorization.authorizations).toHaveLength(1);
});

test('keeps the granted rights after a denied sign-in and can ask again', async () => {
  const { fixture, core, needs } = await narrow();
  await call(core).catch(() => undefined);
  fixture.authorization.denies = true;
  await goThrough((await decide(core, 'give')).goOn ?? '');
  await expect(call(core)).rejects.toThrow('more scopes');
  expect((await onlyItem(core)).kind).toBe('scopes');
  needs.scope = undefined;
  expect(await call(core)).toBe('the one who signed in');
});

test('stops asking for rights that two sign-ins did not grant', async () => {
  const { fixture, core } = await narrow();
  fixture.authorization.grantsOnly = 'files:read';
  for (let asked = 0; asked < 2; asked++) {
    await call(core).catch(() => undefined);
    await goThrough((await decide(core, 'give')).goOn ?? '');
  }
  await expect(call(core)).rejects.toMatchObject({
    message: expect.stringContaining('rejects this although the user has granted its scopes') as string,
  });
  expect((await ask(core, 'inbox', {})).items).toEqual([]);
});

test('revokes the tokens at sign-out, and the server waits for a sign-in', async () => {
  const { fixture, core } = await narrow();
  fixture.authorization.metadata = { revocation_endpoint: `${fixture.origin}/revoke` };
  await goThrough((await ask(core, 'signIn', { server: 'far' })).url);
  await until(() => core.server('far').state.kind === 'ready');
  const { servers } = await ask(core, 'state', {});
  expect(servers[0]?.signedIn).toEqual({
    at: new URL(fixture.origin).host,
    account: '',
    rights: ['read files (files:read)'],
  });
  expect(await ask(core, 'signOut', { server: 'far' })).toMatchObject({ wasSignedIn: true });
  expect([core.server('far').state.kind, fixture.authorization.revoked.length]).toEqual(['pending-sign-in', 2]);
  expect((await ask(core, 'state', {})).servers[0]?.signedIn).toBeUndefined();
  await expect(call(core)).rejects.toThrow('The user has signed out of far.');
  expect(await ask(core, 'signOut', { server: 'far' })).toEqual({
    wasSignedIn: false,
    sentence: 'You are not signed in to far.',
  });
});
