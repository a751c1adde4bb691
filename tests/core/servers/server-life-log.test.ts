/** Lifecycle events of a server between its output in its log, and its restart count. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseLogLine } from '../../../src-main/core/servers/transports/server-log-format.ts';
import { until } from '../../support/until.ts';
import { containing, failure, matching, say, serversHarness, type ServersHarness } from './servers-harness.ts';

/** `tooltray error: text`, without times. */
function logOf({ deps, folder }: ServersHarness, name: string): string[] {
  deps.logOf(name).flush();
  const lines = readFileSync(join(folder, 'logs', `${name}.log`), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const { at, from, level, text } = parseLogLine(line);
      expect(at).toBeGreaterThan(0);
      return `${from}${level === undefined ? '' : ` ${level}`}: ${text}`;
    });
}

test('logs the start, MCP log messages and the requested end, with the process id', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', { capabilities: { tools: {}, logging: {} } }));
  await server.ready();
  const params = { level: 'warning', logger: 'disk', data: { free: 7 } };
  await say(server, 'announce', { method: 'notifications/message', params });
  await until(() => logOf(harness, 's').length > 3);
  await server.stop();
  const [pid] = harness.pids('s');
  expect(logOf(harness, 's')).toEqual([
    `tooltray: Started, process ${pid}.`,
    matching(/^tooltray: Handshake done in \d+ ms: scripted, protocol 2025-11-25\.$/),
    matching(/^tooltray: Lists read: \d+ tools\.$/),
    'server warning: disk: {"free":7}',
    `tooltray: Process ${pid} was asked to exit, and exited with code 0.`,
  ]);
});

test('logs a failed start without a process', async () => {
  const harness = serversHarness();
  const config = { ...harness.scripted('s'), command: 'no-such-program-anywhere', args: [] };
  const server = harness.server(config);
  await failure(server.ready());
  expect(logOf(harness, 's')).toEqual([
    containing('tooltray error: s did not start: "no-such-program-anywhere" was not found on PATH.'),
  ]);
  expect(logOf(harness, 's')[0]).toMatch(/Next try in \d+ s\.$/);
});

test('logs how a process died and the next retry, and counts the restart', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s'));
  await server.ready();
  expect(server.restarts).toBe(0);
  await failure(say(server, 'exit'));
  await until(() => server.state.kind === 'ready' && harness.pids('s').length === 2);
  const [first, second] = harness.pids('s');
  expect(logOf(harness, 's').slice(3, 6)).toEqual([
    `tooltray: Process ${first} exited with code 9.`,
    'tooltray error: The connection was lost. Next try in 1 s.',
    `tooltray: Started, process ${second}.`,
  ]);
  expect(server.restarts).toBe(1);
  await server.retry();
  expect(server.restarts).toBe(2);
});

test('does not count sleeping and waking as a restart', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s'));
  await server.ready();
  await server.sleep();
  await server.ready();
  expect([harness.pids('s').length, server.restarts]).toEqual([2, 0]);
});

test('logs stray output on stdout', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('s', 'misbehaving', ['noisy']));
  await server.ready().catch(() => undefined);
  await until(() => logOf(harness, 's').some((line) => line.startsWith('tooltray warning: ')));
});

test('names the last output of the process that exited, not of an earlier one', async () => {
  const harness = serversHarness();
  const once = `const fs = require('node:fs'); const file = ${JSON.stringify(join(harness.folder, 'run'))};
    fs.appendFileSync(file, '.'); if (fs.readFileSync(file).length < 3) console.error('first words'); process.exit(3)`;
  const server = harness.server({ ...harness.scripted('s'), command: process.execPath, args: ['-e', once] });
  expect((await failure(server.ready())).message).toContain('Last output: first words');
  expect((await failure(server.retry())).message).toBe('s exited with code 3.');
});

test('logs announced list changes and their outcome', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s'));
  await server.ready();
  await say(server, 'set_tools', { tools: ['extra'], times: 20 });
  await until(() => logOf(harness, 's').some((line) => line.includes('Lists refreshed')));
  // An announced change that is none: listed again, unchanged.
  await say(server, 'announce', { method: 'notifications/tools/list_changed' });
  await until(() => logOf(harness, 's').filter((line) => line.includes('Lists refreshed')).length > 1);
  const lines = logOf(harness, 's').slice(3);
  expect(lines.filter((line) => line.includes('reported changed lists'))).toEqual(
    Array.from({ length: 2 }, () => containing('tooltray info: ')),
  );
  expect(lines.filter((line) => line.includes('Refreshing the lists'))).toHaveLength(2);
  expect(lines.find((line) => line.includes('Lists refreshed'))).toMatch(/^tooltray info: .* changed\.$/);
  expect(lines.findLast((line) => line.includes('Lists refreshed'))).toMatch(/^tooltray debug: /);
});

test('warns about a server that announces changes without declaring them', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', { capabilities: { tools: {} } }));
  await server.ready();
  await say(server, 'announce', { method: 'notifications/tools/list_changed' });
  await until(() => logOf(harness, 's').some((line) => line.startsWith('tooltray warning: ')));
  expect(
    logOf(harness, 's').some((line) => line.startsWith('tooltray warning: ') && line.includes('listChanged')),
  ).toBe(true);
});

test('keeps lists that cannot be read again, and logs a warning', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', {}, { initTimeoutMs: 6000 }));
  await server.ready();
  const { tools } = server.listing;
  await say(server, 'mute', { method: 'tools/list' });
  await say(server, 'announce', { method: 'notifications/tools/list_changed' });
  await until(() => logOf(harness, 's').some((line) => line.startsWith('tooltray warning: ')));
  expect(server.listing.tools).toEqual(tools);
});
