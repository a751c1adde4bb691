/** A minimal client app: the shim as its child, JSON-RPC over stdio. */
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export type PipedChild = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
}

export class ClientApp {
  readonly #child: PipedChild;
  readonly #waiting = new Map<number, (message: Answer) => void>();
  #last = 0;

  private constructor(child: PipedChild) {
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as Answer;
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
    });
  }

  /** `name`: its reported name. */
  static async over(child: PipedChild, name: string): Promise<ClientApp> {
    const app = new ClientApp(child);
    const clientInfo = { name, version: '1.0.0' };
    await app.#ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    app.#send({ method: 'notifications/initialized' });
    return app;
  }

  /** Resolves to the response as JSON. */
  async call(tool: string, args: object = {}): Promise<string> {
    return JSON.stringify(await this.#ask('tools/call', { name: tool, arguments: args }));
  }

  async end(): Promise<void> {
    await endChild(this.#child, 'SIGTERM');
  }

  #ask(method: string, params: object): Promise<unknown> {
    const id = (this.#last += 1);
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, ({ result, ...rest }) => resolve(result ?? rest)));
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

/** Resolves when it has exited; immediately if it had before. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}
