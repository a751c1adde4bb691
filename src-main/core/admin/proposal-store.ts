/**
 * Changes that models asked for and the person has not decided yet: one small private file for every core of a home. It is read
 * and written under a lock, so that what was decided in one process is decided in all of them.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type FSWatcher, watch } from 'chokidar';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { AppError } from '../base/errors.ts';
import { Event } from '../base/events.ts';
import { isObject } from '../base/json.ts';
import { shortName } from '../base/short-name.ts';
import { withFileLock } from '../config/file-lock.ts';
import { type ChangeAuthor, describeChange, type ServerChange } from './server-change.ts';

export interface Proposal {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  readonly author: ChangeAuthor;
  /** What is decided on together, in the order in which it is made. */
  readonly changes: readonly ServerChange[];
  readonly sentence: string;
  /** Hash of each server's entry when it was proposed, null for none: an entry that changed since is not overwritten. */
  readonly bases: Readonly<Record<string, string | null>>;
}

export type NewProposal = Pick<Proposal, 'author' | 'changes' | 'bases'> & { readonly sentence?: string | undefined };

/** Open proposals; whoever asks for more is not asking. All apps share one person, so none may take all there is room for. */
const mostOfAll = 100;
const mostOfApp = 20;
/** One proposal as JSON, in bytes: what is longer nobody reads before they decide. */
const mostBytes = 64 * 1024;

export class ProposalStore {
  /** Some proposal was added or decided, here or in another process. */
  readonly changed = new Event();
  readonly #file: string;
  #watcher: FSWatcher | undefined;
  #seen: readonly Proposal[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Follows what other processes do, until `stop`; resolves when it does. */
  async start(): Promise<void> {
    const watcher = watch(this.#file, { ignoreInitial: true });
    this.#watcher = watcher;
    watcher.on('all', () => void this.#look());
    watcher.on('error', () => undefined);
    await new Promise((resolve) => watcher.once('ready', () => resolve(undefined)));
    this.#seen = await this.all();
  }

  /** To be called once `start` has resolved. */
  async stop(): Promise<void> {
    await this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** Oldest first. */
  async all(): Promise<readonly Proposal[]> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#file, 'utf8'));
      return Array.isArray(value) ? (value as unknown[]).filter(isProposal) : [];
    } catch {
      return [];
    }
  }

  /** What is asked for again is the same proposal. Rejects with AppError session_limit where too much is open, bad_request where it is too long. */
  async add({ author, changes, bases, sentence }: NewProposal): Promise<Proposal> {
    const proposal: Proposal = {
      ...{ id: randomBytes(3).toString('hex'), at: Date.now(), author, changes, bases },
      sentence: sentence ?? changes.map(describeChange).join(' '),
    };
    requireShort(proposal);
    return this.#change((open) => {
      const known = open.find((one) => isDeepStrictEqual(one.changes, JSON.parse(JSON.stringify(changes))));
      if (known !== undefined) return [open, known];
      requireRoom(open, author.app);
      return [[...open, proposal], proposal];
    });
  }

  /** Takes a proposal out. Rejects with AppError not_found, also where another process was faster. */
  take(id: string): Promise<Proposal> {
    return this.#change((open) => {
      const proposal = open.find((one) => one.id === id);
      if (proposal === undefined) {
        const fix = open.length === 0 ? 'None is waiting.' : `Waiting: ${open.map((one) => one.id).join(', ')}.`;
        throw new AppError('not_found', `There is no proposal ${shortName(id)}.`, { fix });
      }
      return [open.filter((one) => one !== proposal), proposal];
    });
  }

  async #change<T>(change: (open: readonly Proposal[]) => [next: readonly Proposal[], result: T]): Promise<T> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const result = await withFileLock(this.#file, async () => {
      const open = await this.all();
      const [next, made] = change(open);
      if (next !== open) await writeFileAtomic(this.#file, JSON.stringify(next, null, 2), { mode: 0o600 });
      return made;
    });
    await this.#look();
    return result;
  }

  async #look(): Promise<void> {
    const now = await this.all();
    if (isDeepStrictEqual(now, this.#seen)) return;
    this.#seen = now;
    this.changed.emit();
  }
}

function requireShort(proposal: Proposal): void {
  const bytes = Buffer.byteLength(JSON.stringify(proposal));
  if (bytes <= mostBytes) return;
  throw new AppError('bad_request', `This proposal is ${bytes} bytes long; ${mostBytes} are read at the most.`, {
    fix: 'Ask for less at a time.',
  });
}

function requireRoom(open: readonly Proposal[], app: string): void {
  const own = open.filter(({ author }) => author.app === app).length;
  if (own < mostOfApp && open.length < mostOfAll) return;
  const whose = own < mostOfApp ? `${mostOfAll} proposals of all apps` : `${mostOfApp} proposals of this app`;
  throw new AppError('session_limit', `${whose} wait for the person already, so nothing more is proposed.`, {
    fix: 'Ask the person to decide on them: tooltray proposals.',
  });
}

function isProposal(value: unknown): value is Proposal {
  return (
    isObject(value) &&
    typeof value['id'] === 'string' &&
    Array.isArray(value['changes']) &&
    value['changes'].every(isObject) &&
    isObject(value['author']) &&
    isObject(value['bases'])
  );
}
