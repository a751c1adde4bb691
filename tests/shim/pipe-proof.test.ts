/** A core at a pipe proves its identity before it gets the token. The pipes are sockets here, with names in a file as on Windows. */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SocketLocation } from '../../src-main/core/base/app-paths.ts';
import { type Hello, SocketListener } from '../../src-main/core/sessions/socket/socket-listener.ts';
import { CoreNotRunningError, dial } from '../../src-main/shim/dial.ts';

const token = 'a'.repeat(43);
let home: string;
let location: SocketLocation;
let pipes = 0;
let open: (() => unknown)[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tooltray-pipe-'));
  const runDir = join(home, 'run');
  mkdirSync(runDir, { mode: 0o700 });
  location = { home, runDir, socketPath: join(runDir, 'pipe'), namesPipe: true, tokenFile: join(runDir, 'token') };
  writeFileSync(location.tokenFile, `${token}\n`);
  open = [];
});

afterEach(async () => {
  for (const close of open) await close();
  rmSync(home, { recursive: true, force: true });
});

const newPipe = (): string => join(home, `pipe-${++pipes}`);

async function core(): Promise<{ readonly listener: SocketListener; readonly hellos: Hello[] }> {
  const hellos: Hello[] = [];
  const listener = new SocketListener({
    socketPath: location.socketPath,
    namesPipe: true,
    newPipe,
    token,
    version: '1.0.0',
    checkIntervalMs: 20,
    onConnection: (socket, hello, rest) => {
      hellos.push(hello);
      socket.write(rest);
      socket.pipe(socket);
    },
  });
  await listener.start();
  open.push(() => listener.stop());
  return { listener, hellos };
}

/** Another user's process that has taken the name in the file, and everything it received. */
async function squat(answer: (line: string, socket: Socket) => void): Promise<{ readonly heard: () => string }> {
  const pipe = newPipe();
  let heard = '';
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
      answer(chunk.toString(), socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(pipe, resolve));
  writeFileSync(location.socketPath, pipe);
  open.push(() => server.close());
  return { heard: () => heard };
}

test('sends the token to a core that proves itself, and passes the bytes behind it', async () => {
  const { hellos } = await core();
  const { socket } = await dial(location, { purpose: 'session', app: 'cursor' });
  open.push(() => socket.destroy());
  socket.write('ping');
  socket.resume();
  expect(String((await once(socket, 'data'))[0])).toBe('ping');
  expect(hellos).toMatchObject([{ token, app: 'cursor' }]);
});

test('sends no token to a squatter, whatever it responds', async () => {
  for (const answer of ['{"ok":true}\n', '{"tooltray":1,"proof":"x"}\n', 'nonsense\n']) {
    const { heard } = await squat((_, socket) => socket.write(answer));
    await expect(dial(location, { purpose: 'session' })).rejects.toBeInstanceOf(CoreNotRunningError);
    expect(heard()).toContain('challenge');
    expect(heard()).not.toContain(token);
  }
});

test('sends no token to a squatter that relays the proof of the real core', async () => {
  await core();
  const real = readFileSync(location.socketPath, 'utf8').trim();
  const { heard } = await squat((line, socket) => {
    const relay = connect(real);
    open.push(() => relay.destroy());
    relay.write(line);
    relay.pipe(socket);
  });
  await expect(dial(location, { purpose: 'session' })).rejects.toBeInstanceOf(CoreNotRunningError);
  expect(heard()).not.toContain(token);
});

test('each core has its own pipe, in a file that only the user can read and that is removed with it', async () => {
  const first = await core();
  const name = readFileSync(location.socketPath, 'utf8');
  if (process.platform !== 'win32') expect(statSync(location.socketPath).mode & 0o777).toBe(0o600);
  await first.listener.stop();
  expect(existsSync(location.socketPath)).toBe(false);
  await expect(dial(location, { purpose: 'session' })).rejects.toBeInstanceOf(CoreNotRunningError);
  await core();
  expect(readFileSync(location.socketPath, 'utf8')).not.toBe(name);
});

test('a second core does not start beside the first one', async () => {
  await core();
  await expect(core()).rejects.toMatchObject({ code: 'already_running' });
});

test('a core whose file was removed writes it again', async () => {
  await core();
  rmSync(location.socketPath);
  await expect
    .poll(() =>
      dial(location, { purpose: 'session' }).then(
        ({ socket }) => socket.destroy().destroyed,
        () => false,
      ),
    )
    .toBe(true);
});
