/** One set-up at a time per checkout, so that `npm start` and `npm test` may begin together. */
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from './setup-error.mjs';

const pollMs = 200;
const graceMs = 15 * 60_000;

/**
 * Waits until this process holds the lock; the returned function gives it back.
 *
 * The lock is a folder holding one file named after its owner's process id. It is filled beside and renamed into
 * place, so it is never seen without an owner; and stealing it deletes the dead owner's file by name, so that of two
 * thieves neither can take the other's fresh lock away.
 */
export async function takeLock(root) {
  const lock = join(root, '.cache', 'setup.lock');
  const deadline = Date.now() + graceMs;
  let announced = false;
  while (!tryToTake(lock)) {
    const owner = ownerOf(lock);
    if (owner !== undefined && isAlive(owner)) {
      if (!announced) console.error(`set-up: waiting for the set-up that process ${owner} is running …`);
      announced = true;
      if (Date.now() > deadline) throw new SetupError(gaveUp(owner, lock));
      await sleep(pollMs);
    } else {
      steal(lock, owner);
    }
  }
  return () => steal(lock, process.pid);
}

function tryToTake(lock) {
  const mine = `${lock}.${process.pid}`;
  mkdirSync(mine, { recursive: true });
  writeFileSync(join(mine, String(process.pid)), '');
  try {
    renameSync(mine, lock);
    return true;
  } catch {
    // Held: a folder that is not empty cannot be replaced.
    rmSync(mine, { recursive: true, force: true });
    return false;
  }
}

function ownerOf(lock) {
  try {
    const pid = Number(readdirSync(lock)[0]);
    return Number.isInteger(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    return error.code === 'EPERM';
  }
}

function steal(lock, owner) {
  try {
    if (owner !== undefined) unlinkSync(join(lock, String(owner)));
    rmdirSync(lock);
  } catch {
    // Another process was faster; the next attempt to take the lock tells.
  }
}

function gaveUp(owner, lock) {
  return `Another set-up has not finished in ${graceMs / 60_000} minutes. If process ${owner} is not one, delete ${lock}.`;
}
