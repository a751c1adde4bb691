/** Examines the folders of a home: whether each is writable, its free space, and the owners of its files. */
import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { lstat, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AppPaths } from '../base/app-paths.ts';
import { errorText } from '../base/errors.ts';
import { systemFailure } from '../base/system-errors.ts';
import { formatBytes, formatCount } from '../base/text-format.ts';
import type { FileFacts, FolderFacts, HomeFacts } from './findings.ts';

/** Large enough to notice an almost full disk, in bytes. */
const testBytes = 64 * 1024;

/** Never rejects. Missing folders are omitted, because Tooltray creates them. */
export async function examineFolders(paths: AppPaths): Promise<HomeFacts> {
  const { configFile, dataDir, logDir, cacheDir, runDir, socketPath, tokenFile } = paths;
  const folders = [...new Set([dirname(configFile), dataDir, logDir, cacheDir, runDir])];
  const found = await Promise.all(folders.map(examineFolder));
  const privates = process.platform === 'win32' ? [] : [runDir, dirname(socketPath), tokenFile, socketPath];
  const open = (await Promise.all([...new Set(privates)].map(privacyOf))).flat();
  const foreign = folders.flatMap(foreignFiles);
  const databases = [dataDir, paths.spillDir, join(dataDir, 'pins')].flatMap(oddDatabases);
  return { folders: found.flat(), files: [...open, ...foreign, ...databases] };
}

async function examineFolder(path: string): Promise<readonly FolderFacts[]> {
  const there = await stat(path).catch((error: unknown) => error);
  if (there instanceof Error) {
    const failure = systemFailure(there);
    if (failure?.code !== 'ENOENT') return [{ path, problem: problemOf(there) }];
    const link = await lstat(path).catch(() => undefined);
    // Missing: Tooltray creates it at startup.
    if (link === undefined) return [];
    return [
      {
        path,
        problem: { reason: 'it is a broken link', fix: 'Create its target directory, or remove it.' },
      },
    ];
  }
  const space = await statfs(path).catch(() => undefined);
  const freeBytes = space === undefined ? undefined : space.bavail * space.bsize;
  const file = join(path, `.write-test.${process.pid}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    await writeFile(file, Buffer.alloc(testBytes), { flag: 'wx', mode: 0o600 });
    return [{ path, freeBytes }];
  } catch (error) {
    return [{ path, freeBytes, problem: problemOf(error) }];
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}

function problemOf(error: unknown): { reason: string; fix: string } {
  return (
    systemFailure(error) ?? { reason: errorText(error).replace(/\.$/, ''), fix: 'Set TOOLTRAY_HOME to another folder.' }
  );
}

/** Who else could read the token or use the socket. Windows protects these with access lists. */
async function privacyOf(path: string): Promise<readonly FileFacts[]> {
  const stats = await lstat(path).catch(() => undefined);
  // Missing: Tooltray creates it at startup, private to the user.
  if (stats === undefined) return [];
  const problem = (summary: string, fix: string): FileFacts[] => [{ path, level: 'problem', summary, fix }];
  if (stats.isSymbolicLink())
    return problem(`${path} is a link.`, 'Remove it; Tooltray creates a new one at the next start.');
  if (stats.uid !== process.getuid?.())
    return problem(`${path} belongs to another user.`, 'Remove it, or set TOOLTRAY_HOME to a folder of your own.');
  if ((stats.mode & 0o077) === 0) return [];
  const mode = stats.isDirectory() ? '700' : '600';
  return problem(`${path} is accessible to other users of this machine.`, `Run: chmod ${mode} ${path}`);
}

/** A home that was used with `sudo` has files that its owner cannot write. */
function foreignFiles(folder: string): readonly FileFacts[] {
  const own = process.getuid?.();
  if (own === undefined || own === 0) return [];
  const foreign = namesIn(folder).filter((name) => {
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return stats !== undefined && stats.uid !== own;
  });
  const [first] = foreign;
  if (first === undefined) return [];
  return [
    {
      path: folder,
      level: 'problem',
      summary: `${formatCount(foreign.length, 'file')} in ${folder} ${foreign.length === 1 ? 'belongs' : 'belong'} to another user, such as ${first}.`,
      fix: `If Tooltray once ran by sudo, run: sudo chown -R "$(id -un)" ${folder}`,
    },
  ];
}

/** Files that were set aside, and those next to one of a newer version. */
function oddDatabases(folder: string): readonly FileFacts[] {
  return namesIn(folder).flatMap((name): readonly FileFacts[] => {
    const path = join(folder, name);
    if (/\.corrupt(?:\.\d+)?$/.test(name)) {
      const size = formatBytes(lstatSync(path, { throwIfNoEntry: false })?.size ?? 0);
      const summary = `A damaged file was moved aside: ${path} (${size}). A new one is in use.`;
      return [{ path, level: 'problem', summary, fix: 'Restore it from a backup, or delete it.' }];
    }
    const [, stem, ending] = /^(.+)\.v\d+(\.db)$/.exec(name) ?? [];
    if (stem === undefined || !namesIn(folder).includes(`${stem}${ending}`)) return [];
    const summary = `${join(folder, `${stem}${ending}`)} was written by a newer version of Tooltray; this one uses ${name}.`;
    return [{ path, level: 'problem', summary, fix: 'Update Tooltray to see what is in it.' }];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
