/** Handles SIGHUP in the shim: asks the running core to reload its config. */
import type { SocketLocation } from '../core/base/app-paths.ts';
import { dial } from './dial.ts';

/** Rejects if no core is running; no reload is needed then, because a core reads its config at startup. */
export async function requestReload(location: SocketLocation): Promise<void> {
  const { socket } = await dial(location, { purpose: 'control' });
  await new Promise<void>((resolve) => {
    socket.once('data', () => resolve()).once('close', () => resolve());
    socket.on('error', () => undefined).resume();
    socket.write('{"jsonrpc":"2.0","id":1,"method":"reload","params":{}}\n');
  });
  socket.destroy();
}
