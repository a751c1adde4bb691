/**
 * Users of a team at a server that requires a sign-in of each, over two replicas behind one address and a real
 * authorization server.
 */
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import { type OidcFixture, startOidcFixture } from '../../fixtures/servers/oidc-http.ts';
import { CookieBrowser } from '../../core/servers/oauth/browser.ts';
import { bearer } from '../../support/callers.ts';
import { HttpClient } from '../../support/http-client.ts';
import { ModernClient } from '../../support/modern-client.ts';
import type { Params, RawMessage } from '../../support/raw-client.ts';
import { Page } from '../dashboard/page.ts';
import { startReplica, type TestReplica } from '../../support/start-replica.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { teamDatabase } from '../../support/team-database.ts';

let fixture: OidcFixture;
let replicas: readonly [TestReplica, TestReplica];
let people: TeamPeople;

beforeEach(async () => {
  fixture = await startOidcFixture();
  const database = await teamDatabase();
  const port = await freePort();
  const config = { servers: { far: { url: fixture.url, prefix: 'far' } } };
  const named = { publicUrl: `http://127.0.0.1:${port}`, allowedHosts: ['127.0.0.1'] };
  const start = (at: number): Promise<TestReplica> =>
    startReplica(database, config, { ...named, listen: { address: '127.0.0.1', port: at } });
  replicas = [await start(port), await start(0)];
  people = new TeamPeople(replicas[0]);
  onTestFinished(async () => {
    await Promise.all(replicas.map((replica) => replica[Symbol.asyncDispose]()));
    await fixture[Symbol.asyncDispose]();
  });
});

const links = { elicitation: { form: {}, url: {} } };

class App {
  readonly #client: ModernClient;

  constructor(at: TestReplica, token: string, capabilities: Params = {}) {
    this.#client = new ModernClient(new HttpClient(at.url, true, bearer(token)), capabilities);
  }

  onLink(answer: (url: string) => unknown): this {
    this.#client.onAsk('elicitation/create', ({ url }) => answer(String(url)));
    return this;
  }

  get asked(): ModernClient['asked'] {
    return this.#client.asked;
  }

  async call(tool: string): Promise<string> {
    return textOf(await this.#client.call(tool));
  }

  async tools(): Promise<readonly string[]> {
    const { result } = await this.#client.once('tools/list');
    return ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);
  }
}

function textOf({ result, error }: RawMessage): string {
  return (result?.['content'] as { text: string }[] | undefined)?.[0]?.text ?? JSON.stringify(error);
}

function linkIn(text: string): string {
  return /http:\S+\/sign-in\/\S+/.exec(text)?.[0] ?? '';
}

/** Like a user: consents on our page, and logs in there with an account. */
function goThrough(link: string, account: string): Promise<string> {
  fixture.account = account;
  return new CookieBrowser().open(link, 'POST');
}

async function come(name: string): Promise<string> {
  await people.people.add({ name });
  return people.give(name);
}

test('calls with each user’s own account on every replica, and gives others a sign-in link of their own', async () => {
  const [here, there] = replicas;
  const [ann, bob] = [await come('ann'), await come('bob')];
  const refused = await new App(here, ann).call('far_whoami');
  expect(refused).toContain('rejected the request (HTTP 401). Show the calling user this personal sign-in link');
  expect(await goThrough(linkIn(refused), 'ana')).toContain('signed in to far as ana@example.org');
  expect(await new App(there, ann).call('far_whoami')).toBe('ana');
  await expect.poll(() => new App(there, bob).tools()).toContain('far_whoami');
  const theirs = await new App(there, bob).call('far_whoami');
  expect(theirs).toContain('personal sign-in link');
  const page = await (await fetch(linkIn(theirs))).text();
  expect(page).toContain('Continue only if you are bob');
  // In a browser where another user is signed in to the dashboard, the button does nothing.
  const entered = await fetch(`http://127.0.0.1:${there.port}/session`, {
    method: 'POST',
    body: JSON.stringify({ token: ann }),
    headers: { 'content-type': 'application/json' },
  });
  const [cookie = ''] = (entered.headers.getSetCookie()[0] ?? '').split(';');
  const pressed = await fetch(linkIn(theirs), { method: 'POST', redirect: 'manual', headers: { cookie } });
  expect([pressed.status, await pressed.text()]).toEqual([400, expect.stringContaining('another user is signed in')]);
  await goThrough(linkIn(theirs), 'ben');
  const calls = [here, there].flatMap((at) => [ann, bob].map((token) => new App(at, token).call('far_whoami')));
  expect(await Promise.all(calls)).toEqual(['ana', 'ben', 'ana', 'ben']);
  // In the dashboard users see and end their own, on any replica; then the account's access ends everywhere.
  const [annsPage, bobsPage] = [await Page.open(there, ann), await Page.open(here, bob)];
  const own = async (asker: Page): Promise<unknown[]> =>
    (await asker.ask('ownSignIns', {})).signIns.map((row) => [row.server, row.isSignedIn, row.account]);
  expect(await own(annsPage)).toEqual([['far', true, 'ana@example.org']]);
  expect(await own(bobsPage)).toEqual([['far', true, 'ben@example.org']]);
  expect((await annsPage.ask('signOut', { server: 'far' })).wasSignedIn).toBe(true);
  expect([await own(annsPage.at(here)), await own(bobsPage)]).toEqual([
    [['far', false, '']],
    [['far', true, 'ben@example.org']],
  ]);
  await expect.poll(() => new App(here, ann).call('far_whoami')).toContain('sign-in link');
  expect((await annsPage.ask('signOut', { server: 'far' })).wasSignedIn).toBe(false);
  expect((await annsPage.refused('signIn', { server: 'nowhere' }))[1]).toBe('not_found');
  await goThrough((await annsPage.ask('signIn', { server: 'far' })).url, 'ana');
  await expect.poll(() => new App(here, ann).call('far_whoami')).toBe('ana');
  // Credentials for servers are masked wherever they might appear.
  const { masker } = here.replica.host.core.context;
  const { id } = await people.people.byName('ann');
  const [token] = here.replica.signIns.signIns.of(id).secrets;
  expect(masker.maskText(`it was ${token}`)).not.toContain(token);
});

test('sends an app that opens links the sign-in, and continues its call, in both protocols', async () => {
  const [here, there] = replicas;
  const ann = await come('ann');
  const modern = new App(here, ann, links).onLink(async (url) => {
    await goThrough(url, 'ana');
    return { action: 'accept' };
  });
  expect(await modern.call('far_whoami')).toBe('ana');
  expect(modern.asked).toMatchObject([{ method: 'elicitation/create', params: { mode: 'url' } }]);
  // One that accepts immediately, and completes later.
  const bob = new HttpClient(there.url, false, bearer(await come('bob')));
  await bob.initialize(links);
  const told: unknown[] = [];
  const hangUp = new AbortController();
  onTestFinished(() => hangUp.abort());
  bob.listen(({ method }) => told.push(method), hangUp.signal).catch(() => undefined);
  await expect.poll(() => told).toContain('listening');
  let isThrough: Promise<string> | undefined;
  bob.onRequest('elicitation/create', ({ url }) => {
    isThrough = goThrough(String(url), 'ben');
    return { action: 'accept' };
  });
  const { message } = await bob.exchange('tools/call', { name: 'far_whoami', arguments: {} });
  await isThrough;
  expect(textOf(message)).toBe('ben');
  await expect.poll(() => told).toContain('notifications/elicitation/complete');
  // Form elicitation does not support links.
  const eve = new App(here, await come('eve'), { elicitation: {} });
  expect([linkIn(await eve.call('far_whoami')), eve.asked]).toEqual([expect.stringContaining('/sign-in/'), []]);
});

test('does not ask again after a decline, and allows a later sign-in', async () => {
  const ann = new App(replicas[0], await come('ann'), links).onLink(() => ({ action: 'decline' }));
  const told = await ann.call('far_whoami');
  await goThrough(linkIn(told), 'ana');
  expect(await ann.call('far_whoami')).toBe('ana');
});

test('closes a disabled user’s connections on every replica, and invalidates their link', async () => {
  const [here, there] = replicas;
  const [ann, bob] = [await come('ann'), await come('bob')];
  await goThrough(linkIn(await new App(here, ann).call('far_whoami')), 'ana');
  await goThrough(linkIn(await new App(here, bob).call('far_whoami')), 'ben');
  for (const at of replicas) for (const token of [ann, bob]) await new App(at, token).call('far_whoami');
  const open = (): readonly number[] => replicas.map(({ replica }) => replica.signIns.own.size);
  expect(open()).toEqual([2, 2]);
  await people.people.change('ann', { isSuspended: true });
  await expect.poll(open).toEqual([1, 1]);
  expect(await new App(there, bob).call('far_whoami')).toBe('ben');
});

test('a sign-in with another account takes effect at once on every replica, as does a sign-out', async () => {
  const [here, there] = replicas;
  const ann = await come('ann');
  const first = linkIn(await new App(here, ann).call('far_whoami'));
  await goThrough(first, 'ana');
  expect(await new App(there, ann).call('far_whoami')).toBe('ana');
  // Within its 15 minutes a link can be used again.
  await goThrough(first, 'anastasia');
  const who = (at: TestReplica) => () => new App(at, ann).call('far_whoami');
  await expect.poll(who(here)).toBe('anastasia');
  await expect.poll(who(there)).toBe('anastasia');
  const { id } = await people.people.byName('ann');
  await there.replica.signIns.signIns.signOut(id, 'far');
  await expect.poll(who(here)).toContain('/sign-in/');
  await expect.poll(who(there)).toContain('/sign-in/');
});
