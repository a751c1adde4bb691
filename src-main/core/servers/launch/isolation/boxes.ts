/** Starts servers in the box that their entry asks for, or says why that cannot be: never without one that was wanted. */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { AppPaths } from '../../../base/app-paths.ts';
import { AppError } from '../../../base/errors.ts';
import type { Isolation } from '../../../config/app-config.ts';
import { type OwnPlaces, ownPlaces } from '../../../security/own-places.ts';
import { type Environment, findCommand } from '../find-command.ts';
import { Containers, type PersonsOwn } from './containers.ts';
import { HostDoors, type OnRefused } from './named-hosts.ts';
import { NpmPackages } from './npm-packages.ts';
import type { Launch } from '../process-group.ts';
import { inSandbox, sandboxProblem } from './sandbox.ts';

interface BoxesOptions {
  /** Of ours, private: homes of the boxes and packages that are installed for them. */
  readonly folder: string;
  /** What nobody in a box sees. */
  readonly hidden: OwnPlaces;
  /** Where sockets may lie. */
  readonly sockets: string;
  readonly onRefused: OnRefused;
  /** Of one person among many: containers are those of all of them. */
  readonly person?: { readonly containers: Containers; readonly identity: string } | undefined;
}

export interface BoxedLaunch extends Launch {
  readonly serverName: string;
  /** The entry's own variables. */
  readonly own: Environment;
  /** Names of the person's variables that it gets. */
  readonly inherited: readonly string[];
  readonly isolate: Isolation;
}

export class Boxes {
  readonly #options: BoxesOptions;
  readonly #packages: NpmPackages;
  readonly #containers: Containers;
  readonly #doors: HostDoors;
  #problem: Promise<string | undefined> | undefined;

  constructor(options: BoxesOptions) {
    this.#options = options;
    this.#packages = new NpmPackages(join(options.folder, 'npm'));
    this.#containers = options.person?.containers ?? new Containers({ folder: options.folder });
    this.#doors = new HostDoors(options.sockets, options.onRefused);
  }

  /** What is to be started. Rejects with AppError server_not_started where the box cannot be had, config_invalid. */
  async confine(wanted: BoxedLaunch): Promise<Launch> {
    const { serverName, own, isolate, command, args, env, cwd } = wanted;
    const launch = { command, args, env, cwd };
    if (isolate.kind === 'container')
      return this.#containers.confine(serverName, launch, isolate, wanted, this.#personsOwn(serverName, env));
    const problem = await this.sandboxProblem(env);
    if (problem !== undefined) {
      if (isolate.kind === 'auto') return launch;
      throw unavailable(serverName, problem);
    }
    const installed = (await this.#packages.install(serverName, launch)) ?? { launch, folders: [] };
    const box = {
      home: isolate.forgets ? undefined : join(this.#options.folder, 'homes', folderName(serverName)),
      hidden: this.#options.hidden,
      own: installed.folders,
    };
    const { network } = isolate;
    if (typeof network === 'boolean') return inSandbox(installed.launch, own, isolate, box);
    if ((await findCommand('socat', env)) === undefined) throw unavailable(serverName, noSocat);
    const door = await this.#doors.open(serverName, network);
    try {
      const boxed = await inSandbox(installed.launch, own, isolate, { ...box, door: door.socket });
      return { ...boxed, leftBehind: { remove: () => Promise.resolve(door.close()), removeNow: () => door.close() } };
    } catch (error) {
      door.close();
      throw error;
    }
  }

  #personsOwn(server: string, { HOME: home }: Environment): PersonsOwn | undefined {
    const { person } = this.#options;
    if (person === undefined || home === undefined) return undefined;
    return { identity: JSON.stringify([person.identity, server]), home };
  }

  /** Why there is no sandbox on this machine, asked once; undefined: there is one. Never rejects. */
  sandboxProblem(env: Environment): Promise<string | undefined> {
    this.#problem ??= sandboxProblem(env);
    return this.#problem;
  }
}

/** Of a home of Tooltray that uses `configFile`. */
export function openBoxes(paths: AppPaths, configFile: string, onRefused: OnRefused = () => undefined): Boxes {
  return new Boxes({
    folder: join(paths.dataDir, 'boxes'),
    hidden: ownPlaces(paths, configFile),
    sockets: dirname(paths.socketPath),
    onRefused,
  });
}

const noSocat =
  'Which hosts a sandbox reaches can be chosen only where socat is installed. Install the package "socat" of your system, or give it the network as a whole.';

/** Names may hold anything, and no two share a home. */
function folderName(server: string): string {
  const digest = createHash('sha256').update(server).digest('hex').slice(0, 8);
  return `${server.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 40)}-${digest}`;
}

function unavailable(server: string, problem: string): AppError {
  return new AppError('server_not_started', `${server} did not start: its box cannot be had. ${problem}`, {
    fix: `To let it run as your own programs do: tooltray isolate ${server} none`,
  });
}
