/**
 * The secret that proves to the core that the connecting program belongs to the same user: 32 random bytes in a file
 * that only the user can read.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, constants, linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { AppError } from '../base/errors.ts';
import { withPath } from '../base/system-errors.ts';

/** 32 bytes in base64url. */
const tokenShape = /^[\w-]{43}$/;

/**
 * Returns the token in `file`, which is created if missing and fixed (mode 0600) if others could read it. Its folder
 * must exist. Throws AppError `not_allowed` if the file is a link, a folder or another user's.
 */
export function readOrCreateToken(file: string): string {
  for (let attempt = 0; attempt < 5; attempt++) {
    const token = readToken(file) ?? createToken(file);
    if (token !== undefined) return token;
  }
  throw refusal(file, 'keeps changing while it is read');
}

/**
 * Writes this token if the file is missing or differs, because clients of a running core read it. Throws file system
 * errors.
 */
export function restoreToken(file: string, token: string): void {
  if (currentToken(file) === token) return;
  const draft = draftOf(file);
  try {
    writeFileSync(draft, `${token}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function currentToken(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Name of the draft that sweepDrafts recognizes if its writer is killed. */
function draftOf(file: string): string {
  return `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
}

function readToken(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw refusal(file, 'is not a plain file');
  if (process.platform !== 'win32') {
    if (stats.uid !== process.getuid?.()) throw refusal(file, 'belongs to another user');
    if ((stats.mode & 0o777) !== 0o600) chmodSync(file, 0o600);
  }
  const token = readFileSync(file, { encoding: 'utf8', flag: constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) }).trim();
  if (tokenShape.test(token)) return token;
  // Truncated by a full disk or by hand: nobody can know this token, so a new one does no harm.
  rmSync(file, { force: true });
  return undefined;
}

/**
 * Written under another name and then linked, so that nobody reads part of a token and the first of two creators wins.
 */
function createToken(file: string): string | undefined {
  const token = randomBytes(32).toString('base64url');
  const draft = draftOf(file);
  try {
    writeFileSync(draft, `${token}\n`, { mode: 0o600, flag: 'wx' });
    linkSync(draft, file);
    return token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw withPath(error, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function refusal(file: string, what: string): AppError {
  return new AppError('not_allowed', `The token file ${file} ${what}, so Tooltray does not trust it.`, {
    fix: 'Remove it; a new one is created at the next start.',
  });
}
