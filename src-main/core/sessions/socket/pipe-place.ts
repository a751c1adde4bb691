/**
 * The named pipe that a core listens at: a random name, which no other process can take in advance, stored in the
 * private run folder. The core that wrote the file removes it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { dirname } from 'node:path';
import { ensurePrivateDir } from '../../base/app-paths.ts';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import { isAnswered, type ListeningPlace, listenAt } from './socket-place.ts';

export class PipePlace implements ListeningPlace {
  readonly #file: string;
  readonly #createServer: () => Server;
  readonly #pipe: string;
  #server: Server | undefined;

  /** Does not listen yet. `newName` creates the name of the pipe. */
  constructor(file: string, createServer: () => Server, newName: () => string = randomName) {
    this.#file = file;
    this.#createServer = createServer;
    this.#pipe = newName();
  }

  get proves(): string {
    return this.#pipe;
  }

  async isServed(): Promise<boolean> {
    const pipe = pipeIn(this.#file);
    return pipe !== undefined && (await isAnswered(pipe));
  }

  async claim(): Promise<void> {
    ensurePrivateDir(dirname(this.#file));
    this.#server = this.#createServer();
    await listenAt(this.#server, this.#pipe);
    await writeFileAtomic(this.#file, `${this.#pipe}\n`);
  }

  /** Another process cannot remove a pipe, but it can remove its file. */
  async restore(): Promise<boolean> {
    if (pipeIn(this.#file) === this.#pipe) return false;
    await writeFileAtomic(this.#file, `${this.#pipe}\n`);
    return true;
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    if (pipeIn(this.#file) === this.#pipe) rmSync(this.#file, { force: true });
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

function randomName(): string {
  return `\\\\.\\pipe\\tooltray-${randomBytes(16).toString('hex')}`;
}

/** Undefined if no core has written it. */
function pipeIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
