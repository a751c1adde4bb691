/** Handling of Electron processes that end unexpectedly. */
import { EventEmitter } from 'node:events';
import type { App } from 'electron';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepCrashDumps, watchCrashes } from '../../src-main/desktop/crashes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

function watched() {
  const app = new EventEmitter();
  const logged: [level: string, facts: unknown][] = [];
  const reloads: unknown[] = [];
  watchCrashes({
    app: app as unknown as Pick<App, 'on'>,
    log: {
      error: (_text, facts) => void logged.push(['error', facts]),
      warn: (_text, facts) => void logged.push(['warn', facts]),
    },
    reload: (window) => reloads.push(window),
  });
  const open = () => {
    const contents = new EventEmitter();
    const window = Object.assign(new EventEmitter(), { webContents: contents, isDestroyed: (): boolean => false });
    app.emit('browser-window-created', {}, window);
    const die = (reason: string) => contents.emit('render-process-gone', {}, { reason, exitCode: 5 });
    return { window, die };
  };
  return { app, logged, reloads, open };
}

test('logs a crashed page and reloads it at most once a minute', () => {
  const { logged, reloads, open } = watched();
  const { window, die } = open();
  die('crashed');
  expect([logged, reloads]).toEqual([[['error', { reason: 'crashed', exitCode: 5 }]], [window]]);
  die('oom');
  expect([logged.length, reloads.length]).toEqual([2, 1]);
  vi.setSystemTime(Date.now() + 61_000);
  die('crashed');
  expect(reloads).toEqual([window, window]);
});

test('ignores a page that was closed, and does not reload a destroyed window', () => {
  const { logged, reloads, open } = watched();
  open().die('clean-exit');
  const { window, die } = open();
  window.isDestroyed = () => true;
  die('crashed');
  expect([logged.length, reloads]).toEqual([1, []]);
});

test('logs other processes that exit and an unresponsive window', () => {
  const { app, logged, open } = watched();
  app.emit('child-process-gone', {}, { type: 'GPU', reason: 'crashed', exitCode: 9, serviceName: 'gpu' });
  open().window.emit('unresponsive');
  expect(logged.map(([level]) => level)).toEqual(['error', 'warn']);
  expect(logged[0]?.[1]).toMatchObject({ type: 'GPU', name: 'gpu', reason: 'crashed' });
});

test('keeps crash dumps on this computer', () => {
  const started: unknown[] = [];
  keepCrashDumps({ start: (options) => void started.push(options) });
  expect(started).toEqual([{ uploadToServer: false }]);
});
