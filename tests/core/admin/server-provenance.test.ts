/** What doctor reports about the origin of a server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { formatProvenance, loadServerProvenance } from '../../../src-main/core/admin/server-provenance.ts';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';
import { FilePinStore } from '../../../src-main/core/trust/pins/pin-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-background-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function told(entry: object, account?: string): Promise<string> {
  const { config } = parseConfig(JSON.stringify({ servers: { s: entry } }), join(folder, 'config.json'), {});
  const [server] = config?.servers ?? [];
  if (server === undefined) throw new Error('The entry cannot be used.');
  const signedIn = (): Promise<{ account: string } | undefined> =>
    Promise.resolve(account === undefined ? undefined : { account });
  return formatProvenance(await loadServerProvenance(server, { pinFolder: folder, signedIn }));
}

test('describes a package: version, sandbox, secrets and time of acceptance', async () => {
  const pinned = { server: 's', acceptedAt: Date.UTC(2026, 9, 3), program: 'p', pin: null, decisions: [] };
  const [definitions, refused, rugPulls, waits] = [new Map(), new Map(), new Map(), new Map()];
  await new FilePinStore(folder)
    .forServer('s')
    .write({ ...pinned, definitions, refused, rugPulls, waits, mayGrow: false });
  const entry = {
    command: 'npx',
    args: ['-y', '@a/b@1.2.3', '--key=${secret:ARG}'],
    env: { API_KEY: '${secret:MINE}', OTHER_TOKEN: 'plain-0001', LEVEL: '3' },
    inheritEnv: ['THIRD'],
    isolation: { mode: 'sandbox', write: [] },
  };
  expect(await told(entry)).toBe(
    'Runs @a/b with npx, version 1.2.3. Accepted 2026-10-03. Runs in a sandbox: sees system programs, its own files, and its own home folder. ' +
      'Has no network access. Has ARG, MINE, OTHER_TOKEN and THIRD.',
  );
});

test('describes an unpinned package and a remote server without showing secret values', async () => {
  expect(await told({ command: 'uvx', args: ['some-server'], inheritEnv: 'all' })).toMatch(
    /^Runs some-server with uvx, the latest version at each start\. .*Not isolated: has all permissions of your user account.*Inherits all environment variables\.$/,
  );
  expect(await told({ command: process.execPath, args: [import.meta.filename] })).toMatch(
    /^Runs \/.*server-provenance\.test\.ts with node on this computer, version sha256:/,
  );
  const far = await told({
    url: 'https://mcp.test/mcp?key=hunter2hunter2',
    headers: { Authorization: 'Bearer hunter2' },
  });
  expect(far).toContain('Runs at mcp.test');
  expect(far).toContain('Has Authorization and key in its address.');
  expect(far).not.toContain('hunter2');
});

const image = 'ghcr.io/github/github-mcp-server';
const digest = `sha256:${'ab'.repeat(32)}`;
const sandbox = { mode: 'sandbox', write: [] };

test.each<[string, object, RegExp]>([
  ['comes with Tooltray', { builtin: 'utils', folders: ['/n'] }, /^Comes with Tooltray\. Reads and writes \/n\.$/],
  [
    'floats',
    { command: 'npx', args: ['-y', 'a'] },
    /^Runs a with npx, the latest version at each start\. .* Has no secrets\.$/,
  ],
  [
    'floats, in a sandbox',
    { command: 'npx', args: ['-y', 'a@latest'], isolation: sandbox },
    /^Runs a with npx, the latest version when it was installed for its sandbox\. /,
  ],
  [
    'floats, in a sandbox where one is available',
    { command: 'npx', args: ['-y', 'a'], isolation: 'auto' },
    /installed for its sandbox, or without a sandbox the latest version at each start\./,
  ],
  [
    'is an image',
    { command: 'docker', args: ['run', '-i', '-e', 'A_TOKEN', image], env: { A_TOKEN: 'planted-0001' } },
    /^Runs the image ghcr\.io\/github\/github-mcp-server with docker, resolved when it starts\. .* Starts a container itself; .* Has A_TOKEN\.$/,
  ],
  [
    'is an image pinned by digest',
    { command: 'docker', args: ['run', '-i', `a/b@${digest}`] },
    /^Runs the image a\/b with docker, locked to sha256:abababababab\./,
  ],
  [
    'is a container engine without an image',
    { command: 'docker', args: ['mcp', 'gateway'] },
    /^Runs docker on this computer, in an unknown version/,
  ],
  [
    'is a file in a container',
    { command: 'node', args: ['/n/s.js'], isolation: { mode: 'container', image: 'node:24' } },
    /^Runs \/n\/s\.js with node, .* Runs in a container of node:24\./,
  ],
  [
    'has a key among its arguments',
    { command: 'python3', args: ['/n/s.py', '--token', 'planted-secret-0001'] },
    /^Runs \/n\/s\.py with python3 on this computer, .* Has a key in its arguments\.$/,
  ],
  [
    'is remote',
    { url: 'https://a.test/mcp' },
    /^Runs at a\.test, in a version chosen by its operator\. .* Reads nothing here; /,
  ],
  [
    'is at an address of the local computer',
    { url: 'http://127.0.0.1:3000/mcp' },
    /^Runs on this computer at 127\.0\.0\.1:3000, .* the user who started it;/,
  ],
])('describes a server that %s', async (_what, entry, sentence) => {
  const text = await told(entry);
  expect(text).toMatch(sentence);
  expect(text).not.toContain('planted');
});

test('names the account the user is signed in with', async () => {
  const entry = { url: 'https://a.test/mcp', oauth: { clientId: 'c', clientSecret: '${secret:FAR}' } };
  expect(await told(entry, 'ana@example.org')).toMatch(/Has FAR and your sign-in as ana@example\.org\.$/);
});
