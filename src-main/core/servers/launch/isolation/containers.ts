/**
 * A server in a container of Docker or Podman: of an image that stays the one it was at first, with what its entry allows mounted under the
 * same names, and removed when it ends, whatever became of the program that started it.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { writeFileAtomic } from '../../../base/atomic-file.ts';
import { AppError, errorText } from '../../../base/errors.ts';
import { isRunning, withFileLock } from '../../../base/file-lock.ts';
import { isObject } from '../../../base/json.ts';
import type { Isolation } from '../../../config/app-config.ts';
import { programName } from '../../../trust/pins/launch.ts';
import { type Environment, findCommand } from '../find-command.ts';
import { isSystem, namedPlaces, programFiles } from './program-files.ts';
import type { Launch } from '../process-group.ts';

const run = promisify(execFile);

/** What `docker` and `podman` are asked besides starting something may take so long, in ms. */
const askMs = 10_000;
/** An image over a slow line. */
const pullMs = 300_000;

/** What its entry gives a server of the environment. */
interface Given {
  /** The entry's own variables. */
  readonly own: Environment;
  /** Names of the person's variables that it gets; the common ones are those of the image. */
  readonly inherited: readonly string[];
}

interface Engine {
  readonly command: string;
  /** What stands before `run`. */
  readonly options: readonly string[];
}

/** Images that have what a command needs, where the entry names none. */
const usualImages: readonly (readonly [RegExp, string])[] = [
  [/^(?:node|npx|npm)$/, 'docker.io/library/node:24-slim'],
  [/^(?:uvx|uv)$/, 'ghcr.io/astral-sh/uv:python3.13-bookworm-slim'],
  [/^python[\d.]*$/, 'docker.io/library/python:3.13-slim'],
];

export class Containers {
  readonly #images: string;
  readonly #label: string;
  #engine: Engine | undefined;
  #swept: Promise<void> | undefined;

  /** `folder`: ours, private. */
  constructor(folder: string) {
    this.#images = `${folder}/images.json`;
    this.#label = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  }

  /** Rejects with AppError server_not_started (no engine, no image), config_invalid. */
  async confine(server: string, launch: Launch, isolate: Isolation, given: Given): Promise<Launch> {
    if (typeof isolate.network !== 'boolean') {
      throw new AppError(
        'config_invalid',
        `${server} is to reach some hosts alone, which a container cannot be held to.`,
        {
          fix: `Run it in a sandbox, or say of its network as a whole whether it has it: tooltray isolate ${server} container --network`,
        },
      );
    }
    const engine = await this.#findEngine(server, launch.env);
    this.#swept ??= this.#removeLeft(engine, launch.env);
    await this.#swept;
    const program = programName(launch.command);
    const wanted = isolate.image ?? usualImages.find(([name]) => name.test(program))?.[1];
    if (wanted === undefined) {
      throw new AppError(
        'config_invalid',
        `${server} needs an image for its container: ${program} is in none that is known.`,
        {
          fix: `Name one: tooltray isolate ${server} container --image IMAGE`,
        },
      );
    }
    const image = await this.#imageOf(engine, server, wanted, launch.env);
    const name = `tooltray-${randomBytes(6).toString('hex')}`;
    const remove = [...engine.options, 'rm', '-f', name];
    return {
      command: engine.command,
      args: [
        ...[...engine.options, 'run', '--rm', '-i', '--name', name],
        ...['--label', `tooltray.home=${this.#label}`, '--label', `tooltray.core=${process.pid}`],
        ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
        ...['--network', isolate.network ? (isolate.networkMode ?? 'bridge') : 'none'],
        // By name alone: what is in them stands in no list of processes.
        ...[...Object.keys(given.own), ...given.inherited].flatMap((variable) => ['-e', variable]),
        ...(await mounts(launch, isolate, given.own)),
        ...isolate.extraArgs,
        image,
        // Where a program lies here says nothing there.
        ...[isOfImage(launch.command) ? program : launch.command, ...launch.args],
      ],
      env: launch.env,
      cwd: undefined,
      leftBehind: {
        remove: async () => {
          await run(engine.command, remove, { env: launch.env, timeout: askMs }).catch(() => undefined);
        },
        removeNow: () => {
          spawn(engine.command, remove, { env: launch.env, detached: true, stdio: 'ignore' })
            .on('error', () => undefined)
            .unref();
        },
      },
    };
  }

  /** Docker where it answers, else Podman. One that answered once is asked no more. */
  async #findEngine(server: string, env: Environment): Promise<Engine> {
    if (this.#engine !== undefined) return this.#engine;
    const docker = await findCommand('docker', env);
    if (docker !== undefined && (await answers(docker, ['version', '--format', '{{.Server.Version}}'], env))) {
      return (this.#engine = { command: docker, options: [] });
    }
    const podman = await findCommand('podman', env);
    if (podman !== undefined && (await answers(podman, ['version'], env))) {
      return (this.#engine = { command: podman, options: await podmanOptions(env) });
    }
    const there =
      docker === undefined ? 'Neither Docker nor Podman was found.' : 'Docker is installed and does not answer.';
    throw new AppError('server_not_started', `${server} did not start: its container cannot be had. ${there}`, {
      fix: `Start or install one of them, or run it otherwise: tooltray isolate ${server} sandbox`,
    });
  }

  /** The image that the name stood for when it was first used, by its digest: a tag may be another image tomorrow. */
  async #imageOf(engine: Engine, server: string, wanted: string, env: Environment): Promise<string> {
    const known = (await this.#readImages())[wanted];
    if (known !== undefined && (await digestOf(engine, known, env)) !== undefined) return known;
    const found = (await digestOf(engine, wanted, env)) ?? (await this.#pull(engine, server, wanted, env));
    await mkdir(dirname(this.#images), { recursive: true, mode: 0o700 });
    await withFileLock(this.#images, async () => {
      const images = { ...(await this.#readImages()), [wanted]: found };
      await writeFileAtomic(this.#images, JSON.stringify(images, null, 2), { mode: 0o600 });
    });
    return found;
  }

  async #pull(engine: Engine, server: string, image: string, env: Environment): Promise<string> {
    try {
      await run(engine.command, [...engine.options, 'pull', '-q', image], { env, timeout: pullMs });
      const digest = await digestOf(engine, image, env);
      if (digest !== undefined) return digest;
      throw new Error('it is not there after it was fetched');
    } catch (error) {
      const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? errorText(error);
      throw new AppError(
        'server_not_started',
        `${server} did not start: the image ${image} could not be had: ${said}`,
        {
          fix: 'Check its name and the network; it is tried again.',
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

  /** Containers of cores of this home that were killed. Never rejects. */
  async #removeLeft({ command, options }: Engine, env: Environment): Promise<void> {
    try {
      const format = '{{.ID}} {{.Label "tooltray.core"}}';
      const ask = [...options, 'ps', '-a', '--filter', `label=tooltray.home=${this.#label}`, '--format', format];
      const { stdout } = await run(command, ask, { env, timeout: askMs });
      const left = stdout.split('\n').flatMap((line) => {
        const [id = '', core = ''] = line.trim().split(' ');
        return id === '' || isRunning(Number(core)) ? [] : [id];
      });
      if (left.length > 0) await run(command, [...options, 'rm', '-f', ...left], { env, timeout: askMs });
    } catch {
      // They hold nothing that a new one needs.
    }
  }
}

async function answers(command: string, args: readonly string[], env: Environment): Promise<boolean> {
  return run(command, [...args], { env, timeout: askMs }).then(
    () => true,
    () => false,
  );
}

/** crun refuses systems with both kinds of cgroups, which runc does not. */
async function podmanOptions(env: Environment): Promise<readonly string[]> {
  const [crun, runc] = await Promise.all(['crun', 'runc'].map((name) => findCommand(name, env)));
  const isHybrid = existsSync('/sys/fs/cgroup/unified');
  return runc !== undefined && (crun === undefined || isHybrid) ? ['--runtime', 'runc'] : [];
}

async function digestOf({ command, options }: Engine, image: string, env: Environment): Promise<string | undefined> {
  const ask = [...options, 'image', 'inspect', '--format', '{{.Id}}', image];
  const { stdout } = await run(command, ask, { env, timeout: askMs }).catch(() => ({ stdout: '' }));
  return stdout.trim() === '' ? undefined : stdout.trim();
}

/** What is allowed, under the names that it has here; the script that is run, with its package, to be read. */
async function mounts(launch: Launch, isolate: Isolation, own: Environment): Promise<readonly string[]> {
  const { command, args, env, cwd } = launch;
  const { script, others } = await namedPlaces(command, args, own, cwd);
  const folders = script === undefined ? [] : (await programFiles(script, { ...env, PATH: '' })).folders;
  const reads = [...folders, ...(cwd === undefined ? [] : [cwd]), ...isolate.read];
  const writes = isolate.write ?? others.filter((path) => !isSystem(path));
  const at = isolate.workingDir ?? cwd;
  return [
    ...reads.flatMap((path) => ['-v', `${path}:${path}:ro`]),
    ...writes.flatMap((path) => ['-v', `${path}:${path}`]),
    ...(at === undefined ? [] : ['-w', at]),
  ];
}

/** An interpreter of this computer, by its path: the image has its own. */
function isOfImage(command: string): boolean {
  return /[/\\]/.test(command) && usualImages.some(([name]) => name.test(programName(command)));
}
