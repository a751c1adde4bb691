/** A replica among the others: what it is known by, what it passes on, what is brought to it, and its end. Composition; no logic. */
import type { Database } from '../database/database.ts';
import type { Changes } from '../database/changes.ts';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import type { HttpSettings } from '../../core/config/app-config.ts';
import type { HttpListener } from '../../core/sessions/http/http-listener.ts';
import type { Replicas } from '../../host/team-seams.ts';
import type { TeamKeys } from '../records/team-keys.ts';
import { InnerDoor, type TakeLine } from './inner-door.ts';
import { InnerQuestions } from './inner-questions.ts';
import { PassOn } from './pass-on.ts';
import { PassReader } from './passes.ts';
import { ReplicaRegistry, replicasTopic } from './replica-registry.ts';
import type { ReplicaRole } from './replica-role.ts';
import { Reach } from './reach.ts';
import { Router } from './router.ts';
import { SealedIds } from './sealed-ids.ts';
import { type Seals, sealsFor } from './seals.ts';
import { SharedSessions } from './shared-sessions.ts';

/** What a replica is to the others. */
export interface ReplicaPlace {
  /** What people call it; letters, digits and dashes. */
  readonly name: string;
  /** What it is there for; `all` where it is absent. */
  readonly role?: ReplicaRole | undefined;
  /** Where the other replicas reach this one: an address of this machine and a port; 0 takes any free one. */
  readonly inner: { readonly host: string; readonly port: number };
  /** What the others are told instead, where they reach it by another name; `host:port`. */
  readonly innerAddress?: string | undefined;
  /** How long it is taken to be there without a word, and how often it says so, in ms. */
  readonly leaseMs?: number;
  readonly beatMs?: number;
  /** How long it goes on as before when it is to end, until no balancer sends it anything, in ms. */
  readonly noticeMs?: number;
}

interface ReplicaParts extends ReplicaPlace {
  readonly tenant: string;
  readonly keys: TeamKeys;
  readonly version: string;
  readonly database: Database;
  /** Tells of changes, and is started by whoever made it. */
  readonly changes: Pick<Changes, 'changed'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly limits: () => HttpSettings;
  /** Of its config as it is now. */
  readonly config: () => string;
  /** What a call sends is held against what calls before it read. */
  readonly remembersReading: () => boolean;
}

/** A balancer looks every two seconds, and believes the third look. */
const usualNoticeMs = 6_000;

export class OpenReplicas implements Replicas {
  readonly registry: ReplicaRegistry;
  readonly ids: SealedIds;
  readonly book: SharedSessions;
  readonly passOn: PassOn;
  /** Of whoever waits for another one. */
  readonly reach: Reach;
  /** Of what one of them alone has. */
  readonly questions: InnerQuestions;
  /** Of what replicas say to each other. */
  readonly seals: Seals;
  readonly #router: Router;
  readonly #inner: InnerDoor;
  readonly #options: ReplicaParts;
  readonly #stops: (() => void)[] = [];
  #listener: HttpListener | undefined;
  #takeLine: TakeLine | undefined;

  /** Throws AppError bad_request for a name that is none. */
  constructor(options: ReplicaParts) {
    const { database, keys, limits, log, changes, tenant } = options;
    this.#options = options;
    this.registry = new ReplicaRegistry({ ...options, role: this.role, sql: database.shared, log });
    const { registry } = this;
    const seals = sealsFor(keys, 'passes');
    this.seals = seals;
    this.ids = new SealedIds({
      replica: registry.id,
      seals: sealsFor(keys, 'ids'),
      isLive: (id) => registry.isLive(id),
    });
    this.book = new SharedSessions({
      ...{ database, log, replica: registry.id },
      idleMs: () => limits().sessionIdleMinutes * 60_000,
    });
    this.reach = new Reach({ registry });
    this.passOn = new PassOn(seals, () => registry.now, this.reach);
    this.questions = new InnerQuestions({ seals, now: () => registry.now, reach: this.reach });
    const listener = (): HttpListener | undefined => this.#listener;
    this.#router = new Router({
      ...{ ids: this.ids, registry, sessions: this.book, passOn: this.passOn, listener, log },
      remembersReading: options.remembersReading,
    });
    this.#inner = new InnerDoor({
      ...options.inner,
      replica: registry.id,
      ...{ listener, log, tenant, questions: this.questions },
      takeLine: () => this.#takeLine,
      passes: new PassReader(seals, registry.id, () => registry.now),
      isClaimed: (id) => this.book.isClaimed(id),
      heard: (id) => this.book.heard(id),
      mostBytes: () => limits().bodyMB * 1024 * 1024,
    });
    this.#stops.push(
      changes.changed.on(({ topic }) => {
        if (topic === replicasTopic) void registry.refresh();
      }),
      registry.lapsed.on(() => void this.#letGoOfLost()),
    );
  }

  get role(): ReplicaRole {
    return this.#options.role ?? 'all';
  }

  /** Who has the lines from now on that others want to people's processes. */
  takeLines(take: TakeLine): void {
    this.#takeLine = take;
  }

  /** Opens the inner door for what `listener` has, then says that it is there. Rejects with AppError port_in_use, store_unreachable. */
  async start(listener: HttpListener): Promise<void> {
    this.#listener = listener;
    const opened = await this.#inner.start();
    await this.registry.start(this.#options.innerAddress ?? opened);
  }

  readonly newSessionId: Replicas['newSessionId'] = (person) => {
    const id = this.ids.make('session', person);
    this.book.expect(id, person);
    return id;
  };

  readonly route: Replicas['route'] = (asked, person) => this.#router.route(asked, person);

  /** It ends, and opens nothing new. */
  get isDraining(): boolean {
    return this.#router.isDraining;
  }

  /** Nothing new is opened here; resolves when all calls are answered and all sessions handed over, or that has taken too long. */
  async drain(): Promise<void> {
    // No balancer knows of a runner.
    const { noticeMs = this.role === 'runner' ? 0 : usualNoticeMs } = this.#options;
    this.#router.drain();
    await this.registry.drain();
    await this.#listener?.drain(noticeMs);
  }

  /** After the listener's own end. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.book.stop();
    await this.registry.stop();
    await this.#inner.stop();
    this.passOn.stop();
  }

  async #letGoOfLost(): Promise<void> {
    try {
      const lost = await this.book.lost();
      if (lost.size > 0) await this.#listener?.letGo((id) => lost.has(id));
    } catch (error) {
      this.#options.log.warn(`Whose the sessions are now could not be read: ${errorText(error)}`);
    }
  }
}
