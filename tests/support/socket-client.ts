/** A raw client on the core's socket, after the hello. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type Exchange, type Id, type Params, RawClient, type RawMessage } from './raw-client.ts';

export interface HelloWishes {
  readonly app?: string;
  readonly mode?: string;
  readonly profile?: string;
  /** Only this server, unchanged. */
  readonly server?: string;
  /** `session` by default. */
  readonly purpose?: 'session' | 'control';
}

export class SocketClient extends RawClient {
  readonly socket: Socket;

  constructor(socket: Socket) {
    super(socket, socket);
    this.socket = socket;
  }

  /** Calls a tool and returns its first text. */
  async say(name: string, args: Params = {}, more: Params = {}): Promise<string> {
    return textOf(await this.callTool(name, args, more));
  }

  /** The response to a request that was written as text. */
  async answer(id: Id): Promise<Exchange> {
    for (;;) {
      for (const line of this.lines) {
        const message = JSON.parse(line) as RawMessage;
        if (message.id === id && message.method === undefined) return { message, line };
      }
      await once(this.socket, 'data');
    }
  }

  /** Names of all listed tools. */
  async toolNames(): Promise<string[]> {
    const { tools } = (await this.request('tools/list')) as { tools: { name: string }[] };
    return tools.map(({ name }) => name);
  }
}

export async function openSocket(path: string, token: string, wishes: HelloWishes = {}): Promise<SocketClient> {
  // On Windows the file contains the name of the pipe.
  const socket = connect(process.platform === 'win32' ? readFileSync(path, 'utf8').trim() : path);
  await once(socket, 'connect');
  const client = new SocketClient(socket);
  client.writeText(JSON.stringify({ tooltray: 1, token, purpose: 'session', ...wishes }));
  return client;
}

/** The first text of a tool's result. */
export function textOf(result: Params): string {
  const [first] = (result['content'] ?? []) as { text?: string }[];
  return first?.text ?? '';
}
