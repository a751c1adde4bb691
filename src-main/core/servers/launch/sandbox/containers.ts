/**
 * Runs a server in a container of Docker or Podman: the image stays the one of the first use, permitted paths are
 * mounted under the same names, and the container is removed when it ends, even if its program was killed.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { writeFileAtomic } from '../../../base/atomic-file.ts';
import { AppError, errorText } from '../../../base/errors.ts';
import { isProcessRunning, withSqliteLock } from '../../../base/file-lock.ts';
import { isObject } from '../../../base/json.ts';
import type { Isolation } from '../../../config/server-config.ts';
import { programName } from '../../../trust/pins/launch-fingerprint.ts';
import { isInside } from '../../../security/file-paths.ts';
import { isProtectedPath, type ProtectedPaths, resolveProtectedPaths } from '../../../security/protected-paths.ts';
import { type ResolvedEnv, findCommand } from '../find-command.ts';
import { proxySocketInside, type ProxyRoute } from './egress-proxy.ts';
import type { AgreedPlace } from './agreed-places.ts';
import { pathExists, isSystem, scriptNamed, scriptStep } from './program-files.ts';
import type { ProcessLaunch } from '../process-group.ts';

const run = promisify(execFile);

/** Timeout of `docker` and `podman` commands that start nothing, in ms. */
const commandTimeoutMs = 10_000;
/** Time limit for pulling an image, in ms. */
const pullTimeoutMs = 300_000;

/** The environment that an entry gives its server. */
interface Given {
  /** The entry's own variables. */
  readonly own: ResolvedEnv;
  /** Names of the user's variables that it receives; the common ones come from the image. */
  readonly inherited: readonly string[];
  /** The user's environment without the entry's own variables, for the engine. */
  readonly outside: ResolvedEnv;
}

interface Shown {
  readonly person?: UserContainer | undefined;
  readonly way?: ContainerProxyRoute | undefined;
  /** Paths it may read and write. */
  readonly places: readonly AgreedPlace[];
  /** Paths hidden from every container. */
  readonly hidden: ProtectedPaths;
  /** Options that limit it. */
  readonly limits: readonly string[];
}

/** A container of one of several users. */
export interface UserContainer {
  /** Identifies the user and the server; only one such container runs at a time. */
  readonly identity: string;
  /** Persistent; it has the same path inside. */
  readonly home: string;
}

/** The route of one container to the hosts that it may reach. */
export interface ContainerProxyRoute extends ProxyRoute {
  /** The proxy's socket on this computer. */
  readonly socket: string;
}

interface ContainersOptions {
  /** A private folder of ours. */
  readonly folder: string;
  /**
   * Whether this is the only core, so that containers of this folder at the start are left over from an earlier one.
   */
  readonly isAlone?: boolean;
  /** Variables that Docker and Podman need, if a server's environment lacks them. */
  readonly env?: ResolvedEnv;
}

interface Engine {
  readonly command: string;
  /** Options before `run`. */
  readonly options: readonly string[];
}

/** Images for commands, used if the entry names none. */
const defaultImages: readonly (readonly [RegExp, string])[] = [
  [/^(?:node|npx|npm)$/, 'docker.io/library/node:24-slim'],
  [/^(?:uvx|uv)$/, 'ghcr.io/astral-sh/uv:python3.13-bookworm-slim'],
  [/^python[\d.]*$/, 'docker.io/library/python:3.13-slim'],
];

export class Containers {
  readonly #options: ContainersOptions;
  readonly #images: string;
  readonly #label: string;
  #engine: Engine | undefined;
  #swept: Promise<void> | undefined;

  constructor(options: ContainersOptions) {
    this.#options = options;
    this.#images = `${options.folder}/images.json`;
    this.#label = digest(options.folder);
  }

  /** Removes containers that an earlier core left, if there are any. Never rejects. */
  async removeLeftovers(env: ResolvedEnv): Promise<void> {
    if (!existsSync(this.#images)) return;
    const engine = await this.#findEngine('', this.#ofEngine(env, {})).catch(() => undefined);
    if (engine !== undefined) await this.#sweepOnce(engine, this.#ofEngine(env, {}));
  }

  /**
   * Without `way`, permitted hosts mean no network at all. Rejects with AppError `server_not_started` (no engine, no
   * image), `config_invalid`.
   */
  async confine(
    server: string,
    launch: ProcessLaunch,
    isolate: Isolation,
    given: Given,
    { person, way, places, hidden, limits }: Shown,
  ): Promise<ProcessLaunch> {
    const variables = [...Object.keys(given.own), ...given.inherited];
    const env = this.#ofEngine(given.outside, picked(launch.env, variables));
    const engine = await this.#findEngine(server, env);
    await this.#sweepOnce(engine, env);
    const program = programName(launch.command);
    const wanted = isolate.image ?? defaultImages.find(([name]) => name.test(program))?.[1];
    if (wanted === undefined) {
      throw new AppError('config_invalid', `${server} needs a container image: no known image contains ${program}.`, {
        fix: `Specify one: tooltray sandbox ${server} container --image IMAGE`,
      });
    }
    const image = await this.#imageOf(engine, server, wanted, env);
    const name = `tooltray-${randomBytes(6).toString('hex')}`;
    const container = { program: engine.command, options: engine.options, name, env };
    // A replica that may run it removes what another one left, for any reason.
    if (person !== undefined)
      await removeAll(engine, await listed(engine, `whose=${digest(person.identity)}`, env), env);
    const isEngines = (variable: string): boolean => env[variable] !== launch.env[variable];
    return {
      command: engine.command,
      args: [
        ...[...engine.options, 'run', '--rm', '-i', '--name', name],
        ...['--label', `tooltray.home=${this.#label}`, '--label', `tooltray.core=${process.pid}`],
        ...(person === undefined ? [] : ['--label', `tooltray.whose=${digest(person.identity)}`]),
        ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
        ...['--network', isolate.network === true ? (isolate.networkMode ?? 'bridge') : 'none'],
        ...limits,
        ...(way === undefined ? [] : ['-v', `${way.socket}:${proxySocketInside}:ro`]),
        // By name alone, so that values stay out of the process list; except for folders that have another path for the
        // engine.
        ...variables.flatMap((variable) => [
          '-e',
          isEngines(variable) ? `${variable}=${launch.env[variable] ?? ''}` : variable,
        ]),
        ...Object.entries(way?.env ?? {}).flatMap(([variable, value]) => ['-e', `${variable}=${value}`]),
        ...(await mounts(launch, isolate, { places, hidden, home: person?.home })),
        ...isolate.extraArgs,
        image,
        ...(way?.command ?? []),
        // The program's path on the host does not exist in the image.
        ...[isOfImage(launch.command) ? program : launch.command, ...launch.args],
      ],
      env,
      cwd: undefined,
      leftBehind: {
        container,
        remove: () => removeAll(engine, [name], env),
        // `--rm` does the rest; a container that is being created is removed by the next sweep.
        removeNow: () => {
          spawn(engine.command, [...engine.options, 'kill', name], { env, detached: true, stdio: 'ignore' })
            .on('error', () => undefined)
            .unref();
        },
      },
    };
  }

  /** The user's environment, with passed values; the entry cannot affect the engine. */
  #ofEngine(outside: ResolvedEnv, values: ResolvedEnv): ResolvedEnv {
    const base = { ...outside, ...this.#options.env };
    const handedOn = Object.entries(values).filter(([name]) => !(name in base) && !steersEngine.test(name));
    return { ...base, ...Object.fromEntries(handedOn) };
  }

  /** Runs once, before the first container is created. */
  #sweepOnce(engine: Engine, env: ResolvedEnv): Promise<void> {
    this.#swept ??= this.#removeLeft(engine, env);
    return this.#swept;
  }

  /** Returns Docker if it responds, else Podman. The result is cached. */
  async #findEngine(server: string, env: ResolvedEnv): Promise<Engine> {
    if (this.#engine !== undefined) return this.#engine;
    const docker = await findCommand('docker', env);
    if (docker !== undefined && (await isAvailable(docker, ['version', '--format', '{{.Server.Version}}'], env))) {
      return (this.#engine = { command: docker, options: [] });
    }
    const podman = await findCommand('podman', env);
    if (podman !== undefined && (await isAvailable(podman, ['version'], env))) {
      return (this.#engine = { command: podman, options: await podmanOptions(env) });
    }
    const there =
      docker === undefined ? 'Neither Docker nor Podman was found.' : 'Docker is installed but not responding.';
    throw new AppError('server_not_started', `${server} did not start: no container runtime is available. ${there}`, {
      fix: `Start or install Docker or Podman, or use another sandbox: tooltray sandbox ${server} bubblewrap`,
    });
  }

  /** The image that the name referred to at its first use, by digest, because a tag may move. */
  async #imageOf(engine: Engine, server: string, wanted: string, env: ResolvedEnv): Promise<string> {
    const known = (await this.#readImages())[wanted];
    if (known !== undefined && (await digestOf(engine, known, env)) !== undefined) return known;
    const found = (await digestOf(engine, wanted, env)) ?? (await this.#pull(engine, server, wanted, env));
    await mkdir(dirname(this.#images), { recursive: true, mode: 0o700 });
    await withSqliteLock(this.#images, async () => {
      const images = { ...(await this.#readImages()), [wanted]: found };
      await writeFileAtomic(this.#images, JSON.stringify(images, null, 2), { mode: 0o600 });
    });
    return found;
  }

  async #pull(engine: Engine, server: string, image: string, env: ResolvedEnv): Promise<string> {
    try {
      await run(engine.command, [...engine.options, 'pull', '-q', image], { env, timeout: pullTimeoutMs });
      const found = await digestOf(engine, image, env);
      if (found !== undefined) return found;
      throw new Error('it is missing after the download');
    } catch (error) {
      const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? errorText(error);
      throw new AppError(
        'server_not_started',
        `${server} did not start: the image ${image} could not be downloaded: ${said}`,
        {
          fix: 'Check its name and the network. Tooltray retries automatically.',
        },
      );
    }
  }

  async #readImages(): Promise<Readonly<Record<string, string>>> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#images, 'utf8'));
      return isObject(value) ? (value as Record<string, string>) : {};
    } catch {
      return {};
    }
  }

  /** Removes containers of killed cores of this home. Never rejects. */
  async #removeLeft(engine: Engine, env: ResolvedEnv): Promise<void> {
    try {
      const all = await listed(engine, `home=${this.#label}`, env);
      // If this is the only core, process numbers say nothing: in a restarted container, an earlier core had the same
      // number.
      const left = this.#options.isAlone === true ? all : await orphaned(engine, all, env);
      await removeAll(engine, left, env);
    } catch {
      // They hold nothing that a new one needs.
    }
  }
}

function picked(env: ResolvedEnv, names: readonly string[]): ResolvedEnv {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** Variables that the engine or the system's loader would apply to the engine itself. */
const steersEngine =
  /^(?:LD_|DYLD_|DOCKER_|CONTAINERS?_|PODMAN_|BUILDAH_|STORAGE_|REGISTRY_|XDG_|GO[A-Z]+$|(?:HOME|USERPROFILE|TMPDIR|PATH|SSL_CERT_FILE|SSL_CERT_DIR|(?:https?|all|no)_proxy)$)/i;

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Ids of containers with a label of Tooltray. Rejects if the engine cannot list them. */
async function listed({ command, options }: Engine, label: string, env: ResolvedEnv): Promise<readonly string[]> {
  const ask = [...options, 'ps', '-a', '-q', '--filter', `label=tooltray.${label}`];
  const { stdout } = await run(command, ask, { env, timeout: commandTimeoutMs });
  return stdout.split('\n').filter((id) => id !== '');
}

/** Containers whose core no longer runs. */
async function orphaned({ command, options }: Engine, ids: readonly string[], env: ResolvedEnv): Promise<string[]> {
  if (ids.length === 0) return [];
  // Docker can list one label, Podman cannot.
  const ask = [...options, 'inspect', '--format', '{{.Id}} {{index .Config.Labels "tooltray.core"}}', ...ids];
  const output = run(command, ask, { env, timeout: commandTimeoutMs });
  // Fails for a container that has ended meanwhile, but still lists the others.
  const { stdout } = await output.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  return stdout.split('\n').flatMap((line) => {
    const [id = '', core = ''] = line.trim().split(' ');
    return id === '' || isProcessRunning(Number(core)) ? [] : [id];
  });
}

/** Never rejects. */
async function removeAll({ command, options }: Engine, names: readonly string[], env: ResolvedEnv): Promise<void> {
  if (names.length === 0) return;
  // Podman's `rm -f` alone sends SIGTERM and waits ten seconds for a program that ignores it.
  for (const how of [['kill'], ['rm', '-f']])
    await run(command, [...options, ...how, ...names], { env, timeout: commandTimeoutMs }).catch(() => undefined);
}

async function isAvailable(command: string, args: readonly string[], env: ResolvedEnv): Promise<boolean> {
  return run(command, [...args], { env, timeout: commandTimeoutMs }).then(
    () => true,
    () => false,
  );
}

/** Options for systems with both cgroup versions, which crun refuses and runc supports. */
async function podmanOptions(env: ResolvedEnv): Promise<readonly string[]> {
  const [crun, runc] = await Promise.all(['crun', 'runc'].map((name) => findCommand(name, env)));
  const isHybrid = existsSync('/sys/fs/cgroup/unified');
  return runc !== undefined && (crun === undefined || isHybrid) ? ['--runtime', 'runc'] : [];
}

async function digestOf({ command, options }: Engine, image: string, env: ResolvedEnv): Promise<string | undefined> {
  const ask = [...options, 'image', 'inspect', '--format', '{{.Id}}', image];
  const { stdout } = await run(command, ask, { env, timeout: commandTimeoutMs }).catch(() => ({ stdout: '' }));
  return stdout.trim() === '' ? undefined : stdout.trim();
}

/**
 * Mounts the real paths of the allowed places under their local names, and the script with its package read-only. The
 * engine resolves paths itself, so nothing is mounted inside a writable path. Throws AppError `config_invalid`.
 */
async function mounts(
  launch: ProcessLaunch,
  isolate: Isolation,
  { places, hidden, home }: Pick<Shown, 'places' | 'hidden'> & { readonly home: string | undefined },
): Promise<readonly string[]> {
  const { command, args, env, cwd } = launch;
  const script = await scriptNamed(command, args, cwd);
  const folder = script === undefined ? undefined : (await scriptStep(script, env)).folder;
  const own = await resolveProtectedPaths(hidden);
  const requested = [...isolate.read, ...(isolate.write ?? [])];
  const found = await Promise.all(
    places.map(async (place) => (requested.includes(place.path) || (await pathExists(place.real)) ? [place] : [])),
  );
  const program = folder === undefined || isSystem(folder) ? [] : [{ path: folder, real: folder, writable: false }];
  const shown = [...program, ...found.flat()].filter(({ real }) => !isProtectedPath(own, real));
  const written = shown.filter(({ writable }) => writable);
  const files = own.files.filter((file) => !own.folders.some((ours) => isInside(ours, file)));
  for (const { path, real, writable } of shown) {
    const around = written.find((place) => place.real !== real && isInside(place.real, real));
    if (around !== undefined && !writable) throw insideOf(path, around.path);
    const holdsFolder = own.folders.some((ours) => isInside(real, ours));
    const holdsFile = files.some((ours) => isInside(real, ours));
    if ((holdsFolder && writable) || (holdsFile && (writable || requested.includes(path)))) throw holdsOurs(path);
  }
  const outer = shown.filter(({ real }) => !written.some((place) => place.real !== real && isInside(place.real, real)));
  const covered = own.folders.filter((ours) => outer.some(({ real }) => isInside(real, ours)) && existsSync(ours));
  const masked = files.filter((file) => outer.some(({ real }) => isInside(real, file)) && existsSync(file));
  const at = isolate.workingDir ?? cwd;
  return [
    ...outer.flatMap(({ path, real, writable }) => ['-v', `${real}:${path}${writable ? '' : ':ro'}`]),
    ...(home === undefined || outer.some(({ path }) => path === home) ? [] : ['-v', `${home}:${home}`]),
    ...covered.flatMap((ours) => ['--tmpfs', ours]),
    ...masked.flatMap((file) => ['-v', `/dev/null:${file}:ro`]),
    ...(at === undefined ? [] : ['-w', at]),
  ];
}

function insideOf(path: string, around: string): AppError {
  return new AppError('config_invalid', `${path} is read-only but is inside ${around}, which is writable.`, {
    fix: 'Change the folders in "isolation" in its entry.',
  });
}

function holdsOurs(path: string): AppError {
  return new AppError(
    'config_invalid',
    `A container must not have access to ${path}: it contains Tooltray's own files.`,
    {
      fix: 'List the folders that the server needs in "isolation" in its entry.',
    },
  );
}

/** Whether the command is an interpreter path of this computer; the image has its own. */
function isOfImage(command: string): boolean {
  return /[/\\]/.test(command) && defaultImages.some(([name]) => name.test(programName(command)));
}
