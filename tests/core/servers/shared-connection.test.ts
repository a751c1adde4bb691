/** The connection that all sessions share is opened once, retried after delays and closed for good. */
import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import type { Connection } from '../../../src-main/core/servers/connection.ts';
import {
  PauseSwitch,
  SharedConnection,
  type SharedConnectionOptions,
} from '../../../src-main/core/servers/shared-connection.ts';
import { failure, isAlive, serversHarness } from './servers-harness.ts';
import { until } from '../../support/until.ts';

/** A SharedConnection that opens connections with `open`. */
function lineOf(
  open: SharedConnectionOptions['open'],
  more: Partial<SharedConnectionOptions> = {},
): { line: SharedConnection; states: string[] } {
  const states: string[] = [];
  const line: SharedConnection = new SharedConnection({
    server: 's',
    enabled: true,
    pause: new PauseSwitch(),
    now: () => 1000,
    random: () => 0.5,
    open,
    onOpen: () => line.markReady(),
    onClose: () => states.push('closed'),
    onFailed: () => undefined,
    onRenew: () => undefined,
    isInstalling: () => false,
    onState: () => states.push(line.state.kind),
    ...more,
  });
  onTestFinished(() => line.stop());
  return { line, states };
}

const unauthorized = (): Promise<Connection> => Promise.reject(new AppError('server_unauthorized', 'No.'));

test('returns the same connection to concurrent callers', async () => {
  const harness = serversHarness();
  let opened = 0;
  const { line } = lineOf(() => {
    opened++;
    return harness.connection(harness.scripted('s'));
  });
  const [one, two] = await Promise.all([line.connect(), line.connect()]);
  expect([one === two, one === (await line.connect()), opened]).toEqual([true, true, 1]);
});

test('resets the retry delay only after a connection that lasted half a minute', async () => {
  const harness = serversHarness();
  let now = 0;
  const { line } = lineOf(() => harness.connection(harness.scripted('s')), { now: () => now });
  const pauses: number[] = [];
  for (const heldMs of [0, 1000, 30_001, 1000]) {
    now += 600;
    const connection = await line.connect();
    now += heldMs;
    line.onLost(connection, undefined);
    if (line.state.kind === 'error') pauses.push(line.state.retryAt - now);
  }
  expect(pauses).toEqual([1000, 2000, 1000, 2000]);
});

test('waits for the user after a rejected sign-in and does not reopen for further calls', async () => {
  let opened = 0;
  const { line } = lineOf(() => {
    opened++;
    return unauthorized();
  });
  const errors = [await failure(line.connect()), await failure(line.connect())];
  expect([line.state.kind, opened]).toEqual(['pending-sign-in', 1]);
  expect(errors).toMatchObject(Array(2).fill({ code: 'server_unauthorized', message: 's: No.' }));
  await failure(line.reopen());
  expect([line.state.kind, opened]).toEqual(['pending-sign-in', 2]);
});

test('ignores the late end of a connection that was already replaced', async () => {
  const harness = serversHarness();
  const { line } = lineOf(() => harness.connection(harness.scripted('s')));
  const first = await line.connect();
  await line.reopen();
  line.onLost(first, new Error('late'));
  expect(line.state.kind).toBe('ready');
});

test('does not open a second connection if it is reopened while opening', async () => {
  const harness = serversHarness();
  let opened = 0;
  const { line } = lineOf(() => {
    opened++;
    return harness.connection(harness.scripted('s'));
  });
  await Promise.all([line.connect(), line.reopen(), line.reopen()]);
  expect([opened, line.state.kind]).toEqual([1, 'ready']);
});

test('starts the next process after the previous one has ended', async () => {
  const harness = serversHarness();
  const { line } = lineOf(() => harness.connection(harness.scripted('s', { lingersMs: 300 })));
  await line.connect();
  const closing = line.close();
  const next = line.connect();
  await until(() => harness.pids('s').length === 2);
  expect(harness.pids('s').map(isAlive)).toEqual([false, true]);
  await Promise.all([closing, next]);
  expect(line.state.kind).toBe('ready');
});

test('stays closed after it was stopped', async () => {
  const harness = serversHarness();
  const { line } = lineOf(() => harness.connection(harness.scripted('s')));
  const opening = line.connect();
  await line.stop();
  await opening.catch(() => undefined);
  const errors = [await failure(line.connect()), await failure(line.reopen())];
  expect([line.connection, line.state.kind, harness.pids('s').length]).toEqual([undefined, 'disconnected', 1]);
  expect(errors).toMatchObject(Array(2).fill({ code: 'server_not_started' }));
});
