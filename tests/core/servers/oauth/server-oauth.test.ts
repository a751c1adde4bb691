/** The sign-in of one server: timeouts, kept registrations, and tokens shared between processes. */
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HttpServerConfig } from '../../../../src-main/core/config/server-config.ts';
import { addressKindOf, isSafeUrl } from '../../../../src-main/core/servers/oauth/safe-urls.ts';
import type { ServerOAuth } from '../../../../src-main/core/servers/oauth/server-oauth.ts';
import { grantKey } from '../../../../src-main/core/servers/oauth/grant-store.ts';
import { OAuthManager } from '../../../../src-main/core/servers/oauth/oauth-manager.ts';
import { type OAuthFixture, startOAuthFixture } from '../../../fixtures/servers/oauth-http.ts';
import { goThrough, visit } from './browser.ts';
import { storedIn, plainVault } from '../../../support/plain-vault.ts';

interface Person {
  readonly fixture: OAuthFixture;
  readonly folder: string;
  /** The sign-in in another process that uses the same folder. */
  readonly process: (waitMs?: number) => ServerOAuth;
}

async function person(): Promise<Person> {
  const fixture = await startOAuthFixture();
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-sign-ins-'));
  onTestFinished(async () => {
    await fixture[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  const config = { kind: 'http', name: 'far', url: fixture.url, headers: {} } as unknown as HttpServerConfig;
  const process = (waitMs?: number): ServerOAuth => {
    const signIns = new OAuthManager({
      folder,
      vault: plainVault(folder),
      env: {},
      ...(waitMs !== undefined && { waitMs }),
    });
    onTestFinished(() => signIns.close());
    return signIns.get(config);
  };
  return { fixture, folder, process };
}

async function signIn(signIn: ServerOAuth): Promise<void> {
  const attempt = await signIn.start();
  await goThrough(attempt.url);
  await attempt.done;
}

test('times out an unfinished sign-in and closes its callback listener', async () => {
  const { process } = await person();
  const attempt = await process(30).start();
  const redirect = new URL(attempt.url).searchParams.get('redirect_uri') ?? '';
  await expect(attempt.done).rejects.toThrow('far could not be signed in to: no sign-in within 0 s.');
  await expect(visit(redirect)).rejects.toThrow();
});

test('reuses a token that another process refreshed', async () => {
  const { fixture, process } = await person();
  const [one, two] = [process(), process()];
  await signIn(one);
  const old = await one.accessToken();
  expect(await two.accessToken()).toBe(old);
  const renewed = await Promise.all([one.renew(old), two.renew(old)]);
  expect(new Set(renewed).size).toBe(1);
  expect([renewed[0] === old, fixture.authorization.grants]).toEqual([false, ['authorization_code', 'refresh_token']]);
});

test('reuses the first registration if the port is free', async () => {
  const { fixture, process } = await person();
  await signIn(process());
  await signIn(process());
  expect(fixture.authorization.registrations).toBe(1);
});

test('stores neither the authorization code nor its verifier', async () => {
  const { fixture, folder, process } = await person();
  await signIn(process());
  const [code = '', ...tokens] = fixture.authorization.secrets;
  const text = await storedIn(plainVault(folder));
  expect([text.includes(code), text.includes('verifier'), tokens.every((token) => text.includes(token))]).toEqual([
    false,
    false,
    true,
  ]);
});

const keyOfFar = (fixture: Person['fixture']): string => grantKey('far', fixture.url);

test('treats an invalid stored grant as no sign-in, and the next sign-in replaces it', async () => {
  const { fixture, folder, process } = await person();
  await signIn(process());
  await plainVault(folder).write(`sign-in/${keyOfFar(fixture)}`, '{"version":1,"grant":');
  expect(await process().accessToken()).toBeUndefined();
  await signIn(process());
  expect(await process().accessToken()).toMatch(/^access-/);
});

test('rejects with secret_locked while the vault is locked, and works once it is unlocked', async () => {
  const { fixture, folder, process } = await person();
  await signIn(process());
  const [key = ''] = readdirSync(join(folder, 'secrets')).filter((name) => name.startsWith('key-'));
  const place = join(folder, 'secrets', key);
  renameSync(place, `${place}.away`);
  const locked = process();
  await expect(locked.accessToken()).rejects.toMatchObject({ code: 'secret_locked' });
  await expect(locked.renew('refused')).rejects.toMatchObject({ code: 'secret_locked' });
  renameSync(`${place}.away`, place);
  expect(await locked.accessToken()).toMatch(/^access-/);
  expect(fixture.authorization.grants).toEqual(['authorization_code']);
});

test.each([
  ['https://login.example/a', 'https://mcp.example/', true],
  ['http://login.example/a', 'https://mcp.example/', false],
  ['http://127.0.0.1:8080/a', 'https://mcp.example/', false],
  ['https://localhost/a', 'https://mcp.example/', false],
  ['https://user:pass@login.example/a', 'https://mcp.example/', false],
  ['http://127.0.0.1:8080/a', 'http://localhost:9/', true],
  ['http://[::1]:8080/a', 'http://127.0.0.1:9/', true],
  ['file:///etc/passwd', 'http://127.0.0.1:9/', false],
])('checks whether a sign-in at %s is safe for a server at %s: %s', (url, server, safe) => {
  expect(isSafeUrl(new URL(url), addressKindOf(server, undefined))).toBe(safe);
});
