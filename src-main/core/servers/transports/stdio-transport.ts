/** JSON-RPC with a child process over its stdin and stdout; the child and all it starts end with the transport. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { AppError } from '../../base/errors.ts';
import { FrameReader } from '../../wire/frame-reader.ts';
import type { Message } from '../../wire/message.ts';
import { serializeMessage } from '../../wire/serialize.ts';
import type { Transport, TransportHandlers } from '../../wire/transport.ts';
import { launchServer, type ServerLaunch } from '../launch/launch-server.ts';
import type { ProcessGroup } from '../launch/process-group.ts';
import { describeExit } from './describe-exit.ts';
import { OddityLimit } from './oddity-limit.ts';
import type { StderrLog } from './stderr-log.ts';
import { within } from './within.ts';
import { writeAll } from './write-all.ts';

export interface StdioTransportOptions extends ServerLaunch {
  readonly maxMessageBytes: number;
  readonly stderr: StderrLog;
  /** How long the server has to end by itself, and again after SIGTERM, in ms. */
  readonly graceMs?: number;
}

/** A process that left the group may hold our pipes open; what it says is not waited for longer than this. */
const drainMs = 500;
/** The end of a pipe is often seen before the exit that caused it. */
const exitFollowsMs = 250;

/** How long a message that could not be sent waits for the reason, in ms. */
const toldWithinMs = 5000;

export class StdioTransport implements Transport {
  readonly #options: StdioTransportOptions;
  #handlers: TransportHandlers | undefined;
  #group: ProcessGroup | undefined;
  #ending: Promise<void> | undefined;
  /** The wait for the exit of a process that took no message; one, however many calls find out. */
  #givingUp: Promise<void> | undefined;
  /** Why we end a process that would go on living. */
  #reason: string | undefined;
  #closedByUs = false;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  async start(handlers: TransportHandlers): Promise<void> {
    this.#group = await launchServer(this.#options);
    this.#handlers = handlers;
    this.#listen(this.#group, handlers);
    // Closed while it was starting: nobody else would end it.
    if (this.#closedByUs) await this.#end();
  }

  async send(message: Message): Promise<void> {
    const stdin = this.#group?.child.stdin;
    if (stdin === undefined || this.#ending !== undefined || !stdin.writable) throw await this.#gone();
    try {
      await writeAll(stdin, serializeMessage(message), this.#options.serverName);
    } catch (error) {
      throw error instanceof AppError ? error : await this.#gone(error);
    }
  }

  async close(): Promise<void> {
    this.#closedByUs = true;
    await this.#end();
  }

  /** The child's process id, once it runs. */
  get pid(): number | undefined {
    return this.#group?.child.pid;
  }

  #listen(group: ProcessGroup, handlers: TransportHandlers): void {
    const { child } = group;
    this.#readMessages(child.stdout, handlers);
    child.stdout.once('end', () => void this.#giveUpUnlessExited(group, 'it closed its output'));
    child.stderr.on('data', (chunk: Buffer) => this.#options.stderr.push(chunk));
    child.stdin.on('error', () => void this.#giveUpUnlessExited(group, 'it closed its input'));
    for (const stream of [child.stdout, child.stderr]) stream.on('error', () => undefined);
    // A leader that dies leaves the rest of its group to us.
    child.once('exit', () => void this.#end());
    if (group.exited) void this.#end();
  }

  #readMessages(stdout: Readable, handlers: TransportHandlers): void {
    const giveUp = (): void => {
      this.#reason = 'it prints text instead of MCP messages';
      stdout.destroy();
      void this.#end();
    };
    const oddities = new OddityLimit((text) => handlers.onOddity(text), giveUp);
    const onMessage = (message: Message): void => {
      oddities.sawMessage();
      handlers.onMessage(message);
    };
    const reader = new FrameReader(
      { onMessage, onOddity: (text) => oddities.add(text) },
      this.#options.maxMessageBytes,
    );
    stdout.on('data', (chunk: Buffer) => reader.push(chunk));
    stdout.once('end', () => reader.end());
    stdout.once('close', () => oddities.end());
  }

  /** A process whose pipe is gone is of no use, even if it lives. */
  async #giveUpUnlessExited(group: ProcessGroup, reason: string): Promise<void> {
    if (!group.exited) await within(once(group.child, 'exit'), exitFollowsMs);
    if (!group.exited) this.#reason ??= reason;
    await this.#end();
  }

  #end(): Promise<void> {
    if (this.#group === undefined) return Promise.resolve();
    this.#ending ??= this.#endGroup(this.#group);
    return this.#ending;
  }

  async #endGroup(group: ProcessGroup): Promise<void> {
    const { stdin, stdout, stderr } = group.child;
    const drained = Promise.all([closed(stdout), closed(stderr)]);
    await group.end({ graceMs: this.#options.graceMs ?? 2000 });
    await within(drained, drainMs);
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    this.#options.stderr.end();
    this.#handlers?.onClose(this.#closedByUs ? undefined : this.#exitError(group));
  }

  #exitError(group: ProcessGroup): AppError {
    return describeExit({
      serverName: this.#options.serverName,
      code: group.child.exitCode,
      signal: group.child.signalCode,
      reason: this.#reason,
      stderrLines: this.#options.stderr.lines(30),
    });
  }

  /** Waits for the end of the line to be told first: it knows why, and whoever tries again at once gets a new one. */
  async #gone(cause?: unknown): Promise<AppError> {
    const group = this.#group;
    if (group !== undefined && !this.#closedByUs) {
      this.#givingUp ??= this.#giveUpUnlessExited(group, 'it closed its input');
      await within(this.#givingUp, toldWithinMs);
      if (group.exited) return this.#exitError(group);
    }
    return new AppError('server_exited', `${this.#options.serverName} is not running any more.`, { cause });
  }
}

function closed(stream: Readable): Promise<unknown> {
  return stream.closed ? Promise.resolve() : new Promise((resolve) => stream.once('close', resolve));
}
