/** JSON-RPC with a child process over stdin and stdout; the child and its descendants end with the transport. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { AppError } from '../../base/errors.ts';
import type { ByteHolder, ConnectionBudgets } from '../../wire/byte-budget.ts';
import { FrameReader, PacedReader } from '../../wire/frame-reader.ts';
import { isNotification, type Message, serializeMessage } from '../../wire/message.ts';
import type { MessageOrigin, SendOptions, Transport, TransportHandlers } from '../../wire/transport.ts';
import { launchServer, type ServerLaunch } from '../launch/launch-server.ts';
import { Install } from '../launch/install.ts';
import { damagedFolder } from '../launch/package-runner.ts';
import type { ProcessGroup, StartedContainer } from '../launch/process-group.ts';
import { maxHandshakeBytes, maxParsedBytes } from './lossless-fetch.ts';
import type { ServerLog } from './server-log.ts';
import { settleWithin } from '../../base/settle-within.ts';
import { formatCount } from '../../base/text-format.ts';

export interface StdioTransportOptions extends ServerLaunch {
  readonly maxMessageBytes: number;
  readonly log: ServerLog;
  /** Memory budgets for unread and partly read data, shared by all connections. */
  readonly budgets?: ConnectionBudgets | undefined;
  /** Time for the server to end by itself, and again after SIGTERM, in ms. */
  readonly graceMs?: number;
}

/** Beyond this many unsent bytes, notifications are dropped, because nothing else bounds their number. */
const maxNotificationBacklogBytes = 16 * 1024 * 1024;
/** Unsent bytes count towards the budget only above this size. */
const minCountedBytes = 1024 * 1024;
/** How long to read output after the exit, in ms, because a process that left the group may keep the pipes open. */
const drainMs = 500;
/** How long after the end of a pipe the exit usually follows, in ms. */
const exitFollowsMs = 250;

/** How long a failed send waits for the exit of the process, to report its cause, in ms. */
const sendFailureTimeoutMs = 5000;

export class StdioTransport implements Transport, ByteHolder {
  readonly #options: StdioTransportOptions;
  #handlers: TransportHandlers | undefined;
  #group: ProcessGroup | undefined;
  /** Names of the user's environment variables that the server process did not receive. */
  #withheld: readonly string[] = [];
  /** Number of log lines before its start, from an earlier process. */
  #saidBefore = 0;
  #ending: Promise<void> | undefined;
  /** Pending wait for the exit of a process that no longer reads its stdin; shared by all callers. */
  #givingUp: Promise<void> | undefined;
  /** The reason why we end a running process. */
  #reason: string | undefined;
  #closedByUs = false;
  /** Whether `initialize` has completed. */
  #greeted = false;
  #paced: PacedReader | undefined;

  readonly #install: Install | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.#install = Install.of(options);
  }

  get isInstalling(): boolean {
    return this.#install?.isRunning === true;
  }

  async start(handlers: TransportHandlers): Promise<void> {
    await this.#install?.turn();
    this.#saidBefore = this.#options.log.lineCount;
    const { group, withheld } = await launchServer(this.#options).catch((error: unknown) => {
      this.#install?.done();
      throw error;
    });
    this.#group = group;
    this.#install?.follow(group);
    this.#withheld = withheld;
    this.#handlers = handlers;
    this.#options.log.appendEvent(`Started, process ${group.pid}.`);
    this.#listen(group, handlers);
    // Closed during its start, so that no other code ends it.
    if (this.#closedByUs) await this.#end();
  }

  async send(message: Message, options?: SendOptions): Promise<void> {
    const stdin = this.#group?.child.stdin;
    if (stdin === undefined || this.#ending !== undefined || !stdin.writable) throw await this.#gone();
    if (stdin.writableLength > maxNotificationBacklogBytes && isNotification(message)) return;
    // Without another message to combine, waiting for a turn of the event loop would only delay it.
    if (options?.alone !== true) this.#gather(stdin);
    try {
      const written = writeAll(stdin, serializeMessage(message), this.#options.serverName);
      this.#countUnread(stdin);
      await written;
    } catch (error) {
      throw error instanceof AppError ? error : await this.#gone(error);
    }
  }

  setProtocolVersion(): void {
    this.#greeted = true;
  }

  setReadPaused(held: boolean): void {
    this.#paced?.stop('open', held);
  }

  /** Ends the process because the memory of its unread input is needed for others. */
  drop(): void {
    this.#giveUp('it does not read its input');
  }

  async close(): Promise<void> {
    this.#closedByUs = true;
    await this.#end();
  }

  /** The child's process id when it runs. */
  get pid(): number | undefined {
    return this.#group?.child.pid;
  }

  /** The server's container, if it runs in one. */
  get container(): StartedContainer | undefined {
    return this.#group?.container;
  }

  #listen(group: ProcessGroup, handlers: TransportHandlers): void {
    const { child } = group;
    this.#readMessages(child.stdout, handlers);
    child.stdout.once('end', () => void this.#giveUpUnlessExited(group, 'it closed its output'));
    child.stderr.on('data', (chunk: Buffer) => this.#options.log.appendStderr(chunk));
    child.stdin.on('drain', () => this.#options.budgets?.unread.set(this, 0));
    child.stdin.on('error', () => void this.#giveUpUnlessExited(group, 'it closed its input'));
    for (const stream of [child.stdout, child.stderr]) stream.on('error', () => undefined);
    // If the leader dies, the rest of its group must be ended.
    child.once('exit', () => void this.#end());
    if (group.exited) void this.#end();
  }

  #readMessages(stdout: Readable, handlers: TransportHandlers): void {
    const { maxMessageBytes, budgets } = this.#options;
    const warnings = new WarningLimit(
      (text) => handlers.onWarning(text),
      () => this.#giveUp('it prints text instead of MCP messages'),
    );
    const onMessage = (message: Message, origin?: MessageOrigin): void => {
      this.#install?.done();
      warnings.sawMessage();
      handlers.onMessage(message, origin);
    };
    const onEndless = (): void => this.#giveUp('it writes a line that does not end');
    const reader = new FrameReader({ onMessage, onWarning: (text) => warnings.add(text), onEndless }, maxMessageBytes, {
      budget: budgets?.unfinished,
      maxParsedBytes: maxParsedBytes,
    });
    let greeting = 0;
    stdout.on('data', (chunk: Buffer) => {
      greeting += this.#greeted ? 0 : chunk.length;
      if (greeting > maxHandshakeBytes) this.#giveUp('it wrote more than 1 MB before the handshake');
    });
    this.#paced = new PacedReader(stdout, reader);
    this.#paced.resume();
    stdout.once('end', () => reader.end());
    stdout.once('close', () => {
      reader.drop();
      warnings.end();
    });
  }

  #giveUp(reason: string): void {
    this.#reason ??= reason;
    this.#group?.child.stdout.destroy();
    void this.#end();
  }

  /** Combines all messages of one event loop turn, from any session, into one write. */
  #gather(stdin: Writable): void {
    if (stdin.writableCorked > 0) return;
    stdin.cork();
    setImmediate(() => stdin.uncork());
  }

  #countUnread(stdin: Writable): void {
    const { unread } = this.#options.budgets ?? {};
    if (stdin.writableLength > minCountedBytes) unread?.set(this, stdin.writableLength);
  }

  /** Ends a process whose pipe is broken. */
  async #giveUpUnlessExited(group: ProcessGroup, reason: string): Promise<void> {
    if (!group.exited) await settleWithin(once(group.child, 'exit'), exitFollowsMs);
    if (!group.exited) this.#reason ??= reason;
    await this.#end();
  }

  #end(): Promise<void> {
    if (this.#group === undefined) return Promise.resolve();
    this.#ending ??= this.#endGroup(this.#group);
    return this.#ending;
  }

  async #endGroup(group: ProcessGroup): Promise<void> {
    if (this.#closedByUs && this.#install?.isRunning === true) return this.#leaveToInstall(this.#install, group);
    const { stdin, stdout, stderr } = group.child;
    const drained = Promise.all([closed(stdout), closed(stderr)]);
    await group.end({ graceMs: this.#options.graceMs ?? 2000 });
    this.#install?.done();
    await settleWithin(drained, drainMs);
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    this.#options.budgets?.unread.set(this, 0);
    this.#options.log.end();
    this.#options.log.appendEvent(`Process ${group.pid} ${this.#endInWords(group)}.`);
    this.#handlers?.onClose(this.#closedByUs ? undefined : this.#exitError(group));
  }

  /**
   * Ending a package manager early leaves a damaged package, so it continues without us; what it starts ends with its
   * input.
   */
  #leaveToInstall(install: Install, group: ProcessGroup): void {
    const { log, graceMs = 2000 } = this.#options;
    group.isSpared = true;
    group.child.stdin.end();
    log.appendEvent(`Process ${group.pid} is downloading a package and is stopped afterwards.`);
    this.#handlers?.onClose();
    void install.ended.then(async () => {
      await group.end({ graceMs });
      log.appendEvent(
        `Process ${group.pid} has downloaded its package and ${howEnded(group.child.exitCode, group.child.signalCode)}.`,
      );
    });
  }

  #endInWords({ child }: ProcessGroup): string {
    const how = howEnded(child.exitCode, child.signalCode);
    if (this.#reason !== undefined) return `was stopped because ${this.#reason}, and ${how}`;
    return this.#closedByUs ? `was asked to exit, and ${how}` : how;
  }

  #exitError(group: ProcessGroup): AppError {
    return describeExit({
      serverName: this.#options.serverName,
      code: group.child.exitCode,
      signal: group.child.signalCode,
      reason: this.#reason,
      stderrLines: this.#options.log.linesSince(this.#saidBefore, 30),
      withheld: this.#withheld,
    });
  }

  /**
   * Waits until the end of the connection was reported, so that the cause is known and a caller that retries gets a
   * new connection.
   */
  async #gone(cause?: unknown): Promise<AppError> {
    const group = this.#group;
    if (group !== undefined && !this.#closedByUs) {
      this.#givingUp ??= this.#giveUpUnlessExited(group, 'it closed its input');
      await settleWithin(this.#givingUp, sendFailureTimeoutMs);
      if (group.exited) return this.#exitError(group);
    }
    return new AppError('server_exited', `${this.#options.serverName} is no longer running.`, { cause });
  }
}

function closed(stream: Readable): Promise<unknown> {
  return stream.closed ? Promise.resolve() : new Promise((resolve) => stream.once('close', resolve));
}

// Describes why a server's process has ended.

interface ExitFacts {
  readonly serverName: string;
  readonly code: number | null;
  readonly signal: string | null;
  /** The cause observed before the end: `it closed its output`. */
  readonly reason: string | undefined;
  /** The last lines of stderr, cleaned and masked. */
  readonly stderrLines: readonly string[];
  /** Names of the user's variables that it did not receive. */
  readonly withheld: readonly string[];
}

const maxLastWords = 5;
/** Unimportant lines in Node's error output: stack frames, single brackets, its version. */
const isNoise = /^\s+at |^[\s{}[\](),;^]*$|^Node\.js v\d/;

function describeExit(facts: ExitFacts): AppError {
  const { serverName, code, signal, reason, stderrLines } = facts;
  const what =
    reason === undefined ? `${serverName} ${howEnded(code, signal)}` : `${serverName} was stopped because ${reason}`;
  const said = stderrLines.filter((line) => !isNoise.test(line)).slice(-maxLastWords);
  const lastWords = said.length === 0 ? '.' : `. Last output: ${said.join(' ⏎ ')}`;
  const missing = missedVariable(facts);
  const damaged = damagedFolder(stderrLines);
  const usual = 'See its log for the reason. It restarts automatically.';
  return new AppError('server_exited', what + lastWords, {
    fix: missing ?? (damaged === undefined ? usual : clearing(serverName, damaged)),
    data: { code, signal, stderr: stderrLines, ...(damaged !== undefined && { damagedFolder: damaged }) },
  });
}

function clearing(server: string, folder: string): string {
  const name = /^[\w.-]+$/.test(server) ? server : JSON.stringify(server);
  return `Its npm package is incomplete. To remove ${folder} and download it again: tooltray restart ${name} --clear.`;
}

function howEnded(code: number | null, signal: string | null): string {
  return signal === null ? `exited with code ${code ?? 'unknown'}` : `was killed by ${signal}`;
}

/** The fix if the last stderr lines mention a variable of the user that the server did not receive; else undefined. */
function missedVariable({ serverName, stderrLines, withheld }: ExitFacts): string | undefined {
  const said = new Set(stderrLines.join('\n').match(/[A-Za-z_]\w*/g));
  const missed = withheld.filter((name) => said.has(name) && name.length > 2);
  if (missed.length === 0) return undefined;
  const names = missed.join(', ');
  return `It refers to ${names}, which is in your environment but not passed to it. To pass it: tooltray env ${serverName} --allow ${missed.join(',')}`;
}

// Reports lines on stdout that are not messages: the first ones in full, then only their number.

const reported = 20;
/** A program that printed this many lines without a message is not an MCP server. */
const maxNonMessageLines = 10_000;
const maxTextChars = 500;

class WarningLimit {
  readonly #report: (text: string) => void;
  readonly #giveUp: () => void;
  #count = 0;
  #messageSeen = false;

  /** `giveUp`: called once when no message can be expected. */
  constructor(report: (text: string) => void, giveUp: () => void) {
    this.#report = report;
    this.#giveUp = giveUp;
  }

  sawMessage(): void {
    this.#messageSeen = true;
  }

  add(text: string): void {
    this.#count++;
    if (this.#count <= reported) this.#report(text.length > maxTextChars ? `${text.slice(0, maxTextChars)}…` : text);
    if (this.#count === maxNonMessageLines && !this.#messageSeen) this.#giveUp();
  }

  /** Reports the number of omitted lines at the end. */
  end(): void {
    const more = this.#count - reported;
    if (more > 0) this.#report(`${formatCount(more, 'more stray line')} ${more === 1 ? 'was' : 'were'} not shown.`);
  }
}

// Writes one message to a child's stdin and waits until the system has accepted it.

/** With more unread bytes, a server counts as stuck; a single message may be larger. */
const maxUnsentBytes = 256 * 1024 * 1024;

/** Rejects with the stream's error if the reader is gone, with an AppError if it has stopped reading. */
async function writeAll(stream: Writable, pieces: readonly (string | Buffer)[], serverName: string): Promise<void> {
  if (stream.writableLength > maxUnsentBytes) {
    throw new AppError('server_timeout', `${serverName} does not read its input: 256 MB are queued.`, {
      fix: 'Restart the server.',
    });
  }
  await new Promise<void>((resolve, reject) => {
    pieces.forEach((piece, at) => {
      if (at < pieces.length - 1) stream.write(piece);
      else stream.write(piece, (error) => (error == null ? resolve() : reject(error)));
    });
  });
}
