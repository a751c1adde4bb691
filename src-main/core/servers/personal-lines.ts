/**
 * The lines to one server that belong to one person each, in a team: opened when that person first needs the server, and theirs whatever
 * app they come from. Who keeps a process at the other end ends it when nobody uses it; one to an address is closed here.
 */
import { type AppError, errorText, toAppError } from '../base/errors.ts';
import type { Person } from '../security/principal.ts';
import type { Connection } from './connection.ts';
import { ServerSubscriptions } from './server-subscriptions.ts';

export type { Person } from '../security/principal.ts';

/** `handshakes`: beside the usual one, in the handshake era, for apps of it where the usual one speaks 2026-07-28. */
export type LineKind = 'usual' | 'handshakes';

interface PersonalLinesOptions {
  /** `closed` is to be called when it ends. */
  readonly open: (person: Person, closed: () => void, kind: LineKind) => Promise<Connection>;
  readonly onOpen: (connection: Connection) => void;
  readonly onClose: (connection: Connection) => void;
  /** A line that nobody used for so long is closed, in ms; undefined: that is seen to at the other end. */
  readonly idleMs?: number | undefined;
  /** In ms, of any clock that only goes forward. */
  readonly now?: () => number;
}

export class PersonalLines {
  readonly #options: PersonalLinesOptions;
  readonly #lines = new Map<string, PersonalLine>();
  #idle: NodeJS.Timeout | undefined;

  constructor(options: PersonalLinesOptions) {
    this.#options = options;
  }

  /** Rejects with the reason it cannot be had. */
  get(person: Person, kind: LineKind = 'usual'): Promise<Connection> {
    return this.#line(person, kind).get();
  }

  /** What this person's sessions want to hear. */
  subscriptions(person: Person): ServerSubscriptions {
    return this.#line(person, 'usual').subscriptions;
  }

  /** The sessions that want to hear of a resource, of all people: what is heard on a line is told to its person's alone. */
  sessions(uri: string): readonly string[] {
    return [...this.#lines.values()].flatMap(({ subscriptions }) => [...subscriptions.sessions(uri)]);
  }

  /** Whose line it is; undefined: none of these. */
  whose(connection: Connection): Person | undefined {
    return [...this.#lines.values()].find((line) => line.connection === connection)?.person;
  }

  /** Those that are open. */
  get connections(): readonly Connection[] {
    return [...this.#lines.values()].flatMap(({ connection }) => connection ?? []);
  }

  endSession(sessionId: string): void {
    for (const { subscriptions } of this.#lines.values()) subscriptions.endSession(sessionId);
  }

  /** Until they ask again. Never rejects. */
  async close(person: Person): Promise<void> {
    await Promise.all(lineKinds.map(async (kind) => this.#lines.get(keyOf(person, kind))?.close()));
  }

  /** Until somebody asks again. Never rejects. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.close()));
  }

  #line(person: Person, kind: LineKind): PersonalLine {
    const key = keyOf(person, kind);
    const known = this.#lines.get(key);
    if (known !== undefined) return known;
    const forget = (): void => {
      this.#lines.delete(key);
      if (this.#lines.size === 0) this.#stopLooking();
    };
    const line = new PersonalLine({ tenant: person.tenant, user: person.user }, kind, this.#options, forget);
    this.#lines.set(key, line);
    this.#keepLooking();
    return line;
  }

  #keepLooking(): void {
    const { idleMs } = this.#options;
    if (idleMs === undefined || this.#idle !== undefined) return;
    this.#idle = setInterval(() => this.#closeIdle(idleMs), Math.max(10, idleMs / 4)).unref();
  }

  #stopLooking(): void {
    clearInterval(this.#idle);
    this.#idle = undefined;
  }

  #closeIdle(idleMs: number): void {
    for (const line of this.#lines.values()) if (line.idleFor >= idleMs) void line.close();
  }
}

const lineKinds: readonly LineKind[] = ['usual', 'handshakes'];

function keyOf({ tenant, user }: Person, kind: LineKind = 'usual'): string {
  return JSON.stringify([tenant, user, kind]);
}

class PersonalLine {
  readonly person: Person;
  readonly subscriptions: ServerSubscriptions;
  readonly #kind: LineKind;
  readonly #options: PersonalLinesOptions;
  readonly #forget: () => void;
  readonly #now: () => number;
  #opening: Promise<Connection> | undefined;
  #connection: Connection | undefined;
  #usedAt: number;

  constructor(person: Person, kind: LineKind, options: PersonalLinesOptions, forget: () => void) {
    this.#kind = kind;
    this.#now = options.now ?? (() => performance.now());
    this.#usedAt = this.#now();
    this.person = person;
    this.#options = options;
    this.#forget = forget;
    this.subscriptions = new ServerSubscriptions(
      () => this.#connection,
      () => undefined,
    );
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  get(): Promise<Connection> {
    this.#usedAt = this.#now();
    this.#opening ??= this.#begin();
    return this.#opening;
  }

  /** How long nobody has used it, in ms; calls in flight use it, and whoever wants to hear of a resource. */
  get idleFor(): number {
    const isOpening = this.#opening !== undefined && this.#connection === undefined;
    const isBusy = isOpening || (this.#connection?.inFlight ?? 0) > 0 || this.subscriptions.isUsed;
    if (isBusy) this.#usedAt = this.#now();
    return this.#now() - this.#usedAt;
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#drop(opening);
    await opening?.then(
      (connection) => connection.close(),
      () => undefined,
    );
  }

  #begin(): Promise<Connection> {
    const opening: Promise<Connection> = Promise.resolve().then(() =>
      this.#options.open(this.person, () => this.#drop(opening), this.#kind),
    );
    opening.then(
      (connection) => {
        if (this.#opening !== opening) return;
        this.#connection = connection;
        if (connection.handshake !== undefined) this.subscriptions.opened(connection.handshake);
        // What all are shown is what apps without a handshake are.
        if (this.#kind === 'usual') this.#options.onOpen(connection);
      },
      () => this.#drop(opening),
    );
    return opening;
  }

  /** What somebody wants to hear is asked for again on the next one. */
  #drop(opening: Promise<Connection> | undefined): void {
    if (opening === undefined || this.#opening !== opening) return;
    const connection = this.#connection;
    this.#opening = undefined;
    this.#connection = undefined;
    if (connection !== undefined) this.#options.onClose(connection);
    if (!this.subscriptions.isUsed) this.#forget();
  }
}

/** Why lists could not be read. */
export interface LookFailure {
  readonly error: AppError;
  readonly failures: number;
  /** In ms since 1970. */
  readonly retryAt: number;
}

interface FirstLookOptions {
  /** Opens this person's line and reads what is listed there. */
  readonly look: (person: Person) => Promise<void>;
  readonly onEnd: () => void;
  readonly onOddity: (text: string) => void;
}

/** What a server lists that nobody has used yet: read from the process of whoever comes first; one that fails says why, and the next one tries. */
export class FirstLook {
  readonly #options: FirstLookOptions;
  #person: Person | undefined;
  #looking: Promise<void> | undefined;
  #failure: LookFailure | undefined;
  /** Who has to sign in first: nothing is tried with them before. */
  readonly #signedOut = new Set<string>();

  constructor(options: FirstLookOptions) {
    this.#options = options;
  }

  /** Why the last one came to nothing, as a server's state has it. */
  get failure(): LookFailure | undefined {
    return this.#failure;
  }

  /** Somebody has come. Never throws. */
  at(person: Person): void {
    if (this.#signedOut.has(keyOf(person))) return;
    this.#person = person;
    void this.again()?.catch(() => undefined);
  }

  /** They have signed in, or out. */
  changed(person: Person): void {
    this.#signedOut.delete(keyOf(person));
  }

  /** With whoever came last; undefined: nobody has. Rejects with the reason that nothing came of it. */
  again(): Promise<void> | undefined {
    const person = this.#person;
    if (person === undefined) return undefined;
    return (this.#looking ??= this.#look(person).finally(() => {
      this.#looking = undefined;
      this.#options.onEnd();
    }));
  }

  async #look(person: Person): Promise<void> {
    try {
      await this.#options.look(person);
      this.#failure = undefined;
      this.#person = undefined;
    } catch (error) {
      const failures = (this.#failure?.failures ?? 0) + 1;
      const failure = toAppError(error);
      if (failure.code === 'server_unauthorized') this.#mustSignIn(person);
      this.#failure = { error: failure, failures, retryAt: Date.now() };
      this.#options.onOddity(errorText(error));
      throw error;
    }
  }

  #mustSignIn(person: Person): void {
    this.#signedOut.add(keyOf(person));
    if (this.#person === person) this.#person = undefined;
  }
}
