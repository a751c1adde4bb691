/** Starts the floor's daemon: the least that two hops can cost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { floor } from './places.mjs';

/** `command` is what a client starts; `stop` ends the daemon. */
export async function startFloor(server) {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-floor-'));
  const socket =
    process.platform === 'win32' ? `\\\\.\\pipe\\tooltray-floor-${process.pid}` : join(folder, 'floor.sock');
  const [node, script] = floor('daemon');
  const child = spawn(node, [script, socket, ...server], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const stop = async () => {
    child.kill();
    await once(child, 'close');
    rmSync(folder, { recursive: true, force: true });
  };
  return { command: [...floor('pipe'), socket], stop };
}
