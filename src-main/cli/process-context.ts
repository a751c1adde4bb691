/** This process: the location of its bundled files, and signal handlers. */
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { CoreHost } from '../host/core-host.ts';

/** Path of a bundled file by name: this module may be in dist/, dist/chunks/, or the sources (`npm run dev`). */
export function bundleFile(name: string): string {
  const folder = import.meta.dirname;
  if (import.meta.filename.endsWith('.ts')) return join(folder, '../../dist', name);
  return folder.endsWith('chunks') ? join(folder, '..', name) : join(folder, name);
}

/**
 * Handles Ctrl-C: a process ended by a signal emits no `exit` event, which is when ProcessRegistry ends the servers.
 */
export function exitOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}

/**
 * For a long-running core. SIGHUP reloads the config, as in Magg and most services; if the terminal is gone, it stops
 * the core.
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

/** Whether the terminal can still be opened. */
function hasTerminal(): boolean {
  if (process.platform === 'win32') return process.stdout.isTTY;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
