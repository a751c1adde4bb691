/** The risks that a config entry brings, as single words. */
import { expect, test } from 'vitest';
import { entryRisks } from '../../../../src-main/core/trust/inbox/entry-risks.ts';

test.each([
  ['a program with the rights of the user', { command: '/opt/x' }, ['runs-code', 'disk', 'network']],
  [
    'a package without a version',
    { command: 'npx', args: ['-y', 'weather-mcp'] },
    ['runs-code', 'disk', 'network', 'unpinned'],
  ],
  ['a package with a version', { command: 'npx', args: ['-y', 'weather-mcp@1.2.3'] }, ['runs-code', 'disk', 'network']],
  [
    'a sandbox without network or folders',
    { command: '/opt/x', isolation: { mode: 'sandbox', network: false } },
    ['runs-code'],
  ],
  [
    'a sandbox whose arguments name a folder',
    { command: '/opt/x', args: ['--root=/data'], isolation: { mode: 'sandbox', network: false } },
    ['runs-code', 'disk'],
  ],
  ['an address', { url: 'https://x.example/mcp' }, ['network']],
  ['a built-in server with folders', { type: 'builtin', builtin: 'utils', folders: ['/data'] }, ['disk']],
  ['nothing that starts', {}, []],
])('names what %s newly allows', (_what, entry, risks) => {
  expect(entryRisks(undefined, entry)).toEqual(risks);
});

test('names only what was not allowed before', () => {
  const sandboxed = { command: '/opt/x', isolation: { mode: 'sandbox', network: false } };
  expect(entryRisks(sandboxed, { command: '/opt/x' })).toEqual(['disk', 'network']);
  expect(entryRisks({ command: '/opt/x' }, sandboxed)).toEqual([]);
  expect(entryRisks(sandboxed, undefined)).toEqual([]);
});
