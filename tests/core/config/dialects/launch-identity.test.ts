/** Compares what entries start, and with which account. */
import { expect, test } from 'vitest';
import type { ServerConfig } from '../../../../src-main/core/config/server-config.ts';
import { parseConfig } from '../../../../src-main/core/config/read-config.ts';
import { accountIdentity, launchIdentity } from '../../../../src-main/core/config/dialects/launch-identity.ts';
import { findDuplicates } from '../../../../src-main/rpc/state/duplicate-servers.ts';

const x = { command: 'npx', args: ['x'] };

test.each<[object, boolean]>([
  [{ command: '/opt/node/bin/npx', args: ['-y', 'x'] }, true],
  [{ command: 'cmd', args: ['/c', 'npx', 'x'] }, true],
  [{ command: 'npx.cmd', args: ['x'] }, true],
  [{ command: 'npx', args: ['y'] }, false],
  [{ command: 'npx', args: ['x'], cwd: '/w' }, false],
  [{ url: 'https://x.example' }, false],
])('compares the launch of npx x with %j: %j', (other, isSame) => {
  expect(launchIdentity({ ...other }) === launchIdentity(x)).toBe(isSame);
});

test('compares the accounts of two entries, in any order of their variables', () => {
  expect(accountIdentity({ env: { A: '1', B: '2' } })).toBe(accountIdentity({ env: { B: '2', A: '1' } }));
  expect(accountIdentity({ env: { A: '1' } })).not.toBe(accountIdentity({ env: { A: '2' } }));
});

function servers(entries: object): readonly ServerConfig[] {
  return parseConfig(JSON.stringify({ servers: entries }), '/c/config.json', {}).config?.servers ?? [];
}

test('finds enabled servers that start the same with the same account', () => {
  const found = findDuplicates(
    servers({
      a: x,
      b: { command: 'npx', args: ['-y', 'x'] },
      off: { ...x, enabled: false },
      other: { ...x, env: { ACCOUNT: '2' } },
      net: { url: 'https://h/mcp' },
      same: { url: 'https://h/mcp/' },
      with: { url: 'https://h/mcp', headers: { A: 'b' } },
    }),
  );
  expect(Object.fromEntries(found)).toEqual({ a: ['b'], b: ['a'], net: ['same'], same: ['net'] });
});
