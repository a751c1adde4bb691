/** A TCP proxy in front of an engine that a test can close, or keep open without responses, to simulate an outage. */
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { freePort } from '../../scripts/team/engines/free-port.ts';

export interface TcpDoor {
  readonly port: number;
  /** Closes open connections and refuses new ones. */
  shut(): Promise<void>;
  /** Accepts further data without ever responding. */
  hold(): void;
  reopen(): Promise<void>;
}

export async function tcpDoor(host: string, port: number): Promise<TcpDoor> {
  const sockets = new Set<Socket>();
  let isHeld = false;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (isHeld) return;
    const behind = connect(port, host);
    behind.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => behind.destroy());
    socket.pipe(behind).pipe(socket);
  });
  const own = await freePort();
  const listen = (): Promise<void> => new Promise((resolve) => server.listen(own, '127.0.0.1', resolve));
  await listen();
  const end = (): void => sockets.forEach((socket) => socket.destroy());
  const shut = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      end();
    });
  onTestFinished(() => (server.listening ? shut() : undefined));
  return {
    port: own,
    shut,
    hold() {
      isHeld = true;
      end();
    },
    async reopen() {
      isHeld = false;
      end();
      if (!server.listening) await listen();
    },
  };
}
