/** The isolation of commands if all must be confined, from entries as written. */
import { expect, test } from 'vitest';
import type { StdioServerConfig } from '../../../../../src-main/core/config/server-config.ts';
import { parseConfig } from '../../../../../src-main/core/config/read-config.ts';
import {
  isUnconfined,
  requiredIsolation,
} from '../../../../../src-main/core/servers/launch/sandbox/required-isolation.ts';

function read(entry: object): StdioServerConfig {
  const { config } = parseConfig(JSON.stringify({ servers: { one: { command: 'one', ...entry } } }), '/c.json', {});
  return config?.servers[0] as StdioServerConfig;
}

test.each<[string, object, object | undefined]>([
  ['a sandbox without network by default', {}, { kind: 'sandbox', network: false }],
  [
    'a sandbox for a limit without a mode',
    { isolation: { network: ['a.example'] } },
    { kind: 'sandbox', network: ['a.example'] },
  ],
  [
    'a sandbox that has to be there for auto',
    { isolation: { mode: 'auto', network: true } },
    { kind: 'sandbox', network: true },
  ],
  ['a container without network', { isolation: { mode: 'container' } }, { kind: 'container', network: false }],
  [
    'a container with the network that it names',
    { isolation: { mode: 'docker', network_mode: 'bridge' } },
    { kind: 'container', network: true },
  ],
  ['nothing after an opt-out', { isolation: { mode: 'none' } }, undefined],
  ['nothing around a container', { command: 'docker', args: ['run', '-i', 'image'] }, undefined],
  ['a sandbox for other commands of an engine', { command: 'docker', args: ['exec', 'x'] }, { kind: 'sandbox' }],
])('requires %s', (_, entry, isolation) => {
  const required = requiredIsolation(read(entry), false);
  if (isolation === undefined) expect(required).toBeUndefined();
  else expect(required).toMatchObject(isolation);
});

test('requires a sandbox only where one is available, if the operator allows it', () => {
  const kinds = [{}, { isolation: 'auto' }, { isolation: 'sandbox' }, { isolation: 'container' }].map(
    (entry) => requiredIsolation(read(entry), true)?.kind,
  );
  expect(kinds).toEqual(['auto', 'auto', 'sandbox', 'container']);
});

test('only an opt-out counts as unconfined', () => {
  const entries = [{}, { isolation: 'none' }, { isolation: 'sandbox' }, { command: 'docker', args: ['run', 'image'] }];
  expect(entries.map((entry) => isUnconfined(read(entry)))).toEqual([false, true, false, false]);
});
