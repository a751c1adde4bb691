/** Texts about apps and steps in the setup. */
import {
  appFacts,
  appMark,
  firstPrompt,
  nextStep,
  sortApps,
  stepLabel,
  stepsDone,
  stepToShow,
} from '../../../../src-renderer/views/setup/setup-words.ts';
import { expect, test } from 'vitest';
import type { AppRow } from '../../../../src-main/core/client-apps/app-rows.ts';
import type { ServerRow, SetupFacts } from '../../../../src-main/rpc/contract.ts';

const app = (name: string, more: Partial<AppRow> = {}): AppRow => ({
  id: name,
  name,
  installed: true,
  running: false,
  connected: 'no',
  configFile: `/${name}`,
  servers: 0,
  problem: '',
  link: undefined,
  via: 'none',
  split: false,
  revoked: false,
  ...more,
});
const server = (name: string, more: Partial<ServerRow> = {}): ServerRow => ({
  name,
  state: 'ready',
  level: 'ok',
  summary: 'Ready',
  detail: '',
  tools: 3,
  transport: 'stdio',
  endpoint: '',
  enabled: true,
  restarts: 0,
  since: 0,
  toolsOff: 0,
  calls24h: 0,
  failures24h: 0,
  medianMs: undefined,
  listTokens: 0,
  listed: [],
  asOf: undefined,
  ...more,
});
const facts = (more: Partial<SetupFacts> = {}): SetupFacts => ({
  apps: [],
  offered: 0,
  firstCall: undefined,
  tests: [],
  open: 3,
  ...more,
});

test('completes a step once an app is connected, a server is added, or a call is made', () => {
  expect(
    stepsDone(facts({ apps: [app('a', { connected: 'stale' })] }), [server('utils', { transport: 'builtin' })]),
  ).toEqual({ apps: false, servers: false, 'first-call': false });
  const firstCall = { app: 'Cursor', tool: 'github:list', at: 1 };
  expect(stepsDone(facts({ apps: [app('a', { connected: 'yes' })], firstCall }), [server('github')])).toEqual({
    apps: true,
    servers: true,
    'first-call': true,
  });
});

test('shows the first incomplete step, unless another one is requested', () => {
  const done = { apps: true, servers: false, 'first-call': false };
  expect(stepToShow(undefined, done)).toBe('servers');
  expect(stepToShow('first-call', done)).toBe('first-call');
  expect(stepToShow('nonsense', undefined)).toBe('apps');
  expect(stepLabel('apps', done)).toBe('Apps ✓');
  expect(stepLabel('servers', done)).toBe('Servers');
});

test('after an import suggests fixing a failing server, then connecting an app, then a call', () => {
  const cursor = app('cursor', { connected: 'yes' });
  const ill = [server('a'), server('b', { level: 'attention' })];
  expect(nextStep(facts(), ill)).toEqual({ words: 'fix b', place: ['servers', 'b'] });
  expect(nextStep(facts({ apps: [app('cursor')] }), [server('a')]).place).toEqual(['setup', 'apps']);
  expect(nextStep(facts({ apps: [cursor] }), [server('a')]).place).toEqual(['setup', 'first-call']);
  const firstCall = { app: 'Cursor', tool: 'a:x', at: 1 };
  expect(nextStep(facts({ apps: [cursor], firstCall }), [server('a')]).place).toEqual(['servers']);
});

test('sorts apps that need attention first, connected ones last', () => {
  const apps = [
    app('fine', { connected: 'yes' }),
    app('torn', { problem: 'no JSON' }),
    app('new'),
    app('moved', { connected: 'stale' }),
  ];
  expect(sortApps(apps).map(({ name }) => name)).toEqual(['moved', 'new', 'torn', 'fine']);
});

test('describes an app’s state by level and word', () => {
  expect(appMark(app('a', { connected: 'stale' }))).toEqual({ level: 'attention', word: 'Reconnect needed' });
  expect(appMark(app('a', { problem: 'no JSON' })).word).toBe('Config not readable');
  expect(appMark(app('a', { connected: 'yes', revoked: true })).word).toBe('Access revoked');
  expect(appFacts({ running: true, servers: 1 })).toBe('running · 1 other server');
});

test('suggests a prompt for the server with the most tools, or for the clock', () => {
  const ill = server('ill', { level: 'error', tools: 90 });
  expect(firstPrompt([server('small'), server('big', { tools: 40 }), ill])).toContain('big');
  expect(firstPrompt([server('utils', { transport: 'builtin' }), ill])).toContain('what time it is');
});
