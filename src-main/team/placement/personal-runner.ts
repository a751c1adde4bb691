/**
 * Keeps the processes of single people on this replica, where it has the role `runner`: one for each person and server, begun when the
 * first line comes for it, within limits. Lines come from this replica's own front, or over the inner door from another's.
 */
import { AppError } from '../../core/base/errors.ts';
import { within } from '../../core/base/within.ts';
import { count } from '../../core/base/wording.ts';
import type { StdioServerConfig } from '../../core/config/app-config.ts';
import type { StartedContainer } from '../../core/servers/launch/process-group.ts';
import type { Person } from '../../core/servers/personal-lines.ts';
import type { ClientIdentity } from '../../core/wire/eras.ts';
import type { Transport } from '../../core/wire/transport.ts';
import { nextOne } from './find-runner.ts';
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

/** Where it is in a container, that one goes on though the process is killed. */
export type OnStarted = (pid: number, container: StartedContainer | undefined) => void;

export interface PersonalRunnerOptions {
  readonly identity: ClientIdentity;
  /** As this replica's config has it; undefined: there is none, or it is off. */
  readonly find: (server: string) => StdioServerConfig | undefined;
  /** The process of one person, not started; its id is told once it runs, and the container that it has. */
  readonly launch: (config: StdioServerConfig, person: Person, onStarted: OnStarted) => Transport;
  /** Ends what we could not. */
  readonly guard: Pick<ProcessGuard, 'allow' | 'forget'>;
  /** Rejects with AppError where another runner has it. */
  readonly hold: (person: Person, server: string) => Promise<Hold>;
  readonly limits: () => PersonalLimits;
  readonly now: () => number;
}

export interface PersonalLimits {
  readonly idleMs: number;
  /** Processes of all people on this runner. */
  readonly most: number;
}

/** How many processes there are here, how many there may be, and how many were not begun for each limit. */
export interface PersonalCounts {
  readonly running: number;
  readonly most: number;
  readonly refused: { readonly runner: number; readonly person: number };
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
  #refused = 0;

  constructor(options: PersonalRunnerOptions) {
    this.#options = options;
  }

  /** Processes that were not begun because there are as many as there may be. */
  get refused(): number {
    return this.#refused;
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

  /** Those of a tenant who have a process here. */
  usersOf(tenant: string): readonly string[] {
    const here = [...this.#running.values()].filter(({ person }) => person.tenant === tenant);
    return [...new Set(here.map(({ person }) => person.user))];
  }

  /** Ends what is one person's: all of it, or what was begun with one of these values of theirs. Never rejects. */
  async personChanged({ tenant, user }: Person, values?: readonly string[]): Promise<void> {
    const theirs = [...this.#running.values()].filter(
      ({ config, person }) =>
        person.tenant === tenant && person.user === user && (values === undefined || isGiven(config, values)),
    );
    await Promise.all(theirs.map((one) => end(one)));
  }

  /** Begins nothing new; each process ends when its calls are answered, or after so long, in ms. Never rejects. */
  async drain(mostMs: number): Promise<void> {
    this.#stopped = true;
    const left = Promise.all(
      [...this.#running.values()].map(({ child }) =>
        child.then(
          (one) => one.leave(),
          () => undefined,
        ),
      ),
    );
    await within(left, mostMs);
    await this.stop();
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#running.values()].map((one) => end(one)));
  }

  async #childOf(person: Person, server: string): Promise<PersonalChild> {
    if (this.#stopped)
      throw new AppError('server_starting', `${server} did not start: its runner is about to end.`, {
        fix: 'Try again in a few seconds.',
        data: nextOne('ending'),
      });
    const config = this.#options.find(server);
    if (config === undefined) throw new AppError('server_disabled', `${server} is not in use on this runner.`);
    const key = JSON.stringify([person.tenant, person.user, server]);
    const known = this.#running.get(key);
    if (known !== undefined && known.config.hash === config.hash) return known.child;
    if (known !== undefined) {
      await end(known);
      return this.#childOf(person, server);
    }
    this.#assertRoom(server);
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
    const started: OnStarted = (pid, container) => {
      leader = pid;
      hold.follow((ms) => guard.allow(pid, ms, container));
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
    // What is being drained may still be of use to whoever waits for it.
    if (hold.over.aborted) endNow();
    else hold.over.addEventListener('abort', endNow, { once: true });
    return child;
  }

  #assertRoom(server: string): void {
    const { most } = this.#options.limits();
    if (this.#running.size < most) return;
    this.#refused++;
    throw new AppError(
      'server_not_started',
      `${server} did not start: this runner has ${count(most, 'server')} of its people running, which is the limit (personal.perRunner).`,
      {
        fix: 'Try again in a few minutes; whoever runs Tooltray can add a runner, or raise the limit.',
        data: nextOne('full'),
      },
    );
  }
}

async function end({ child, config }: Running): Promise<void> {
  await child.then(
    (one) => one.end(gone(config.name)),
    () => undefined,
  );
}

function isGiven({ args, command, env }: StdioServerConfig, values: readonly string[]): boolean {
  const said = [command, ...args, ...Object.values(env)];
  return values.some((name) => said.some((text) => text.includes(`\${user:${name}}`)));
}
