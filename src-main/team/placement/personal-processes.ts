/**
 * Per-user processes on this replica: one per user and server, started by the first call that needs it, within limits.
 * The load balancer sends a user's requests to one replica; an advisory lock prevents two replicas from running the
 * same process while users move.
 */
import type {
  Message,
  OpenUserTransport,
  Person,
  SendOptions,
  StdioServerConfig,
  Transport,
  TransportHandlers,
} from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import { formatCount } from '../../core/base/text-format.ts';
import { maxDrainMs, type PersonLock, type PersonLocks } from './person-locks.ts';

export interface PoolLimits {
  /** Maximum processes of all users on this replica. */
  readonly maxPerReplica: number;
  readonly maxPerUser: number;
}

export interface PersonalProcessesOptions {
  /** Returns an unstarted transport. */
  readonly launch: (config: StdioServerConfig, person: Person) => Transport;
  readonly locks: Pick<PersonLocks, 'acquire'>;
  readonly limits: () => PoolLimits;
}

/** Running processes, the limit, and the number of starts refused by each limit. */
export interface PoolCounts {
  readonly running: number;
  readonly limit: number;
  readonly refused: { readonly replica: number; readonly person: number };
}

/** Share of the server's start timeout spent waiting for the lock; the rest is enough to report the reason. */
const waitShare = 0.9;

export class PersonalProcesses {
  readonly #options: PersonalProcessesOptions;
  readonly #running = new Set<PersonProcess>();
  readonly #refused = { replica: 0, person: 0 };
  #isStopped = false;

  constructor(options: PersonalProcessesOptions) {
    this.#options = options;
  }

  /**
   * Returns a transport to one user's process. Its start rejects with AppError `server_starting`,
   * `server_not_started`,
   * `store_unreachable`.
   */
  readonly open: OpenUserTransport = (config, person) =>
    new PersonProcess({
      config,
      person,
      begin: (process) => this.#begin(process),
      end: (one) => this.#running.delete(one),
    });

  get counts(): PoolCounts {
    return { running: this.#running.size, limit: this.#options.limits().maxPerReplica, refused: { ...this.#refused } };
  }

  /** Number of users with a process of each server here. */
  get people(): ReadonlyMap<string, number> {
    const byServer = Map.groupBy(this.#running, ({ config }) => config.name);
    return new Map([...byServer].map(([server, all]) => [server, all.length]));
  }

  /** Whether this user has a process of this server here. */
  has({ user }: Person, server: string): boolean {
    return [...this.#running].some((one) => one.config.name === server && one.isOf({ user }));
  }

  usersOf(): readonly string[] {
    return [...new Set([...this.#running].map(({ person }) => person.user))];
  }

  /** Ends all of a user's processes, or those started with one of these values. Never rejects. */
  async personChanged(person: Person, values?: readonly string[]): Promise<void> {
    const theirs = [...this.#running].filter(
      (one) => one.isOf(person) && (values === undefined || isGiven(one.config, values)),
    );
    await Promise.all(theirs.map((one) => one.lose()));
  }

  /** Ends every process and starts no more. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#running].map((one) => one.lose()));
  }

  async #begin(process: PersonProcess): Promise<{ readonly transport: Transport; readonly lock: PersonLock }> {
    const { launch, locks } = this.#options;
    const { config, person } = process;
    if (this.#isStopped)
      throw new AppError(
        'server_starting',
        `${config.name} did not start: this replica of Tooltray is shutting down.`,
        {
          fix: 'Try again in a few seconds.',
        },
      );
    this.#requireCapacity(config.name, person);
    this.#running.add(process);
    const waitMs = Math.min(maxDrainMs, waitShare * config.initTimeoutMs);
    const lock = await locks.acquire(person, config.name, () => void process.lose(), waitMs);
    return { transport: launch(config, person), lock };
  }

  #requireCapacity(server: string, person: Person): void {
    const { maxPerUser, maxPerReplica } = this.#options.limits();
    if (this.#running.size >= maxPerReplica) {
      this.#refused.replica++;
      throw new AppError(
        'server_not_started',
        `${server} did not start: this replica runs ${formatCount(maxPerReplica, 'server')} of its users, which is the limit (userProcesses.maxPerReplica).`,
        { fix: 'Try again in a few minutes; an administrator can add a replica or raise the limit.' },
      );
    }
    const own = [...this.#running].filter((one) => one.isOf(person)).map(({ config }) => config.name);
    if (own.length < maxPerUser) return;
    this.#refused.person++;
    throw new AppError(
      'server_not_started',
      `${server} did not start: you have ${own.sort().join(', ')} running, and ${formatCount(maxPerUser, 'server')} at a time is the limit (userProcesses.maxPerUser).`,
      { fix: 'Idle servers stop automatically. Try again later.' },
    );
  }
}

interface PersonProcessParts {
  readonly config: StdioServerConfig;
  readonly person: Person;
  readonly begin: (process: PersonProcess) => Promise<{ readonly transport: Transport; readonly lock: PersonLock }>;
  /** Called once, when the process has ended. */
  readonly end: (process: PersonProcess) => void;
}

class PersonProcess implements Transport {
  readonly #parts: PersonProcessParts;
  #transport: Transport | undefined;
  #lock: PersonLock | undefined;
  #isClosed = false;
  #isLost = false;
  #onClose: TransportHandlers['onClose'] | undefined;

  constructor(parts: PersonProcessParts) {
    this.#parts = parts;
  }

  get config(): StdioServerConfig {
    return this.#parts.config;
  }

  get person(): Person {
    return this.#parts.person;
  }

  isOf({ user }: Person): boolean {
    return this.person.user === user;
  }

  async start(handlers: TransportHandlers): Promise<void> {
    try {
      const { transport, lock } = await this.#parts.begin(this);
      this.#lock = lock;
      if (this.#isClosed || this.#isLost)
        throw new AppError('cancelled', 'The connection was closed before it was open.');
      this.#transport = transport;
      this.#onClose = (error) => handlers.onClose(error);
      await transport.start({
        onMessage: (message, origin) => handlers.onMessage(message, origin),
        onWarning: (text) => handlers.onWarning(text),
        onClose: (error) => {
          void this.#end();
          this.#reportClosed(error);
        },
      });
    } catch (error) {
      await this.#end();
      throw error;
    }
  }

  async send(message: Message, options?: SendOptions): Promise<void> {
    if (this.#transport === undefined) throw new AppError('internal', 'The connection is not open yet.');
    await this.#transport.send(message, options);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#transport?.close();
    if (this.#transport !== undefined) await this.#end();
  }

  /**
   * Ends it even if in use; callers get the reason. Requests from now on start another process, as soon as this one has
   * ended. Never rejects.
   */
  async lose(): Promise<void> {
    this.#isLost = true;
    if (!this.#isClosed) this.#reportClosed(ended(this.config.name));
    await this.#transport?.close();
  }

  #reportClosed(error: Error | undefined): void {
    const onClose = this.#onClose;
    this.#onClose = undefined;
    onClose?.(error);
  }

  setProtocolVersion(version: string): void {
    this.#transport?.setProtocolVersion?.(version);
  }

  setReadPaused(held: boolean): void {
    this.#transport?.setReadPaused?.(held);
  }

  /** The lock is released after the process has ended, so that another replica may start one. */
  async #end(): Promise<void> {
    const lock = this.#lock;
    this.#lock = undefined;
    await lock?.release();
    this.#parts.end(this);
  }
}

/** Error for a process that ended during a call: the caller should check before repeating it. */
function ended(server: string): AppError {
  return new AppError('server_exited', `${server}: your process ended during the call.`, {
    fix: 'The call may have taken effect. Check before you retry.',
  });
}

function isGiven({ args, command, env }: StdioServerConfig, values: readonly string[]): boolean {
  const said = [command, ...args, ...Object.values(env)];
  return values.some((name) => said.some((text) => text.includes(`\${user:${name}}`)));
}
