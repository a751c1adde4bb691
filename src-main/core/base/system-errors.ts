/**
 * Turns errors of the operating system and of SQLite into sentences with path and advice. Only this file knows their
 * codes.
 */

/** The meaning of a failed file operation for the user. */
export interface SystemFailure {
  /** The system's error name; SQLite errors are mapped to one if possible. */
  readonly code: string;
  /** A clause: `the disk is full`. */
  readonly reason: string;
  /** One imperative sentence. */
  readonly fix: string;
  /** The file or folder concerned; undefined if the error does not name it. */
  readonly path: string | undefined;
}

const freeSpace = 'Free space on that disk.';
const giveRights = 'Give your user account the right to write there, or remove it if you do not need it.';

const failures: Readonly<Record<string, readonly [reason: string, fix: string]>> = {
  ENOSPC: ['the disk is full', freeSpace],
  EDQUOT: ['your quota on that disk is used up', freeSpace],
  EFBIG: ['the file is larger than that disk allows', freeSpace],
  EROFS: ['the disk is mounted read-only', 'Mount it writable, or set TOOLTRAY_HOME to a folder on another disk.'],
  EACCES: ['your user account has no permission', giveRights],
  EPERM: ['the system does not permit it', giveRights],
  EIO: ['the disk reports an input/output error', 'Check the disk, and restore the file from a backup.'],
  EMFILE: ['this process has too many files open', 'Restart Tooltray; if it happens again, raise "ulimit -n".'],
  ENFILE: ['the system has too many files open', 'Close other programs, then try again.'],
  ENOENT: ['it does not exist', 'Check the path.'],
  ENOTDIR: ['a part of the path is a file, not a folder', 'Move that file away.'],
  EISDIR: ['it is a folder, not a file', 'Move that folder away.'],
  EEXIST: ['it exists already', 'Move it away.'],
  ENOTEMPTY: ['the folder is not empty', 'Empty it first.'],
  ELOOP: ['its symbolic links lead nowhere or in a circle', 'Remove or correct the link.'],
  ENAMETOOLONG: ['the path is too long', 'Use a shorter path.'],
  EXDEV: ['source and target are on different disks', 'Put both on one disk.'],
  EBUSY: ['another program is using it', 'Close that program, then try again.'],
  ETXTBSY: ['the program is running', 'End it, then try again.'],
  ENOTSOCK: ['it is not a socket', 'Remove it; Tooltray creates a new one at the next start.'],
  ENOMEM: ['the system has no memory left', 'Close other programs, then try again.'],
  ESTALE: ['the network disk has lost it', 'Reconnect the network disk.'],
};

/** SQLite's primary result codes that are about the file. */
const ofSqlite: Readonly<Record<number, string>> = {
  3: 'EACCES',
  5: 'EBUSY',
  6: 'EBUSY',
  8: 'EROFS',
  10: 'EIO',
  13: 'ENOSPC',
  14: 'CANTOPEN',
  11: 'CORRUPT',
  26: 'NOTADB',
};

const ownFailures: Readonly<Record<string, readonly [reason: string, fix: string]>> = {
  CANTOPEN: ['it cannot be opened', 'Check that its folder exists and is yours.'],
  CORRUPT: ['the database is damaged', 'Tooltray sets it aside and begins a new one at the next start.'],
  NOTADB: ['it is not a database', 'Move it away; Tooltray makes a new one.'],
};

/** The verb for each Node.js system call. */
const verbs: Readonly<Record<string, string>> = {
  open: 'open',
  read: 'read',
  write: 'write',
  fsync: 'write',
  fdatasync: 'write',
  ftruncate: 'write',
  close: 'write',
  mkdir: 'create',
  mkdtemp: 'create',
  link: 'create',
  symlink: 'create',
  scandir: 'read',
  opendir: 'read',
  readlink: 'read',
  realpath: 'read',
  stat: 'read',
  lstat: 'read',
  fstat: 'read',
  access: 'reach',
  statfs: 'read',
  rename: 'replace',
  unlink: 'remove',
  rm: 'remove',
  rmdir: 'remove',
  copyfile: 'copy',
  chmod: 'change',
  fchmod: 'change',
  chown: 'change',
  utime: 'change',
  listen: 'listen at',
  bind: 'listen at',
};

interface RawError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly path?: unknown;
  readonly dest?: unknown;
  readonly errcode?: unknown;
  /** The address of a socket; for a file system socket, its path. */
  readonly address?: unknown;
}

/** Describes a failed file operation; undefined for other errors (networks, processes, our own). */
export function systemFailure(error: unknown): SystemFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, path, dest, errcode, address } = error as RawError;
  const isSocket = syscall === 'listen' || syscall === 'bind';
  if (isSocket && !(typeof address === 'string' && address.startsWith('/'))) return undefined;
  const named = typeof dest === 'string' ? dest : isSocket ? address : path;
  const at = typeof named === 'string' && named !== '' ? named : undefined;
  if (typeof errcode === 'number') {
    // The low byte is the primary code.
    const known = ofSqlite[errcode & 0xff];
    const [reason, fix] = (known === undefined ? undefined : (failures[known] ?? ownFailures[known])) ?? [];
    return known === undefined || reason === undefined || fix === undefined
      ? undefined
      : { code: known, reason, fix, path: at };
  }
  // Errors of sockets and processes have system calls of their own.
  if (typeof code !== 'string' || (typeof syscall === 'string' && verbs[syscall] === undefined)) return undefined;
  const [reason, fix] = failures[code] ?? [];
  return reason === undefined || fix === undefined ? undefined : { code, reason, fix, path: at };
}

/**
 * For example `Cannot write /home/me/data/x: the disk is full. Free space on that disk.` Undefined as for
 * systemFailure.
 */
export function systemErrorText(error: unknown): string | undefined {
  const failure = systemFailure(error);
  if (failure === undefined) return undefined;
  const { syscall } = error as RawError;
  const verb = (typeof syscall === 'string' ? verbs[syscall] : undefined) ?? 'use';
  return `Cannot ${verb} ${failure.path ?? 'a file'}: ${failure.reason}. ${failure.fix}`;
}

/** Adds the path to an error without one, such as those of SQLite and of open descriptors. Returns the same error. */
export function withPath<E>(error: E, path: string): E {
  if (error instanceof Error && (error as RawError).path === undefined) Object.assign(error, { path });
  return error;
}
