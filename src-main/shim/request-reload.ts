/** SIGHUP at a shim: the core that it leads to reads its config again. */
import type { SocketLocation } from '../core/base/app-paths.ts';
import { dial } from './dial.ts';

/** Rejects where there is no core, which reads its config anew when it starts. */
export async function requestReload(location: SocketLocation): Promise<void> {
  const { socket } = await dial(location, { purpose: 'control' });
  await new Promise<void>((resolve) => {
    socket.once('data', () => resolve()).once('close', () => resolve());
    socket.on('error', () => undefined).resume();
    socket.write('{"jsonrpc":"2.0","id":1,"method":"reload","params":{}}\n');
  });
  socket.destroy();
}
