/** Starts servers in the box that their entry asks for, or says why that cannot be: never without one that was wanted. */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { AppPaths } from '../../../base/app-paths.ts';
import { AppError } from '../../../base/errors.ts';
import type { Isolation } from '../../../config/app-config.ts';
import { type OwnPlaces, ownPlaces } from '../../../security/own-places.ts';
import { programName } from '../../../trust/pins/launch.ts';
import { type Environment, findCommand } from '../find-command.ts';
import { Containers, type PersonsOwn } from './containers.ts';
import { type HostDoor, HostDoors, type OnRefused, throughDoorBy } from './named-hosts.ts';
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
    if (isolate.kind === 'container') return this.#inContainer(launch, wanted);
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
    return behindDoor(door, () => inSandbox(installed.launch, own, isolate, { ...box, door: door.socket }));
  }

  async #inContainer(launch: Launch, wanted: BoxedLaunch): Promise<Launch> {
    const { serverName: server, isolate, env } = wanted;
    const person = this.#personsOwn(server, env);
    if (typeof isolate.network === 'boolean')
      return this.#containers.confine(server, launch, isolate, wanted, { person });
    const by = throughDoorBy(programName(launch.command), isolate.network);
    const problem = doorProblem(isolate) ?? (by === undefined ? noForwarder : undefined);
    if (by === undefined || problem !== undefined) throw notHeld(server, problem ?? noForwarder);
    const door = await this.#doors.open(server, isolate.network, true);
    const way = { ...by, socket: door.socket };
    return behindDoor(door, () => this.#containers.confine(server, launch, isolate, wanted, { person, way }));
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

/** What is made goes when its door is closed, and the door with it. */
async function behindDoor(door: HostDoor, make: () => Promise<Launch>): Promise<Launch> {
  try {
    const made = await make();
    const { leftBehind } = made;
    return {
      ...made,
      leftBehind: {
        ...leftBehind,
        remove: async () => {
          door.close();
          await leftBehind?.remove();
        },
        removeNow: () => {
          door.close();
          leftBehind?.removeNow();
        },
      },
    };
  } catch (error) {
    door.close();
    throw error;
  }
}

const noForwarder = 'what opens its way to them needs Node.js or Python in its image, and its program is neither';

function doorProblem({ extraArgs }: Isolation): string | undefined {
  // A socket of this computer cannot be shown to the one that containers run on there.
  if (process.platform !== 'linux') return 'Tooltray can do that on Linux only';
  const others = extraArgs.some((arg) => /^--(?:net|network)(?:=|$)/.test(arg));
  return others ? 'its "extra_args" give it another network' : undefined;
}

function notHeld(server: string, problem: string): AppError {
  const what = `${server} is to reach some hosts alone, which this container cannot be held to: ${problem}.`;
  return new AppError('config_invalid', what, {
    fix: `Run it in a sandbox, or say of its network as a whole whether it has it: tooltray isolate ${server} container --network`,
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
