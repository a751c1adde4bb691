/** A transparent JSON-RPC client for tests: raw lines are kept, IDs can be chosen, nothing is validated. */
import { type ChildProcessWithoutNullStreams, spawn, type SpawnOptionsWithoutStdio } from 'node:child_process';
import { connect, type NetConnectOpts } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { eachLine } from '../fixtures/servers/raw/lines.ts';

export type Id = string | number;
export type Params = Record<string, unknown>;

export interface RawMessage {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A received message, with its line. */
export interface Exchange {
  readonly message: RawMessage;
  readonly line: string;
}

/** A JSON-RPC error response. */
export class RawError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(error: NonNullable<RawMessage['error']>) {
    super(error.message);
    this.code = error.code;
    this.data = error.data;
  }
}

type Answer = (params: Params, message: RawMessage) => unknown;

interface Waiter {
  readonly matches: (message: RawMessage) => boolean;
  readonly resolve: (message: RawMessage) => void;
}

export class RawClient {
  /** Every received line. */
  readonly lines: string[] = [];
  readonly notifications: RawMessage[] = [];
  /** Requests of the other side. */
  readonly requests: RawMessage[] = [];
  /** Resolves when the other side has closed the connection. */
  readonly closed: Promise<void>;
  readonly #output: Writable;
  readonly #pending = new Map<Id, { resolve: (exchange: Exchange) => void; reject: (error: Error) => void }>();
  readonly #answers = new Map<string, Answer>();
  readonly #waiters = new Set<Waiter>();
  #nextId = 0;

  constructor(input: Readable, output: Writable) {
    this.#output = output;
    eachLine(input, (line) => this.#receive(line));
    this.closed = new Promise((resolve) => input.once('close', resolve));
    void this.closed.then(() => {
      for (const { reject } of this.#pending.values()) reject(new Error('The line was closed before the answer came.'));
      this.#pending.clear();
    });
    output.on('error', () => undefined);
    input.on('error', () => undefined);
  }

  /** Sends a request and returns its result; throws RawError for an error response. */
  async request(method: string, params?: Params, options: { id?: Id } = {}): Promise<Params> {
    const { message } = await this.exchange(method, params, options);
    if (message.error) throw new RawError(message.error);
    return message.result ?? {};
  }

  /** Sends a request and returns the whole response with its line. */
  exchange(method: string, params?: Params, options: { id?: Id } = {}): Promise<Exchange> {
    const id = options.id ?? (this.#nextId += 1);
    const answer = new Promise<Exchange>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    // A test may leave a call pending on purpose, which must not become an unhandled rejection.
    answer.catch(() => undefined);
    this.write({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    return answer;
  }

  notify(method: string, params?: Params): void {
    this.write({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** Sets a handler for requests of the other side; the default is -32601. */
  onRequest(method: string, answer: Answer): void {
    this.#answers.set(method, answer);
  }

  /** The first notification of that name, received or future. */
  notification(method: string, matches: (params: Params) => boolean = () => true): Promise<RawMessage> {
    const wanted = (message: RawMessage): boolean =>
      message.method === method && message.id === undefined && matches(message.params ?? {});
    const found = this.notifications.find(wanted);
    if (found) return Promise.resolve(found);
    return new Promise((resolve) => this.#waiters.add({ matches: wanted, resolve }));
  }

  /** Performs the handshake of the revisions up to 2025-11-25 and returns the server's result. */
  async initialize(capabilities: Params = {}, protocolVersion = '2025-11-25'): Promise<Params> {
    const clientInfo = { name: 'raw-client', version: '1.0.0' };
    const result = await this.request('initialize', { protocolVersion, capabilities, clientInfo });
    this.notify('notifications/initialized');
    return result;
  }

  /** Calls a tool and returns the whole result. */
  callTool(name: string, args: Params = {}, more: Params = {}): Promise<Params> {
    return this.request('tools/call', { name, arguments: args, ...more });
  }

  write(message: object): void {
    this.writeText(JSON.stringify(message));
  }

  /** Sends a line unchanged. */
  writeText(line: string): void {
    this.#output.write(`${line}\n`);
  }

  /** Closes our side of the connection. */
  end(): void {
    this.#output.end();
  }

  #receive(line: string): void {
    this.lines.push(line);
    const message = parse(line);
    if (message === undefined) return;
    if (message.method === undefined) this.#settle(message, line);
    else if (message.id !== undefined) void this.#reply(message.id, message);
    else this.#announce(message);
  }

  #settle(message: RawMessage, line: string): void {
    if (message.id === undefined) return;
    this.#pending.get(message.id)?.resolve({ message, line });
    this.#pending.delete(message.id);
  }

  async #reply(id: Id, message: RawMessage): Promise<void> {
    this.requests.push(message);
    const answer = this.#answers.get(message.method ?? '');
    if (!answer)
      return this.write({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Not answered by this test.' } });
    this.write({ jsonrpc: '2.0', id, result: await answer(message.params ?? {}, message) });
  }

  #announce(message: RawMessage): void {
    this.notifications.push(message);
    for (const waiter of this.#waiters) {
      if (!waiter.matches(message)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(message);
    }
  }
}

export interface RawChild extends AsyncDisposable {
  readonly client: RawClient;
  readonly child: ChildProcessWithoutNullStreams;
  /** The child's stderr so far. */
  readonly stderr: () => string;
}

/** Starts a process and connects to its stdin and stdout; disposing kills it. */
export function spawnRaw(command: string, args: readonly string[], options: SpawnOptionsWithoutStdio = {}): RawChild {
  const child = spawn(command, args, options);
  const client = new RawClient(child.stdout, child.stdin);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')));
  const gone = new Promise((resolve) => child.once('close', resolve));
  const dispose = async (): Promise<void> => {
    child.kill('SIGKILL');
    await gone;
  };
  return { client, child, stderr: () => errors, [Symbol.asyncDispose]: dispose };
}

/** Connects to a socket, named pipe or port. */
export function connectRaw(where: NetConnectOpts): Promise<RawClient> {
  return new Promise((resolve, reject) => {
    const socket = connect(where, () => resolve(new RawClient(socket, socket)));
    socket.once('error', reject);
  });
}

function parse(line: string): RawMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // Kept in `lines` all the same.
  }
}
