/**
 * Sign-ins that no config entry leads to any more, because the entry was removed by hand or has another address. They
 * are revoked after a delay: an editor saves in steps, and a file that was swapped for another may come back. A small
 * file holds which ones there are and since when, so that a restarted core continues counting; it holds only names and
 * fingerprints.
 */
import { existsSync } from 'node:fs';
import { isObject, objectOrEmpty } from '../base/json.ts';
import { FileJsonDocument } from '../base/json-document.ts';
import type { Log } from '../base/log.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { OAuthManager } from '../servers/oauth/oauth-manager.ts';
import { movedMessage, removalMessage, awaitSignOut } from './server-cleanup.ts';
import type { UserEdits } from './user-edits.ts';

export interface OrphanedSignInsDeps {
  readonly file: string;
  readonly config: Pick<ConfigStore, 'current' | 'changed' | 'path'>;
  readonly edits: Pick<UserEdits, 'rawEntries'>;
  readonly signIns: OAuthManager;
  /** Called when a sign-in was revoked, for the audit. */
  readonly onSignedOut: (server: string, sentence: string) => void;
  readonly log: Log;
  /** How long an entry must be missing, in ms (default: an hour). */
  readonly standMs?: number;
}

interface Known {
  readonly key: string;
  readonly server: string;
  /** ms since the epoch; absent: an entry uses it. */
  readonly goneSince?: number;
}

/** Known sign-ins by config path, because other config files in the same home have their own entries. */
type Book = Readonly<Record<string, readonly Known[]>>;

/** Limits for tracked sign-ins of a config, and for configs: the oldest entries are removed first. */
const maxTrackedSignIns = 1000;
const maxConfigs = 100;
const hourMs = 60 * 60_000;

export class OrphanedSignIns {
  readonly #parts: OrphanedSignInsDeps;
  readonly #document: FileJsonDocument;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: OrphanedSignInsDeps) {
    this.#parts = parts;
    this.#document = new FileJsonDocument(parts.file, '{}');
  }

  /** Returns a function that stops it. */
  watch(): () => void {
    const stop = this.#parts.config.changed.on(() => this.#look());
    this.#look();
    return () => {
      this.#stopped = true;
      stop();
      clearTimeout(this.#timer);
    };
  }

  /** Checks run one after another; a failure is retried at the next change or start. */
  #look(): void {
    this.#turn = this.#turn
      .then(() => this.#settle())
      .catch((error: unknown) => this.#parts.log.warn('Could not determine orphaned sign-ins.', { error }));
  }

  async #settle(): Promise<void> {
    const { file, standMs = hourMs } = this.#parts;
    const current = this.#current();
    if (this.#stopped || (current.length === 0 && !existsSync(file))) return;
    const now = Date.now();
    const [mine, others] = await this.#update((known) => merge(known, current, now));
    const gone = mine.filter(({ goneSince }) => goneSince !== undefined);
    const due = gone.filter(({ goneSince = now }) => now - goneSince >= standMs);
    const left: string[] = [];
    for (const one of due) if (await this.#leave(one, others)) left.push(one.key);
    if (left.length > 0) await this.#update((known) => known.filter(({ key }) => !left.includes(key)));
    const next = gone.filter((one) => !due.includes(one)).map(({ goneSince = now }) => goneSince + standMs - now);
    clearTimeout(this.#timer);
    // Sign-ins that were due and remain belong to an entry that exists but cannot be used: checked after a change.
    if (next.length > 0 && !this.#stopped) this.#timer = setTimeout(() => this.#look(), Math.min(...next)).unref();
  }

  #current(): readonly Known[] {
    const { config, signIns } = this.#parts;
    return config.current.servers.flatMap((server) => {
      const key = signIns.find(server)?.key;
      return key === undefined ? [] : { key, server: server.name };
    });
  }

  /** Returns whether the sign-in was revoked. */
  async #leave({ key, server }: Known, others: ReadonlySet<string>): Promise<boolean> {
    const { config, edits, signIns, onSignedOut } = this.#parts;
    if (others.has(key)) return true;
    const isUsable = config.current.servers.some(({ name }) => name === server);
    const isWritten = isUsable
      ? false
      : await edits.rawEntries([server]).then(
          (written) => written.get(server) !== undefined,
          () => true,
        );
    if (isWritten) return false;
    const how = await awaitSignOut(await signIns.signOutRemoved(key, server));
    if (how !== 'nothing') onSignedOut(server, isUsable ? movedMessage(server, how) : removalMessage(server, how, []));
    return true;
  }

  /** Returns this config's updated sign-ins, and the keys of sign-ins that other configs use. */
  async #update(change: (known: readonly Known[]) => readonly Known[]): Promise<[readonly Known[], Set<string>]> {
    const { path } = this.#parts.config;
    return this.#document.change((value) => {
      const book = bookIn(value);
      const before = book[path] ?? [];
      const theirs = Object.entries(book)
        .filter(([other]) => other !== path)
        .slice(1 - maxConfigs);
      const next = change(before).slice(-maxTrackedSignIns);
      const others = theirs.flatMap(([, known]) => known);
      const used = new Set(others.flatMap(({ key, goneSince }) => (goneSince === undefined ? key : [])));
      const isSame = JSON.stringify(next) === JSON.stringify(before);
      return [isSame ? value : Object.fromEntries([...theirs, [path, next]]), [next, used]];
    });
  }
}

/** A sign-in of an existing entry is not orphaned; a known one without an entry is orphaned from now on. */
function merge(known: readonly Known[], current: readonly Known[], now: number): readonly Known[] {
  const keys = new Set(current.map(({ key }) => key));
  const gone = known.filter(({ key }) => !keys.has(key)).map((one) => ({ goneSince: now, ...one }));
  return [...gone, ...current];
}

/** Treats unreadable content as empty. */
function bookIn(value: unknown): Book {
  const books = Object.entries(objectOrEmpty(value));
  return Object.fromEntries(books.map(([path, known]) => [path, Array.isArray(known) ? known.filter(isKnown) : []]));
}

function isKnown(value: unknown): value is Known {
  if (!isObject(value)) return false;
  const { key, server, goneSince } = value;
  const isTime = goneSince === undefined || typeof goneSince === 'number';
  return typeof key === 'string' && typeof server === 'string' && isTime;
}
