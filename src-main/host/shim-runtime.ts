/**
 * A runtime of the shim's own, for Windows. An installer ends every process of the installed app and replaces its
 * files, so a shim that is connected meanwhile must run nothing from there: it runs a copy in Tooltray's own folder.
 */
import { execFile } from 'node:child_process';
import { cp, copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';

export interface ShimRuntime {
  /** Runs Node.js. Not named like the app: without PowerShell, an installer ends processes by their name. */
  readonly program: string;
  /** The shim, with its chunks beside it. */
  readonly script: string;
}

interface RuntimeSource {
  /** The app's executable. */
  readonly program: string;
  /** The shim of the app. */
  readonly script: string;
  /** Folder with one folder for each version of the app. */
  readonly runtimes: string;
}

/** Files next to the executable that Electron loads when it runs as Node.js: libraries, ICU data, V8 snapshots. */
const parts: ReadonlySet<string> = new Set(['.dll', '.dat', '.bin']);
/** A first start may be slow while a scanner examines the new file. */
const trialTimeoutMs = 60_000;

/** Folder of the runtimes below the data folder. */
export function runtimesFolder(dataDir: string): string {
  return join(dataDir, 'runtime');
}

/** The runtime of this version of the app; undefined unless it was copied. */
export async function findShimRuntime(source: RuntimeSource): Promise<ShimRuntime | undefined> {
  const runtime = await placeOf(source);
  const isThere = await stat(runtime.program).catch(() => undefined);
  return isThere && runtime;
}

/** Copies the runtime and tries it. Rejects if the copy does not run Node.js, and then leaves none. */
export async function copyShimRuntime(source: RuntimeSource): Promise<ShimRuntime> {
  const runtime = await placeOf(source);
  const folder = dirname(runtime.program);
  const draft = `${folder}.${process.pid}.tmp`;
  try {
    await mkdir(draft, { recursive: true });
    const app = dirname(source.program);
    for (const name of await readdir(app)) {
      if (parts.has(extname(name))) await copyFile(join(app, name), join(draft, name));
    }
    await copyFile(source.program, join(draft, basename(runtime.program)));
    await cp(dirname(source.script), join(draft, 'shim'), { recursive: true });
    await tryProgram(join(draft, basename(runtime.program)));
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return runtime;
}

/** Removes the runtimes that no process uses, except `current`. Resolves to those that are in use. */
export async function removeUnusedRuntimes(runtimes: string, current?: ShimRuntime): Promise<readonly string[]> {
  const names = await readdir(runtimes).catch(() => []);
  const others = names.map((name) => join(runtimes, name)).filter((path) => path !== dirOf(current));
  const used = await Promise.all(others.map(async (folder) => ((await isRemoved(folder)) ? [] : [folder])));
  return used.flat();
}

/** Windows keeps a program that runs from being removed. Without its program, nothing can use the rest. */
async function isRemoved(folder: string): Promise<boolean> {
  try {
    await rm(join(folder, programName), { force: true });
    await rm(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

const programName = 'tooltray-shim.exe';

/** The executable of another build has another size or time. */
async function placeOf({ program, script, runtimes }: RuntimeSource): Promise<ShimRuntime> {
  const { size, mtimeMs } = await stat(program);
  const folder = join(runtimes, `${size}-${Math.floor(mtimeMs)}`);
  return { program: join(folder, programName), script: join(folder, 'shim', basename(script)) };
}

function dirOf(runtime: ShimRuntime | undefined): string | undefined {
  return runtime && dirname(runtime.program);
}

async function tryProgram(program: string): Promise<void> {
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const { stdout } = await promisify(execFile)(program, ['-e', 'process.stdout.write("works")'], {
    env,
    timeout: trialTimeoutMs,
    windowsHide: true,
  });
  if (stdout !== 'works') throw new Error(`The copied program printed: ${stdout.slice(0, 200)}`);
}
