/** The state as server-sent events, to one browser. */
import type { ServerResponse } from 'node:http';
import type { StatePublisher } from './state-publisher.ts';

/** A line that says nothing, so that a dead connection is noticed, in ms. */
const heartbeatMs = 15_000;
/** A page that does not keep up is let go: it comes back with the last id it has and is told what changed since. */
const mostUnsentBytes = 4 * 1024 * 1024;

export function streamState(response: ServerResponse, publisher: StatePublisher, lastId: string | undefined): void {
  response.write('retry: 1000\n\n');
  const leave = publisher.watch(({ id, text }) => {
    if (response.writableLength > mostUnsentBytes) response.destroy();
    else response.write(`id: ${id}\ndata: ${text}\n\n`);
  }, lastId);
  const heartbeat = setInterval(() => response.write(':\n\n'), heartbeatMs).unref();
  response.on('close', () => {
    clearInterval(heartbeat);
    leave();
  });
}
