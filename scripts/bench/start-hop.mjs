/** Starts the floor over HTTP: a bare hop to one echo server. `{pid, url}`; `stack` ends it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fixture, floor } from './places.mjs';

export async function startHop(stack) {
  const [node, script] = floor('http-hop');
  const child = spawn(node, [script, ...fixture('echo')], { stdio: ['ignore', 'pipe', 'inherit'] });
  stack.defer(async () => {
    child.kill();
    await once(child, 'close');
  });
  const [port] = await once(child.stdout, 'data');
  return { pid: child.pid, url: `http://127.0.0.1:${String(port).trim()}/mcp` };
}
