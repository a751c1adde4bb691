/**
 * A bubblewrap sandbox (Linux) for a server: it sees the system's programs, its own files, permitted paths, and a
 * private home, no other files and processes, and only the permitted network. Its descendants end with it.
 */
import { execFile } from 'node:child_process';
import { type FileHandle, lstat, mkdir, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { AppError, errorText } from '../../../base/errors.ts';
import type { Isolation } from '../../../config/server-config.ts';
import { isInside } from '../../../security/file-paths.ts';
import {
  isProtectedPath,
  type ProtectedPaths,
  realOf,
  resolveProtectedPaths,
} from '../../../security/protected-paths.ts';
import { type ResolvedEnv, findCommand } from '../find-command.ts';
import type { ProcessLaunch } from '../process-group.ts';
import { markVariable } from '../process-tree.ts';
import type { AgreedPlace } from './agreed-places.ts';
import { enclosing, type Mount, type Place, planMounts } from './mount-plan.ts';
import { proxySocketInside, socatRoute } from './egress-proxy.ts';
import { isSystem, type ProgramStep, systemFolders } from './program-files.ts';
import { linksOnTheWay, makeBelow, openRealPath } from './real-paths.ts';

export interface Sandbox {
  /** Its existing private home; undefined: an empty one in memory. */
  readonly home: string | undefined;
  /** Paths that stay hidden inside. */
  readonly hidden: ProtectedPaths;
  /** Folders of Tooltray that stay readable: its installed package. */
  readonly own: readonly string[];
  /** Paths it may read and write. */
  readonly places: readonly AgreedPlace[];
  /** The files of its program, the executable first. */
  readonly program: readonly ProgramStep[];
  /** Words before the program that limit it. */
  readonly limits?: readonly string[] | undefined;
  /** The proxy's socket, if only some hosts are reachable. */
  readonly proxySocket?: string;
  /** The user's environment, used to find bubblewrap, so that the entry's variables cannot affect its sandbox. */
  readonly outside: ResolvedEnv;
}

/** Files of /etc that programs need; others may hold secrets of the machine. */
const lookedUp = [
  ...['alternatives', 'ca-certificates', 'ca-certificates.conf', 'fonts', 'gai.conf', 'group', 'host.conf', 'hosts'],
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'machine-id', 'mime.types', 'nsswitch.conf'],
  ...['os-release', 'passwd', 'pki', 'protocols', 'resolv.conf', 'services', 'ssl', 'timezone', 'java', 'python3'],
  // Debian's browser launchers read their flags there, and exit without them.
  ...['chromium', 'chromium.d', 'firefox', 'firefox-esr'],
];

/** Variables with paths outside of the sandbox; without them each program uses its home. */
const leadsOut =
  /^(?:XDG_\w+_HOME|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|TMPDIR|TMP|TEMP|npm_config_cache|PWD)$/;

/** Proxy variables, which may contain a password; omitted without network access. */
const proxy = /^(?:https?|all|no)_proxy$/i;

/**
 * Returns the same launch inside a sandbox. `own`: the entry's variables. Rejects with AppError `config_invalid` for
 * paths that cannot be permitted, `server_not_started` for paths that have changed. A caller that does not start it
 * must close its descriptors.
 */
export async function wrapInBubblewrap(
  launch: ProcessLaunch,
  own: ResolvedEnv,
  isolate: Isolation,
  box: Sandbox,
): Promise<ProcessLaunch> {
  const { args, env, cwd } = launch;
  const bwrap = await findSandbox(box.outside);
  if (bwrap.command === undefined) throw new AppError('server_not_started', bwrap.problem);
  const home = env['HOME'] ?? '/home/box';
  const view = await viewOf({ ...box, hidden: await resolveProtectedPaths(box.hidden) }, isolate, { home, cwd });
  const mounts = await mountsOf(view, bwrap.takesDescriptors);
  const isUseless = (name: string): boolean => leadsOut.test(name) || (isolate.network === false && proxy.test(name));
  const inside = Object.entries(env).filter(([name]) => !isUseless(name) || name in own);
  const way = typeof isolate.network === 'boolean' ? undefined : socatRoute(isolate.network);
  const variables = Object.entries({ ...Object.fromEntries(inside), ...way?.env, HOME: home });
  const program = box.program[0]?.name ?? launch.command;
  const words = [
    ...['--unshare-all', ...(isolate.network === true ? ['--share-net'] : [])],
    ...['--die-with-parent', '--cap-drop', 'ALL'],
    ...(await systemMounts()),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/run'],
    ...(isolate.network === true ? await resolverMounts() : []),
    ...(box.proxySocket === undefined
      ? []
      : ['--dir', dirname(proxySocketInside), '--ro-bind', box.proxySocket, proxySocketInside]),
    ...mounts.words,
    ...(cwd !== undefined && isolate.forgets === 'everything' ? ['--dir', cwd] : []),
    // Folders between the mounts are read-only.
    ...['--remount-ro', '/', '--chdir', cwd ?? home],
    // The whole environment of bubblewrap itself.
    ...[
      '--unsetenv',
      'PATH',
      '--unsetenv',
      markVariable,
      ...variables.flatMap(([name, value]) => ['--setenv', name, value]),
    ],
  ];
  return {
    command: bwrap.command,
    // Values of variables stay out of the process list, and out of the environment of bubblewrap, whose loader would
    // use them.
    args: [
      '--args',
      String(firstDescriptor + mounts.opened.length),
      '--',
      ...(box.limits ?? []),
      ...(way?.command ?? []),
      program,
      ...args,
    ],
    env: { PATH: box.outside['PATH'] ?? '' },
    cwd: '/',
    descriptors: mounts.opened,
    input: words.map((word) => `${word}\0`).join(''),
  };
}

/** Files visible to the server in addition to the system. All paths are real. */
interface View {
  readonly home: Place | undefined;
  /** An empty home in memory, without another home. */
  readonly emptyHome: string | undefined;
  readonly places: readonly Place[];
  /** Visible although inside a hidden folder. */
  readonly own: readonly string[];
  readonly hidden: ProtectedPaths;
  readonly links: ReadonlyMap<string, string>;
}

interface Folders {
  readonly home: string;
  readonly cwd: string | undefined;
}

async function viewOf(box: Sandbox, isolate: Isolation, { home, cwd }: Folders): Promise<View> {
  const { hidden, program } = box;
  const allowed = await allowedPlaces(box.places, isolate, hidden, cwd);
  const folders = program.map(({ folder }) => folder).filter((folder) => !isSystem(folder));
  const isOurs = (path: string): boolean => isProtectedPath(hidden, path);
  const places = [
    ...folders.filter((folder) => !isOurs(folder)).map((path) => ({ path, writable: false })),
    ...allowed.filter(({ path }) => !isOurs(path)),
  ];
  const realHome = await realOf(home);
  // If the user's home was allowed, the sandbox sees that home.
  const hasOwn = !places.some(({ path }) => isInside(path, realHome));
  const source = box.home === undefined ? undefined : await realpath(box.home);
  const named = [home, ...(cwd === undefined ? [] : [cwd]), ...box.places.map(({ path }) => path)];
  const ways = await Promise.all(named.map(linksOnTheWay));
  return {
    home: hasOwn && source !== undefined ? { path: realHome, writable: true, source } : undefined,
    emptyHome: hasOwn && source === undefined ? realHome : undefined,
    places,
    own: [...new Set([...box.own, ...[...folders, ...allowed.map(({ path }) => path)].filter(isOurs)])],
    hidden,
    links: new Map([...ways, ...program.map(({ links }) => links)].flatMap((links) => [...links])),
  };
}

/** Returns the allowed paths that exist. Throws AppError `config_invalid` for paths that no sandbox may have. */
async function allowedPlaces(
  agreed: readonly AgreedPlace[],
  { read, write = [] }: Isolation,
  hidden: ProtectedPaths,
  cwd: string | undefined,
): Promise<readonly Place[]> {
  const found = await Promise.all(
    agreed.map(async ({ path, real, writable }): Promise<Place[]> => {
      const isRequested = read.includes(path) || write.includes(path);
      if (/^\/(?:$|(?:proc|dev|sys)(?:\/|$))/.test(real)) throw unallowable(path, 'nothing would be isolated');
      const isOurs = isProtectedPath(hidden, real);
      if (isOurs && isRequested) throw unallowable(path, "it is one of Tooltray's own files");
      // The folder of an unpacked bundle belongs to its program; other folders of Tooltray stay hidden even if a server
      // names them.
      if (isOurs && path !== cwd) return [];
      const holdsOwn = hidden.files.some((file) => isInside(real, file) && !isCovered(hidden, file));
      if (holdsOwn && (isRequested || writable)) throw unallowable(path, "it contains Tooltray's config file");
      const exists = await stat(real).then(
        () => true,
        () => false,
      );
      if (!exists && isRequested) throw notThere(path);
      return exists ? [{ path: real, writable: writable && !isOurs }] : [];
    }),
  );
  return found.flat();
}

function isCovered({ folders }: ProtectedPaths, file: string): boolean {
  return folders.some((folder) => isInside(folder, file));
}

function unallowable(path: string, why: string): AppError {
  return new AppError('config_invalid', `A sandbox must not have access to ${path}: ${why}.`, {
    fix: 'List the folders that the server needs in "isolation" in its entry.',
  });
}

function notThere(path: string): AppError {
  return new AppError('config_invalid', `Its allowed path ${path} does not exist.`, {
    fix: 'Create it, or remove it from "isolation" in its entry.',
  });
}

interface Mounted {
  readonly words: readonly string[];
  readonly opened: readonly FileHandle[];
}

/** After stdin, stdout and stderr. */
const firstDescriptor = 3;

async function mountsOf(view: View, takesDescriptors: boolean): Promise<Mounted> {
  const { home, emptyHome, places, own, hidden, links } = view;
  const shown = [...places, ...(home === undefined ? [] : [home])];
  const covers = hidden.folders.filter((folder) => places.some(({ path }) => isInside(path, folder)));
  // Created up front: the server could otherwise create the folder later and link it to any place.
  for (const folder of covers) await mkdir(folder, { recursive: true, mode: 0o700 });
  const planned = planMounts(shown, hidden.folders, own);
  if (home?.source !== undefined) await prepareHome(home.path, home.source, shown, planned);
  const opened: FileHandle[] = [];
  const words: string[] = emptyHome === undefined ? [] : ['--tmpfs', emptyHome];
  try {
    for (const mount of planned) {
      if (mount.kind === 'empty') words.push('--tmpfs', mount.path);
      else {
        const at = firstDescriptor + opened.push(await openRealPath(mount.source)) - 1;
        const how = mount.writable ? '--bind' : '--ro-bind';
        words.push(...(takesDescriptors ? [`${how}-fd`, String(at)] : [how, mount.source]), mount.path);
      }
    }
    // A launcher without descriptor support would pass them on to the server.
    if (!takesDescriptors) await Promise.all(opened.splice(0).map((handle) => handle.close()));
    for (const file of await filesBeside(hidden, places)) words.push('--ro-bind', '/dev/null', file);
    const isSeen = (link: string): boolean =>
      isSystem(link) || places.some(({ path }) => isInside(path, link)) || own.some((path) => isInside(path, link));
    for (const [link, target] of links) {
      if (isSeen(link)) continue;
      if (home?.source !== undefined && isInside(home.path, link))
        await makeBelow(home.source, relative(home.path, link), { target });
      else words.push('--symlink', target, link);
    }
    return { words, opened };
  } catch (error) {
    await Promise.all(opened.map((handle) => handle.close()));
    throw error;
  }
}

/** Creates mount points in the private home, where the server may have planted links since its last start. */
async function prepareHome(
  home: string,
  source: string,
  shown: readonly Place[],
  planned: readonly Mount[],
): Promise<void> {
  for (const mount of planned) {
    if (mount.path === home || !isInside(home, mount.path)) continue;
    if (enclosing(shown, mount.path)?.path !== home) continue;
    // A file in a bound home is created together with its content.
    if (mount.kind === 'bind' && isInside(source, mount.source)) continue;
    const isFile = mount.kind === 'bind' && !(await stat(mount.source)).isDirectory();
    await makeBelow(source, relative(home, mount.path), isFile ? 'file' : 'folder');
  }
}

/** Files of Tooltray inside the readable paths, including siblings with the same prefix. */
export async function filesBeside(hidden: ProtectedPaths, places: readonly Place[]): Promise<readonly string[]> {
  const files = [...new Set(hidden.files)].filter(
    (file) => !isCovered(hidden, file) && places.some(({ path }) => isInside(path, file)),
  );
  const beside = await Promise.all(
    files.map(async (file) => {
      const names = await readdir(dirname(file)).catch(() => []);
      const own = names.filter((name) => name === basename(file) || name.startsWith(`${basename(file)}.`));
      return own.map((name) => join(dirname(file), name));
    }),
  );
  return beside.flat();
}

async function systemMounts(): Promise<readonly string[]> {
  const folders = await Promise.all(
    systemFolders.map(async (folder): Promise<readonly string[]> => {
      const stats = await lstat(folder).catch(() => undefined);
      if (stats === undefined) return [];
      // On merged systems, /bin is a link to usr/bin.
      if (stats.isSymbolicLink()) return ['--symlink', await readlink(folder), folder];
      return ['--ro-bind', folder, folder];
    }),
  );
  return [...folders.flat(), ...lookedUp.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`])];
}

/** Mounts the target of /etc/resolv.conf, if that is a link to a file which the system rewrites. */
export async function resolverMounts(): Promise<readonly string[]> {
  const real = await realpath('/etc/resolv.conf').catch(() => undefined);
  return real === undefined || real === '/etc/resolv.conf' ? [] : ['--ro-bind', real, real];
}

/** Time limit of the probe, in ms, long enough for a busy machine. */
const probeTimeoutMs = 5000;

/** The bubblewrap of this computer, or a sentence that says why there is no sandbox and how to fix it. */
export type FoundSandbox =
  | { readonly command: string; readonly takesDescriptors: boolean }
  | { readonly command: undefined; readonly problem: string };

/** Never rejects. */
export async function findSandbox(env: ResolvedEnv): Promise<FoundSandbox> {
  const none = (problem: string): FoundSandbox => ({ command: undefined, problem });
  if (process.platform !== 'linux') return none('The sandbox is available on Linux only.');
  const command = await findCommand('bwrap', env);
  if (command === undefined) return none('bubblewrap is not installed. Install your system’s "bubblewrap" package.');
  const run = promisify(execFile);
  const options = { env: { PATH: env['PATH'] ?? '' }, cwd: '/', timeout: probeTimeoutMs };
  try {
    const nothing = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL', '--ro-bind', '/', '/', 'true'];
    await run(command, nothing, options);
    const { stdout } = await run(command, ['--help'], options);
    return { command, takesDescriptors: stdout.includes('--ro-bind-fd') };
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() ?? errorText(error);
    return none(
      `bubblewrap cannot create a sandbox here (${said}). If the system forbids it (Ubuntu 24.04 does, with AppArmor), add a profile that allows "userns" for bwrap.`,
    );
  }
}

/** Why there can be no sandbox; undefined if there can. Never rejects. */
export async function sandboxUnavailableReason(env: ResolvedEnv): Promise<string | undefined> {
  const found = await findSandbox(env);
  return found.command === undefined ? found.problem : undefined;
}
