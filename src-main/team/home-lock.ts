/** A replica's folder is its alone: two that wrote their logs, caches and people's homes into one would ruin them for each other. */
import { readFileSync, utimesSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { appPaths, ensurePrivateDir, type Env } from '../core/base/app-paths.ts';
import { AppError } from '../core/base/errors.ts';
import { LockFile } from '../core/base/file-lock.ts';

/** Who has it says so this often, and is gone after that long without a word, in ms. */
const sayEveryMs = 2_000;
const staleMs = 10_000;
const lookEveryMs = 250;

/** Holds the folder that `env` names until the result is disposed of. Rejects with AppError already_running where another replica has it. */
export async function lockHome(env: Env): Promise<Disposable> {
  const { dataDir } = appPaths(env, process.platform, homedir());
  ensurePrivateDir(dataDir);
  const file = join(dataDir, 'replica.lock');
  const lock = new LockFile(file, staleMs);
  // In a container that was started again, whoever had it before had our own number: only time tells whether they are gone.
  const until = Date.now() + staleMs + sayEveryMs;
  while (!lock.take()) {
    const holder = holderOf(file);
    const isAnother = holder > 0 && holder !== process.pid;
    if (isAnother || Date.now() > until) throw taken(dataDir, holder);
    await sleep(lookEveryMs);
  }
  const saying = setInterval(() => sayAgain(file), sayEveryMs).unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(saying);
      lock[Symbol.dispose]();
    },
  };
}

function sayAgain(file: string): void {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    // Somebody removed it; the next one to come takes it.
  }
}

function holderOf(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch {
    return 0;
  }
}

function taken(folder: string, holder: number): AppError {
  return new AppError(
    'already_running',
    `Another replica (process ${holder}) has the folder ${folder}, which is one replica's alone.`,
    { fix: 'Give each replica a folder of its own by TOOLTRAY_HOME, or stop that one.' },
  );
}
