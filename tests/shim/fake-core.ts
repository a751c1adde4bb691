/** A minimal core on the real socket listener: responds to a few methods and records what it receives. */
import { appendFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ensurePrivateDir, socketLocation } from '../../src-main/core/base/app-paths.ts';
import { readOrCreateToken } from '../../src-main/core/security/access-token.ts';
import { type Hello, SocketListener } from '../../src-main/core/sessions/socket/socket-listener.ts';

interface Heard {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { name?: string; arguments?: unknown; [key: string]: unknown };
}

const { socketPath, namesPipe, tokenFile, runDir, home } = socketLocation(process.env, process.platform, homedir());
const record = (name: string, line: string) => appendFileSync(join(home as string, name), `${line}\n`);

record('starts.txt', String(process.pid));
ensurePrivateDir(runDir);
const token = readOrCreateToken(tokenFile);
await new SocketListener({ socketPath, namesPipe, token, version: '1.2.3', onConnection: serve }).start();
record('listening.txt', String(process.pid));

function serve(socket: Socket, hello: Hello, rest: Buffer): void {
  record('hellos.txt', JSON.stringify({ ...hello, token: '' }));
  let held: Buffer[] = [];
  const hear = (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      answer(socket, Buffer.concat([...held, chunk.subarray(start, end + 1)]));
      held = [];
      start = end + 1;
    }
    held.push(chunk.subarray(start));
  };
  hear(rest);
  socket.on('data', hear).resume();
}

function answer(socket: Socket, line: Buffer): void {
  if (line.length > 1_000_000) return void socket.write(line);
  const text = line.toString('utf8').trimEnd();
  record('heard.txt', `${process.pid} ${text}`);
  const { id, method, params } = JSON.parse(text) as Heard;
  const say = (message: object) => socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  if (method === 'subscriptions/listen') {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    say({
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta, notifications: params?.['notifications'] },
    });
  } else if (method === 'die') process.kill(process.pid, 'SIGKILL');
  else if (params?.name === 'ask') say({ id: 'core-1', method: 'sampling/createMessage', params: {} });
  else if (id !== undefined && method !== undefined && params?.name !== 'hang') {
    say({ id, result: { pid: process.pid, method, params } });
  }
}
