/**
 * Starts servers in the sandbox that their entry requires, or says why that is not possible; never without a required
 * one.
 */
import { dirname, join } from 'node:path';
import type { AppPaths } from '../../../base/app-paths.ts';
import { AppError } from '../../../base/errors.ts';
import { FileJsonDocument } from '../../../base/json-document.ts';
import type { Isolation, ServerConfig } from '../../../config/server-config.ts';
import type { ConfigStore } from '../../../config/config-store.ts';
import { type ProtectedPaths, tooltrayPaths } from '../../../security/protected-paths.ts';
import { programName } from '../../../trust/pins/launch-fingerprint.ts';
import { type ResolvedEnv, findCommand } from '../find-command.ts';
import { AgreedPlaces, type ConfinedEntry, ownContainer } from './agreed-places.ts';
import { Containers, type UserContainer } from './containers.ts';
import { type EgressProxy, EgressProxyFactory, type OnRefused, routeByProgram } from './egress-proxy.ts';
import { startsContainer } from './required-isolation.ts';
import { NpmPackages } from './npm-packages.ts';
import type { LaunchPolicy } from '../launch-policy.ts';
import type { ProcessLaunch } from '../process-group.ts';
import { hideOwnFiles } from './hide-own-files.ts';
import { programSteps, type ProgramStep, scriptNamed, scriptStep } from './program-files.ts';
import { type CleanUp, SandboxHomes } from './sandbox-homes.ts';
import { wrapInBubblewrap, sandboxUnavailableReason } from './bubblewrap.ts';

interface BoxesOptions {
  /** A private folder of ours, for sandbox homes and installed packages. */
  readonly folder: string;
  /** The config file of the servers. */
  readonly config: string;
  /** Paths hidden from every sandbox. */
  readonly hidden: ProtectedPaths;
  /** The folder for sockets. */
  readonly sockets: string;
  readonly onRefused: OnRefused;
  /**
   * Whether every command is confined, as in a core that serves several users. An entry can then opt out of its
   * sandbox, but other processes and `hidden` stay invisible. `preferred`: only if a sandbox is available.
   */
  readonly confinement?: 'required' | 'preferred' | undefined;
  /** The user, if several share the core; all users share `containers`. */
  readonly person?: { readonly containers: Containers; readonly identity: string } | undefined;
}

export interface SandboxedLaunch extends ProcessLaunch {
  readonly serverName: string;
  /** The entry's own variables. */
  readonly own: ResolvedEnv;
  /** Names of the user's variables that it receives. */
  readonly inherited: readonly string[];
  /** The entry that the user approved, before secrets are filled in. */
  readonly entry: ConfinedEntry;
  /** The common environment without the entry's own; the sandbox program runs in it. */
  readonly outside: ResolvedEnv;
}

export class ServerSandboxes {
  readonly #options: BoxesOptions;
  readonly #packages: NpmPackages;
  readonly #containers: Containers;
  readonly #proxies: EgressProxyFactory;
  readonly #places: AgreedPlaces;
  readonly #homes: SandboxHomes;
  #problem: Promise<string | undefined> | undefined;

  constructor(options: BoxesOptions) {
    this.#options = options;
    this.#packages = new NpmPackages(join(options.folder, 'npm'));
    this.#containers = options.person?.containers ?? new Containers({ folder: options.folder });
    this.#proxies = new EgressProxyFactory(options.sockets, options.onRefused);
    this.#places = new AgreedPlaces(new FileJsonDocument(join(options.folder, 'agreed-places.json'), '{}'));
    this.#homes = new SandboxHomes(options.folder, options.config);
  }

  /** Called when the user approves these servers: resolves their paths for good. Never rejects. */
  agree(servers: readonly ServerConfig[]): Promise<void> {
    return this.#places.agree(servers);
  }

  /** Resolves a server's paths again on the user's request. */
  agreeAgain(server: string): Promise<void> {
    return this.#places.forget(server);
  }

  /** Deletes the homes of a removed server. Never rejects. */
  removeHomes(server: string): Promise<void> {
    return this.#homes.remove(server);
  }

  /**
   * Deletes homes of removed servers, and those of connection tests whose core was killed. An unreadable config file
   * removes no server. Never rejects.
   */
  sweepHomes({ current, problems }: Pick<ConfigStore, 'current' | 'problems'>): Promise<void> {
    const isWhole = problems.every(({ severity }) => severity !== 'error');
    const names = new Set(current.servers.map(({ name }) => name));
    return this.#homes.sweep((server) => isWhole && !names.has(server));
  }

  /**
   * Returns the launch of a command without isolation. Rejects with AppError server_not_started if confinement is
   * required and impossible.
   */
  async launchUnconfined(
    launch: ProcessLaunch,
    entry: Omit<ConfinedEntry, 'isolate'>,
    outside: ResolvedEnv,
  ): Promise<ProcessLaunch> {
    await this.checkMounts(entry);
    const { confinement, hidden, sockets } = this.#options;
    if (confinement === undefined || startsContainer(entry)) return launch;
    if (confinement === 'preferred' && (await this.sandboxProblem(outside)) !== undefined) return launch;
    await this.#requireSandbox(entry.name, outside);
    return hideOwnFiles(launch, { ...hidden, folders: [...hidden.folders, sockets] }, outside);
  }

  /**
   * Checks that a command which starts a container itself still mounts what the user approved. Rejects with AppError
   * `server_not_started`.
   */
  async checkMounts(entry: Omit<ConfinedEntry, 'isolate'>): Promise<void> {
    const isolate = ownContainer(entry.command, entry.args);
    if (isolate !== undefined) await this.#places.check({ ...entry, isolate });
  }

  /**
   * Returns the sandboxed launch. Rejects with AppError `server_not_started` if there is no sandbox, or
   * `config_invalid`.
   */
  async wrapLaunch(wanted: SandboxedLaunch): Promise<ProcessLaunch> {
    const { serverName, own, entry, outside, command, args, env, cwd } = wanted;
    const { isolate } = entry;
    const launch = { command, args, env, cwd };
    if (isolate.kind === 'container') return this.#inContainer(launch, wanted);
    if (isolate.kind === 'auto' && (await this.sandboxProblem(outside)) !== undefined) return launch;
    await this.#requireSandbox(serverName, outside);
    const places = await this.#places.check(entry);
    const installed = (await this.#packages.install(serverName, launch, outside)) ?? { launch, folders: [] };
    const program = await programOf(installed.launch);
    await this.#places.checkProgram(entry, program);
    const home = await this.#homes.open(entry);
    const box = { home: home.folder, hidden: this.#options.hidden, own: installed.folders, places, program, outside };
    return withCleanUp(home.cleanUp, async () => {
      const { network } = isolate;
      if (typeof network === 'boolean') return wrapInBubblewrap(installed.launch, own, isolate, box);
      if ((await findCommand('socat', outside)) === undefined) throw this.#unavailable(serverName, noSocat);
      const proxy = await this.#proxies.open(serverName, network);
      return withCleanUp(closing(proxy), () =>
        wrapInBubblewrap(installed.launch, own, isolate, { ...box, proxySocket: proxy.socket }),
      );
    });
  }

  async #requireSandbox(server: string, outside: ResolvedEnv): Promise<void> {
    const problem = await this.sandboxProblem(outside);
    if (problem !== undefined) throw this.#unavailable(server, problem);
  }

  #unavailable(server: string, problem: string): AppError {
    return new AppError('server_not_started', `${server} did not start: its sandbox is not available. ${problem}`, {
      fix:
        this.#options.confinement !== undefined
          ? `Run ${server} in a container ("isolation": { "mode": "container", "image": "…" }), or run it elsewhere and set its "url".`
          : `To let it run as your own programs do: tooltray sandbox ${server} none`,
    });
  }

  async #inContainer(launch: ProcessLaunch, wanted: SandboxedLaunch): Promise<ProcessLaunch> {
    const { serverName: server, entry, env } = wanted;
    const { isolate } = entry;
    const person = this.#personsOwn(server, env);
    const places = await this.#places.check(entry);
    const shown = { places, hidden: this.#options.hidden };
    if (typeof isolate.network === 'boolean')
      return this.#containers.confine(server, launch, isolate, wanted, { person, ...shown });
    const by = routeByProgram(programName(launch.command), isolate.network);
    const problem = proxyProblem(isolate) ?? (by === undefined ? noForwarder : undefined);
    if (by === undefined || problem !== undefined) throw notHeld(server, problem ?? noForwarder);
    const proxy = await this.#proxies.open(server, isolate.network, true);
    const way = { ...by, socket: proxy.socket };
    return withCleanUp(closing(proxy), () =>
      this.#containers.confine(server, launch, isolate, wanted, { person, way, ...shown }),
    );
  }

  #personsOwn(server: string, { HOME: home }: ResolvedEnv): UserContainer | undefined {
    const { person } = this.#options;
    if (person === undefined || home === undefined) return undefined;
    return { identity: JSON.stringify([person.identity, server]), home };
  }

  /** The reason why this computer has no sandbox, determined once; undefined if it has one. Never rejects. */
  sandboxProblem(env: ResolvedEnv): Promise<string | undefined> {
    this.#problem ??= sandboxUnavailableReason(env);
    return this.#problem;
  }
}

/** Creates the sandboxes for the Tooltray home that uses `configFile`. `policy`: set if all commands are confined. */
export function createServerSandboxes(
  paths: AppPaths,
  configFile: string,
  onRefused: OnRefused = () => undefined,
  policy?: LaunchPolicy,
): ServerSandboxes {
  return new ServerSandboxes({
    folder: join(paths.dataDir, 'boxes'),
    config: configFile,
    hidden: policy?.hidden ?? tooltrayPaths(paths, configFile),
    sockets: dirname(paths.socketPath),
    onRefused,
    confinement: policy && confinementOf(policy),
  });
}

export function confinementOf({ allowsUnconfined }: Pick<LaunchPolicy, 'allowsUnconfined'>): 'required' | 'preferred' {
  return allowsUnconfined ? 'preferred' : 'required';
}

/** The parts of a launch on this computer: the program with its interpreters, and its script. */
async function programOf({ command, args, env, cwd }: ProcessLaunch): Promise<readonly ProgramStep[]> {
  const program = (await findCommand(command, env, cwd)) ?? command;
  const script = await scriptNamed(command, args, cwd);
  return [...(await programSteps(program, env)), ...(script === undefined ? [] : [await scriptStep(script, env)])];
}

function closing(proxy: EgressProxy): CleanUp {
  return {
    remove: () => {
      proxy.close();
      return Promise.resolve();
    },
    removeNow: () => proxy.close(),
  };
}

/** Cleans up when the made process has ended, or if making it fails. */
async function withCleanUp(cleanUp: CleanUp, make: () => Promise<ProcessLaunch>): Promise<ProcessLaunch> {
  try {
    const made = await make();
    const { leftBehind } = made;
    return {
      ...made,
      leftBehind: {
        ...leftBehind,
        remove: async () => {
          await leftBehind?.remove();
          await cleanUp.remove();
        },
        removeNow: () => {
          cleanUp.removeNow();
          leftBehind?.removeNow();
        },
      },
    };
  } catch (error) {
    await cleanUp.remove();
    throw error;
  }
}

const noForwarder = 'what opens its way to them needs Node.js or Python in its image, and its program is neither';

function proxyProblem({ extraArgs }: Isolation): string | undefined {
  // A socket of this computer cannot be mounted into the virtual machine that runs containers there.
  if (process.platform !== 'linux') return 'Tooltray can do that on Linux only';
  const others = extraArgs.some((arg) => /^--(?:net|network)(?:=|$)/.test(arg));
  return others ? 'its "extra_args" give it another network' : undefined;
}

function notHeld(server: string, problem: string): AppError {
  const what = `${server} is to reach some hosts alone, which this container cannot be held to: ${problem}.`;
  return new AppError('config_invalid', what, {
    fix: `Run it in a sandbox, or say of its network as a whole whether it has it: tooltray sandbox ${server} container --network`,
  });
}

const noSocat =
  'Which hosts a sandbox reaches can be chosen only where socat is installed. Install the package "socat" of your system, or give it the network as a whole.';
