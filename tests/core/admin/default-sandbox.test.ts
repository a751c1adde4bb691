/** Servers added by models run in a sandbox; granting more is up to the user. */
import { expect, test } from 'vitest';
import {
  withDefaultSandbox,
  isWithinDefaultSandbox,
  isDefaultSandbox,
  changesSandbox,
} from '../../../src-main/core/admin/default-sandbox.ts';
import type { ServerChange } from '../../../src-main/core/admin/server-change.ts';

const add = (entry: Record<string, unknown>): ServerChange => ({ kind: 'add', server: 's', entry });

test('gives a command without isolation the default sandbox, and leaves other entries unchanged', () => {
  expect(withDefaultSandbox(add({ command: 'npx' }))).toEqual(
    add({ command: 'npx', isolation: { mode: 'auto', network: true } }),
  );
  for (const entry of [
    { command: 'npx', isolation: { mode: 'none' } },
    { command: 'npx', sandboxEnabled: true },
    { url: 'https://h/mcp' },
    { builtin: 'utils' },
  ]) {
    expect(withDefaultSandbox(add(entry))).toEqual(add(entry));
  }
  // As already started by a client app of the user.
  const found = { ...add({ command: 'npx' }), isFoundHere: true } as ServerChange;
  expect(withDefaultSandbox(found)).toBe(found);
  const update: ServerChange = { kind: 'update', server: 's', fields: { command: 'x' } };
  expect(withDefaultSandbox(update)).toBe(update);
});

test.each([
  [{ url: 'https://h/mcp' }, true],
  [{ command: 'x', isolation: { mode: 'auto', network: true } }, true],
  [{ command: 'x', isolation: { mode: 'container', image: 'node:24' } }, true],
  [{ command: 'x' }, false],
  [{ command: 'x', isolation: { mode: 'none' } }, false],
  [{ command: 'x', isolation: { mode: 'sandbox', write: ['~'] } }, false],
  [{ command: 'x', isolation: { mode: 'container', extra_args: ['-v', '/:/h'] } }, false],
  [{ command: 'x', isolation: { mode: 'container', network_mode: 'host' } }, false],
  [{ command: 'x', inheritEnv: 'all', isolation: { mode: 'auto' } }, false],
  [{ command: 'x', sandboxEnabled: true }, false],
])('returns whether %j is within the default sandbox: %s', (entry, expected) => {
  expect(isWithinDefaultSandbox(entry)).toBe(expected);
});

test('recognizes fields that change the sandbox, and the default sandbox', () => {
  expect([
    changesSandbox({ isolation: null }),
    changesSandbox({ sandboxEnabled: false }),
    changesSandbox({ args: [] }),
  ]).toEqual([true, true, false]);
  const usual = { kind: 'auto', network: true, read: [], write: undefined, extraArgs: [] } as const;
  expect(isDefaultSandbox(usual)).toBe(true);
  expect(isDefaultSandbox({ ...usual, network: false })).toBe(false);
  expect(isDefaultSandbox({ ...usual, kind: 'sandbox' })).toBe(false);
});
