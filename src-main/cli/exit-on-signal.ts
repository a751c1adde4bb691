/** Ctrl-C while a command runs servers of its own: they end with us. */
import { constants } from 'node:os';

/** A process ended by a signal gets no `exit` event, and that is where the servers are ended (ProcessRegistry). */
export function exitOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}
