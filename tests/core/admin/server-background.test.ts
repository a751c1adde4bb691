/** What doctor tells of a server besides how it does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { backgroundText, serverBackground } from '../../../src-main/core/admin/server-background.ts';
import { readConfig } from '../../../src-main/core/config/read-config.ts';
import { CarriedEnvironments } from '../../../src-main/core/servers/launch/carried-environments.ts';
import { PinFolder } from '../../../src-main/core/trust/pins/pin-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-background-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function told(entry: object): Promise<string> {
  const { config } = readConfig(JSON.stringify({ servers: { s: entry } }), join(folder, 'config.json'), {});
  const [server] = config?.servers ?? [];
  if (server === undefined) throw new Error('The entry cannot be used.');
  const carried = new CarriedEnvironments({ dataDir: folder, spillDir: join(folder, 'spills') }, 'config.json');
  return backgroundText(await serverBackground(server, { pinFolder: folder, carried }));
}

test('a package: its version, its box, its secrets, since when', async () => {
  const pinned = { server: 's', acceptedAt: Date.UTC(2026, 9, 3), program: 'p', pin: null, decisions: [] };
  const [definitions, refused, rugPulls] = [new Map(), new Map(), new Map()];
  await new PinFolder(folder).of('s').write({ ...pinned, definitions, refused, rugPulls });
  const entry = {
    command: 'npx',
    args: ['-y', '@a/b@1.2.3', '--key=${secret:ARG}'],
    env: { API_KEY: '${secret:MINE}', OTHER_TOKEN: 'plain-0001', LEVEL: '3' },
    inheritEnv: ['THIRD'],
    isolation: { mode: 'sandbox', write: [] },
  };
  expect(await told(entry)).toBe(
    'Is @a/b by npx, version 1.2.3. Accepted 2026-10-03. Runs in a sandbox: sees the system’s programs, its own files and a home of its own. ' +
      'Reaches no network. Holds ARG, MINE, OTHER_TOKEN and THIRD.',
  );
});

test('one that floats, one that is elsewhere, and never what is in a secret', async () => {
  expect(await told({ command: 'uvx', args: ['some-server'], inheritEnv: 'all' })).toMatch(
    /^Is some-server by uvx, the newest at each start\. .*Runs with your rights.*Gets every variable of your login\.$/,
  );
  expect(await told({ command: process.execPath, args: [import.meta.filename] })).toMatch(
    /^Is node on this computer, version sha256:/,
  );
  const far = await told({
    url: 'https://mcp.test/mcp?key=hunter2hunter2',
    headers: { Authorization: 'Bearer hunter2' },
  });
  expect(far).toContain('Lies at mcp.test');
  expect(far).toContain('Holds Authorization.');
  expect(far).not.toContain('hunter2');
});
