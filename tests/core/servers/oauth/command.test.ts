/** `tooltray login` without a running core stores the sign-in for later starts. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { clientMetadataDocument } from '../../../../src-main/core/servers/oauth/client-metadata-document.ts';
import { cliFile } from '../../../cli/cli-home.ts';
import { startOAuthFixture } from '../../../fixtures/servers/oauth-http.ts';
import { goThrough } from './browser.ts';
import { allCases } from '../../../support/all-cases.ts';

interface Home {
  readonly run: (...args: string[]) => Run;
}

interface Run {
  readonly code: Promise<number | null>;
  readonly stdout: Promise<string>;
  readonly stderr: Promise<string>;
  /** The first URL printed on stderr. */
  readonly url: Promise<string>;
}

function homeWith(servers: Record<string, object>): Home {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-command-'));
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ servers }));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return { run: (...args) => run(folder, args) };
}

function run(home: string, args: readonly string[]): Run {
  const child = spawn(process.execPath, [cliFile, ...args], { env: { ...process.env, TOOLTRAY_HOME: home } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const url = new Promise<string>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /https?:\S+/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, url, stdout: text(child.stdout), stderr: code.then(() => said) };
}

test('prints the address, waits for the sign-in, and later commands are signed in', async () => {
  await using fixture = await startOAuthFixture();
  const { run } = homeWith({ far: { url: fixture.url } });
  const signIn = run('login', 'far', '--no-open');
  await goThrough(await signIn.url);
  expect([await signIn.code, await signIn.stdout]).toEqual([0, 'far: Ready. 1 tool.\n']);
  const probe = run('test', 'far');
  expect([await probe.code, await probe.stdout]).toEqual([0, expect.stringContaining('far')]);
});

test.runIf(allCases)('reports a denied sign-in and exits with code 1', async () => {
  await using fixture = await startOAuthFixture();
  fixture.authorization.denies = true;
  const signIn = homeWith({ far: { url: fixture.url } }).run('login', 'far', '--no-open', '--json');
  await goThrough(await signIn.url);
  expect(await signIn.code).toBe(1);
  expect(JSON.parse(await signIn.stdout)).toMatchObject({ state: 'pending-sign-in', summary: 'Needs sign-in' });
});

test('prints only the client metadata document, and rejects an address that cannot serve it', async () => {
  const { run } = homeWith({});
  const url = 'https://example.org/tooltray.json';
  const [printed, refused] = [
    run('login', '--client-document', url),
    run('login', '--client-document', 'http://a.b/c'),
  ];
  expect([JSON.parse(await printed.stdout), await printed.code]).toEqual([clientMetadataDocument(url), 0]);
  expect([await refused.stdout, await refused.code]).toEqual(['', 2]);
});

test.runIf(allCases)('rejects an unknown server and a server that is not reached over the network', async () => {
  const { run } = homeWith({ utils: { builtin: 'utils' } });
  const [unknown, local] = [run('login', 'util', '--no-open'), run('login', 'utils', '--no-open')];
  expect([await unknown.code, await local.code]).toEqual([1, 1]);
  expect(await unknown.stderr).toContain('Did you mean "utils"?');
  expect(await local.stderr).toContain('is not a remote server');
});

test.runIf(allCases)('signs out of a removed server without a running core, and names its unused secret', async () => {
  await using fixture = await startOAuthFixture();
  fixture.authorization.metadata = { revocation_endpoint: `${fixture.origin}/revoke` };
  const { run } = homeWith({ far: { url: fixture.url, headers: { 'X-Key': '${secret:FAR_KEY:-none}' } } });
  const signIn = run('login', 'far', '--no-open');
  await goThrough(await signIn.url);
  expect(await signIn.code).toBe(0);
  const removed = run('remove', 'far');
  expect(await removed.stdout).toContain(
    'far was removed. You are signed out of it, and its tokens were revoked. No server uses FAR_KEY any more. Remove it: tooltray secret rm FAR_KEY',
  );
  expect(fixture.authorization.revoked).toHaveLength(2);
});
