/** This process: where the files of its bundle are, and the signals that it handles. */
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { CoreHost } from '../host/core-host.ts';

/**
 * A file of the bundle, by its name: this module may lie in dist/, in dist/chunks/, or among the sources
 * (`npm run dev`).
 */
export function bundleFile(name: string): string {
  const folder = import.meta.dirname;
  if (import.meta.filename.endsWith('.ts')) return join(folder, '../../dist', name);
  return folder.endsWith('chunks') ? join(folder, '..', name) : join(folder, name);
}

/**
 * Ctrl-C: a process ended by a signal gets no `exit` event, and that is where servers of Tooltray are ended
 * (ProcessRegistry).
 */
export function exitOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}

/**
 * For a core that outlives a command. SIGHUP reads the config again, as Magg and most services do; where a terminal
 * went away it ends us, as programs in one are ended.
 */
export function handleSignals({ core, log }: CoreHost, end: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end());
  const hadTerminal = hasTerminal();
  process.on('SIGHUP', () => {
    if (hadTerminal && !hasTerminal()) return end();
    log.info('Reloading the config (SIGHUP).');
    void core.servers.admin.reload();
  });
}

/** Whether the terminal can still be opened; not if it was closed. */
function hasTerminal(): boolean {
  if (process.platform === 'win32') return process.stdout.isTTY;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
