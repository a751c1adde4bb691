/**
 * Private home folders of sandboxed servers. One is kept for each program that an entry starts, so that another program
 * under the same name starts with an empty one; a server that was not accepted gets an empty one that is deleted with
 * it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../base/atomic-file.ts';
import { isProcessRunning } from '../../../base/file-lock.ts';
import { objectOrEmpty } from '../../../base/json.ts';
import { programNamed } from '../../../trust/pins/launch-fingerprint.ts';
import type { ConfinedEntry } from './agreed-places.ts';

export interface OpenHome {
  /** An existing folder; undefined: an empty one in memory. */
  readonly folder: string | undefined;
  /** Call it when the server has ended. */
  readonly cleanUp: CleanUp;
}

/** Removes what a launch leaves on disk. Never throws. */
export interface CleanUp {
  readonly remove: () => Promise<void>;
  /** The same, synchronously, for the end of our own process. */
  readonly removeNow: () => void;
}

const nothing: CleanUp = { remove: () => Promise.resolve(), removeNow: () => undefined };

/** Names the owner in a server's folder, because the folder's name alone does not. */
const ownerFile = 'owner.json';

export class SandboxHomes {
  readonly #homes: string;
  readonly #trials: string;

  readonly #config: string;

  /** `folder`: a private folder of ours. `config`: the config file of the servers; each file has its own homes. */
  constructor(folder: string, config: string) {
    this.#config = config;
    this.#homes = join(folder, 'homes');
    this.#trials = join(folder, 'trials');
  }

  /** Rejects with the system's error. */
  async open({ name, command, args, isolate: { forgets } }: ConfinedEntry): Promise<OpenHome> {
    if (forgets === 'everything') return { folder: undefined, cleanUp: nothing };
    if (forgets === 'home') {
      const folder = join(this.#trials, `${process.pid}-${randomBytes(6).toString('hex')}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const removeNow = (): void => rmSync(folder, { recursive: true, force: true });
      return { folder, cleanUp: { remove: () => removeTree(folder), removeNow } };
    }
    const own = this.#folderOf(name);
    const folder = join(own, digest(programNamed(command, args)).slice(0, 16));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const owner = JSON.stringify({ config: this.#config, server: name });
    await writeFileAtomic(join(own, ownerFile), owner, { mode: 0o600 });
    return { folder, cleanUp: nothing };
  }

  /** Never rejects. */
  async remove(server: string): Promise<void> {
    await removeTree(this.#folderOf(server));
  }

  /** Never rejects. */
  async sweep(isGone: (server: string) => boolean): Promise<void> {
    const homes = (await readdir(this.#homes).catch(() => [])).map((one) => join(this.#homes, one));
    for (const home of homes) {
      const server = await this.#ownerOf(home);
      if (server !== undefined && isGone(server)) await removeTree(home);
    }
    const trials = await readdir(this.#trials).catch(() => []);
    for (const trial of trials) {
      if (!isProcessRunning(Number(trial.split('-')[0]))) await removeTree(join(this.#trials, trial));
    }
  }

  /** The server of this config that owns a folder. */
  async #ownerOf(home: string): Promise<string | undefined> {
    try {
      const owner: unknown = JSON.parse(await readFile(join(home, ownerFile), 'utf8'));
      const { config, server } = objectOrEmpty(owner);
      return config === this.#config && typeof server === 'string' ? server : undefined;
    } catch {
      return undefined;
    }
  }

  /** Names may contain anything, and no two share a folder. */
  #folderOf(server: string): string {
    const readable = server.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 40);
    return join(this.#homes, `${readable}-${digest(JSON.stringify([this.#config, server])).slice(0, 8)}`);
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}
