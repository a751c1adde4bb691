/** Saves in the dashboard resolve when they are written and accepted, while a server that never responds still starts. */
import { expect, test } from 'vitest';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';
import { until } from '../../support/until.ts';
import { ask } from '../dashboard-client.ts';

/** Reads nothing and answers nothing; it is given up after the start limit, much later than any test ends. */
const hanging = {
  command: process.execPath,
  args: ['-e', 'setInterval(() => {}, 1000)'],
  initTimeoutSeconds: 600,
};

/** Undefined before the config is applied. */
function stateOf(core: TestCore, name: string): string | undefined {
  return core.host.core.servers.manager.find(name)?.state.kind;
}

function isStarting(core: TestCore, name: string): boolean {
  return ['disconnected', 'connecting'].includes(stateOf(core, name) ?? '');
}

test('a saved, approved, accepted or enabled server starts in the background', async () => {
  const servers = {
    echo: fixture('echo'),
    off: { ...hanging, enabled: false },
    held: { ...hanging, quarantined: true },
  };
  await using core = await startCore({ servers }, { ownConfig: true });
  const client = await core.open();

  await ask(core, 'saveServer', { name: 'saved', entry: hanging, replace: false });
  expect(isStarting(core, 'saved')).toBe(true);
  await ask(core, 'setServerEnabled', { server: 'off', enabled: true });
  expect(isStarting(core, 'off')).toBe(true);
  await client.callTool('manage_servers', {
    action: 'add',
    name: 'proposed',
    command: hanging.command,
    args: hanging.args,
  });
  const { proposals } = (await ask(core, 'proposals')) as { proposals: readonly { id: string }[] };
  await ask(core, 'approve', { id: proposals[0]?.id });
  expect(isStarting(core, 'proposed')).toBe(true);
  const { reviews } = (await ask(core, 'reviews')) as { reviews: readonly { id: string }[] };
  await ask(core, 'reviewServer', { server: 'held', id: reviews[0]?.id, choice: 'accept' });
  expect(isStarting(core, 'held')).toBe(true);
  const removed = await ask(core, 'removeServer', { server: 'saved' });
  await ask(core, 'undoRemoval', { undo: removed['undo'] });
  expect(isStarting(core, 'saved')).toBe(true);
});

test('Stop and Pause end a server that is still starting, and Resume does not wait for it', async () => {
  await using core = await startCore({ servers: { hanging, other: hanging } }, { settled: false });
  await until(() => stateOf(core, 'hanging') === 'connecting');
  await ask(core, 'stopServer', { server: 'hanging' });
  expect(stateOf(core, 'hanging')).toBe('disconnected');
  await ask(core, 'setPaused', { paused: true });
  expect(stateOf(core, 'other')).toBe('disconnected');
  await ask(core, 'setPaused', { paused: false });
  await until(() => ['hanging', 'other'].every((name) => stateOf(core, name) === 'connecting'));
});
