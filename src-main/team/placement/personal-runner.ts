/**
 * Keeps the processes of single people on this replica, where it has the role `runner`: one for each person and server, begun when the
 * first line comes for it, within limits. Lines come from this replica's own front, or over the inner door from another's.
 */
import { AppError } from '../../core/base/errors.ts';
import { count } from '../../core/base/wording.ts';
import type { StdioServerConfig } from '../../core/config/app-config.ts';
import type { Person } from '../../core/servers/personal-lines.ts';
import type { ClientIdentity } from '../../core/wire/eras.ts';
import type { Transport } from '../../core/wire/transport.ts';
import { gone, PersonalChild } from './personal-child.ts';
import type { ProcessGuard } from './process-guard.ts';

/** The right to run one person's process of one server, here and nowhere else at that time. */
export interface Hold {
  /** Aborted when the process has to end now, before anybody else may have it. */
  readonly over: AbortSignal;
  /** Asked before anything of the process is passed on: a replica that slept may have missed the end. */
  readonly isOver: () => boolean;
  /** Told now and whenever it is put off: how long the process may run from then on, in ms. */
  follow(onRenewed: (ms: number) => void): void;
  /** The process has ended. Never rejects. */
  release(): Promise<void>;
}

export interface PersonalRunnerOptions {
  readonly identity: ClientIdentity;
  /** As this replica's config has it; undefined: there is none, or it is off. */
  readonly find: (server: string) => StdioServerConfig | undefined;
  /** The process of one person, not started; its id is told once it runs. */
  readonly launch: (config: StdioServerConfig, person: Person, onStarted: (pid: number) => void) => Transport;
  /** Ends what we could not. */
  readonly guard: Pick<ProcessGuard, 'allow' | 'forget'>;
  /** Rejects with AppError where another runner has it. */
  readonly hold: (person: Person, server: string) => Promise<Hold>;
  readonly limits: () => PersonalLimits;
  readonly now: () => number;
}

export interface PersonalLimits {
  readonly idleMs: number;
  /** Processes of one person on this runner. */
  readonly mostPerPerson: number;
  /** Of all people. */
  readonly most: number;
}

interface Running {
  readonly person: Person;
  readonly config: StdioServerConfig;
  readonly child: Promise<PersonalChild>;
}

export class PersonalRunner {
  readonly #options: PersonalRunnerOptions;
  readonly #running = new Map<string, Running>();
  #stopped = false;

  constructor(options: PersonalRunnerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Takes a line on to a person's process of a server, begun if need be. Rejects with AppError why it cannot be had; the line is not touched then. */
  async serve(line: Transport, person: Person, server: string): Promise<void> {
    const child = await this.#childOf(person, server);
    await child.serve(line);
  }

  /** The config has changed: what is not as its entry is any more ends. Never rejects. */
  async configChanged(): Promise<void> {
    const stale = [...this.#running.values()].filter(
      ({ config }) => this.#options.find(config.name)?.hash !== config.hash,
    );
    await Promise.all(stale.map((one) => end(one)));
  }

  /** Ends what one person's value was given to. Never rejects. */
  async personChanged({ tenant, user }: Person): Promise<void> {
    const theirs = [...this.#running.values()].filter(({ person }) => person.tenant === tenant && person.user === user);
    await Promise.all(theirs.map((one) => end(one)));
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#running.values()].map((one) => end(one)));
  }

  async #childOf(person: Person, server: string): Promise<PersonalChild> {
    if (this.#stopped) throw new AppError('server_not_started', 'This runner is being stopped.');
    const config = this.#options.find(server);
    if (config === undefined) throw new AppError('server_disabled', `${server} is not in use on this runner.`);
    const key = JSON.stringify([person.tenant, person.user, server]);
    const known = this.#running.get(key);
    if (known !== undefined && known.config.hash === config.hash) return known.child;
    if (known !== undefined) {
      await end(known);
      return this.#childOf(person, server);
    }
    this.#assertRoom(person, server);
    const forget = (): void => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    };
    const running: Running = { person, config, child: this.#begin(config, person, forget) };
    this.#running.set(key, running);
    running.child.catch(forget);
    return running.child;
  }

  async #begin(config: StdioServerConfig, person: Person, forget: () => void): Promise<PersonalChild> {
    const { guard, hold: holdOf, identity, launch, limits, now } = this.#options;
    const hold = await holdOf(person, config.name);
    let leader: number | undefined;
    const started = (pid: number): void => {
      leader = pid;
      hold.follow((ms) => guard.allow(pid, ms));
    };
    const child = new PersonalChild({
      server: config.name,
      transport: launch(config, person, started),
      identity,
      initTimeoutMs: config.initTimeoutMs,
      idleMs: config.idleStopMs ?? limits().idleMs,
      now,
      mayAnswer: () => !hold.isOver(),
      onGone: () => {
        forget();
        hold.follow(() => undefined);
        if (leader !== undefined) guard.forget(leader);
        void hold.release();
      },
    });
    const endNow = (): void => void child.end(gone(config.name));
    if (hold.over.aborted || this.#stopped) endNow();
    else hold.over.addEventListener('abort', endNow, { once: true });
    return child;
  }

  #assertRoom(person: Person, server: string): void {
    const { most, mostPerPerson } = this.#options.limits();
    const all = [...this.#running.values()];
    const theirs = all.filter((one) => one.person.tenant === person.tenant && one.person.user === person.user);
    if (theirs.length >= mostPerPerson) {
      const names = theirs.map(({ config }) => config.name).join(', ');
      throw new AppError(
        'server_not_started',
        `${server} did not start: you have ${count(theirs.length, 'server')} running (${names}), which is the limit.`,
        {
          fix: 'They end when they are not used for a while: try again then.',
        },
      );
    }
    if (all.length >= most) {
      throw new AppError(
        'server_not_started',
        `${server} did not start: this runner has ${count(all.length, 'server')} of its people running, which is the limit.`,
        {
          fix: 'Try again in a few minutes; whoever runs Tooltray can add a replica.',
        },
      );
    }
  }
}

async function end({ child, config }: Running): Promise<void> {
  await child.then(
    (one) => one.end(gone(config.name)),
    () => undefined,
  );
}
