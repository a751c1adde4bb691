/** SIGHUP reads the config again, as Magg and most services do; where a terminal went away it ends us, as programs in one are ended. */
import { closeSync, openSync } from 'node:fs';
import type { CoreHost } from '../host/core-host.ts';

export function reloadOnHangup({ core, log }: CoreHost, end: () => void): void {
  const hadTerminal = hasTerminal();
  process.on('SIGHUP', () => {
    if (hadTerminal && !hasTerminal()) return end();
    log.info('Reading the config again, as SIGHUP asks.');
    void core.admin.reload();
  });
}

/** Of a terminal that was closed nothing can be opened any more. */
function hasTerminal(): boolean {
  if (process.platform === 'win32') return process.stdout.isTTY;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
