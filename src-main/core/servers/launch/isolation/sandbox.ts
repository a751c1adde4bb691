/**
 * A box of bubblewrap (Linux) around a server: it sees the system's programs, its own files, what it was allowed, and a home of its own
 * that stays; nothing else of the disk, no other process, and of the network only what it was allowed. What it starts ends with it.
 */
import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { AppError, errorText } from '../../../base/errors.ts';
import type { Isolation } from '../../../config/app-config.ts';
import { isInside } from '../../../security/file-paths.ts';
import type { OwnPlaces } from '../../../security/own-places.ts';
import { type Environment, findCommand } from '../find-command.ts';
import type { Launch } from '../process-group.ts';
import { doorInside, throughDoor } from './named-hosts.ts';
import { exists, isSystem, namedPlaces, programFiles, systemFolders } from './program-files.ts';

export interface Box {
  /** Its home, private and its own, made where it is not there; undefined: an empty one that goes with it. */
  readonly home: string | undefined;
  /** What nobody sees from inside, whatever was allowed. */
  readonly hidden: OwnPlaces;
  /** Folders of ours that it reads all the same: its installed package. */
  readonly own: readonly string[];
  /** Where the network is some hosts alone: the socket of the way to them. */
  readonly door?: string;
}

/** Of /etc what programs look up; the rest may hold secrets of the machine. */
const lookedUp = [
  ...['alternatives', 'ca-certificates', 'ca-certificates.conf', 'fonts', 'gai.conf', 'group', 'host.conf', 'hosts'],
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'machine-id', 'mime.types', 'nsswitch.conf'],
  ...['os-release', 'passwd', 'pki', 'protocols', 'resolv.conf', 'services', 'ssl', 'timezone', 'java', 'python3'],
];

/** Variables that lead to what is not in the box: each program then uses what lies in its home. */
const leadsOut =
  /^(?:XDG_\w+_HOME|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|TMPDIR|TMP|TEMP|npm_config_cache|PWD)$/;

/** Ways out to the network, which may have a password in them: nothing for a box without one. */
const proxy = /^(?:https?|all|no)_proxy$/i;

/** The same launch inside of a box. Rejects with AppError config_invalid for what cannot be allowed. `own`: the entry's variables. */
export async function inSandbox(launch: Launch, own: Environment, isolate: Isolation, box: Box): Promise<Launch> {
  const { command, args, env, cwd } = launch;
  const home = env['HOME'] ?? '/home/box';
  if (box.home !== undefined) await mkdir(box.home, { recursive: true, mode: 0o700 });
  const program = (await findCommand(command, env, cwd)) ?? command;
  const named = await namedPlaces(command, args, own, cwd);
  const programs = await Promise.all(
    [program, ...(named.script === undefined ? [] : [named.script])].map((one) => programFiles(one, env)),
  );
  const folders = programs.flatMap((one) => one.folders);
  const reads = [
    ...folders.filter((folder) => !isOurs(folder, box)),
    ...(cwd === undefined || isolate.forgets ? [] : [cwd]),
    ...isolate.read,
  ];
  const writes = isolate.write ?? named.others.filter((path) => !isSystem(path));
  const binds = await Promise.all([
    ...reads.map((path) => bind('--ro-bind', path)),
    ...writes.map((path) => bind('--bind', path)),
  ]);
  const places = binds.toSorted((one, other) => one.path.length - other.path.length);
  // Who was allowed the person's own home sees that one.
  const ownHome = places.some(({ path }) => isInside(path, home)) ? [] : homeMount(box, home);
  const ours = [...new Set([...box.own, ...folders.filter((folder) => isOurs(folder, box))])];
  const mounts = [
    ...(await systemMounts()),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/run', ...ownHome],
    ...(isolate.network === true ? await resolverMounts() : []),
    ...(box.door === undefined ? [] : ['--dir', dirname(doorInside), '--ro-bind', box.door, doorInside]),
    ...places.flatMap(({ args: mount }) => mount),
    ...(await hiddenMounts(
      box.hidden,
      places.map(({ path }) => path),
    )),
    ...ours.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...(cwd !== undefined && isolate.forgets ? ['--dir', cwd] : []),
  ];
  const seen = [...places.map(({ path }) => path), ...ours, ...systemFolders];
  const links = programs
    .flatMap((one) => one.links)
    .filter(([name]) => !seen.some((folder) => isInside(folder, name)))
    .flatMap(([name, target]) => ['--symlink', target, name]);
  const isUseless = (name: string): boolean => leadsOut.test(name) || (isolate.network === false && proxy.test(name));
  const inside = Object.fromEntries(Object.entries(env).filter(([name]) => !isUseless(name) || name in own));
  const way = typeof isolate.network === 'boolean' ? undefined : throughDoor(isolate.network);
  return {
    command: 'bwrap',
    args: [
      ...[
        '--unshare-all',
        ...(isolate.network === true ? ['--share-net'] : []),
        '--die-with-parent',
        '--cap-drop',
        'ALL',
      ],
      ...mounts,
      ...links,
      // What lies between all of these is nobody's to write.
      ...['--remount-ro', '/'],
      ...['--chdir', cwd ?? home, '--', ...(way?.command ?? []), program, ...args],
    ],
    env: { ...inside, ...way?.env, HOME: home },
    // Of bubblewrap itself: the one inside is told to it.
    cwd: undefined,
  };
}

function homeMount({ home: kept }: Box, home: string): readonly string[] {
  return kept === undefined ? ['--tmpfs', home] : ['--bind', kept, home];
}

function isOurs(folder: string, { hidden }: Box): boolean {
  return hidden.folders.some((own) => isInside(own, folder));
}

async function bind(how: '--ro-bind' | '--bind', path: string): Promise<{ path: string; args: readonly string[] }> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined && /^\/(?:$|(?:proc|dev|sys)(?:\/|$))/.test(real)) {
    throw new AppError('config_invalid', `A box cannot be allowed ${path}: it would be none.`, {
      fix: 'Name the folders that the server needs under "isolation" in its entry.',
    });
  }
  if (real === undefined) {
    throw new AppError('config_invalid', `It is allowed ${path}, which does not exist.`, {
      fix: 'Create it, or take it out of "isolation" in its entry.',
    });
  }
  return { path, args: [how, real, path] };
}

async function systemMounts(): Promise<readonly string[]> {
  const folders = await Promise.all(
    systemFolders.map(async (folder): Promise<readonly string[]> => {
      const stats = await lstat(folder).catch(() => undefined);
      if (stats === undefined) return [];
      // Of merged systems: /bin is a link to usr/bin.
      if (stats.isSymbolicLink()) return ['--symlink', await readlink(folder), folder];
      return ['--ro-bind', folder, folder];
    }),
  );
  return [...folders.flat(), ...lookedUp.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`])];
}

/** Where names are looked up is a link to a file that the system writes anew. */
async function resolverMounts(): Promise<readonly string[]> {
  const real = await realpath('/etc/resolv.conf').catch(() => undefined);
  return real === undefined || real === '/etc/resolv.conf' ? [] : ['--ro-bind', real, real];
}

/** Covers what is ours and lies below something that was allowed. */
async function hiddenMounts({ folders, files }: OwnPlaces, shown: readonly string[]): Promise<readonly string[]> {
  const isShown = (path: string): boolean => shown.some((place) => isInside(place, path));
  const covered = await Promise.all(
    folders.filter(isShown).map(async (folder) => ((await exists(folder)) ? ['--tmpfs', folder] : [])),
  );
  const beside = await Promise.all(
    files.filter(isShown).map(async (file) => {
      const names = await readdir(dirname(file)).catch(() => []);
      const own = names.filter((name) => name === basename(file) || name.startsWith(`${basename(file)}.`));
      return own.flatMap((name) => ['--ro-bind', '/dev/null', join(dirname(file), name)]);
    }),
  );
  return [...covered.flat(), ...beside.flat()];
}

// Whether this machine has one.

/** Long enough for a busy machine; it does nothing but start. */
const trialMs = 5000;

/** Why there can be no such box here, as a sentence with what helps; undefined: there can. Never rejects. */
export async function sandboxProblem(env: Environment): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'Tooltray has a sandbox on Linux only.';
  const bwrap = await findCommand('bwrap', env);
  if (bwrap === undefined) return 'bubblewrap is not installed. Install the package "bubblewrap" of your system.';
  try {
    const nothing = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL', '--ro-bind', '/', '/', 'true'];
    await promisify(execFile)(bwrap, nothing, { env, timeout: trialMs });
    return undefined;
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() ?? errorText(error);
    return `bubblewrap cannot make a box here (${said}). Where the system forbids it (Ubuntu 24.04 by AppArmor), it needs a profile that allows "userns" for bwrap.`;
  }
}
