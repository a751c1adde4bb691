/**
 * A Node.js for the packed command line (`npx tooltray`) where the one that runs is too old: fetched once by the user's
 * own npm, from its own registry, into the cache folder of the user.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';

/** Whether this Node.js runs what is built, as src-main/cli/run-command.ts requires it: 22.13 or newer. */
export function runsBuilt() {
  return typeof JSON.rawJSON === 'function' && isBuiltin('node:sqlite');
}

/**
 * Returns the path of that version, and fetches it if need be. Progress goes to stderr. Throws an Error that says what
 * to do.
 */
export async function fetchNode(version) {
  const isWindows = process.platform === 'win32';
  // As the package `node` names them; theirs for Apple silicon is an exception.
  const kind = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const name = [kind, isWindows ? 'win' : process.platform, process.arch].join('-');
  const folder = join(cacheFolder(), `node-${version}`);
  const program = join('node_modules', name, 'bin', isWindows ? 'node.exe' : 'node');
  if (existsSync(join(folder, program))) return join(folder, program);
  const reason = `Tooltray requires Node.js 22.13 or newer, and this is ${process.version}`;
  process.stderr.write(`tooltray: ${reason}. Fetching Node.js ${version} once ...\n`);
  mkdirSync(dirname(folder), { recursive: true });
  const temporary = mkdtempSync(`${folder}-`);
  try {
    writeFileSync(join(temporary, 'package.json'), '{ "private": true }\n');
    const words = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`];
    const code = await runNpm(words, temporary, isWindows);
    if (code !== 0 || !existsSync(join(temporary, program))) {
      throw new Error(
        `${reason}; ${name}@${version} could not be fetched. Install a newer one from https://nodejs.org.`,
      );
    }
    try {
      renameSync(temporary, folder);
    } catch (error) {
      // Another one was faster.
      if (!existsSync(join(folder, program))) throw error;
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return join(folder, program);
}

/** Resolves with the exit code; 1 if there is no npm. */
async function runNpm(words, cwd, isWindows) {
  // Settings that `npx` hands on about the package it runs, and none that say where packages come from.
  const ofNpx = /^npm_config_(?:global|local_prefix|prefix|package|call|workspaces?)$/i;
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !ofNpx.test(key)));
  const npm = spawn('npm', words, { cwd, env, stdio: ['ignore', 2, 2], shell: isWindows });
  try {
    const [code] = await once(npm, 'exit');
    return code ?? 1;
  } catch {
    return 1;
  }
}

function cacheFolder() {
  const { LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  const base = process.platform === 'win32' ? LOCALAPPDATA : XDG_CACHE_HOME;
  return join(base || join(homedir(), '.cache'), 'tooltray');
}
