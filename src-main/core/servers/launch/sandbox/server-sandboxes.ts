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
import { containerLimits, limitWords, refuseWaysOut } from './command-limits.ts';
import { anyHost, type EgressProxy, EgressProxyFactory, type OnRefused, routeByProgram } from './egress-proxy.ts';
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
   * Set in a core that serves several users, where every command is confined and limited. An entry can then opt out of
   * its sandbox, but other processes and `hidden` stay invisible.
   */
  readonly policy?: Pick<LaunchPolicy, 'allowsUnconfined' | 'limits'> | undefined;
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
    this.#containers = options.person?.containers ?? new Containers({ folder: options.folder });
    const isTeam = options.policy !== undefined;
    this.#proxies = new EgressProxyFactory(options.sockets, options.onRefused, undefined, isTeam);
    const openProxy = async (server: string): Promise<EgressProxy> => this.#proxies.open(server, [anyHost]);
    this.#packages = new NpmPackages(join(options.folder, 'npm'), isTeam ? openProxy : undefined);
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
    const { policy, hidden, sockets } = this.#options;
    if (policy === undefined) return launch;
    if (startsContainer(entry)) return this.#limitedRun(entry, launch);
    if (policy.allowsUnconfined && (await this.sandboxProblem(outside)) !== undefined) return launch;
    await this.#requireSandbox(entry.name, outside);
    const covered = { ...hidden, folders: [...hidden.folders, sockets] };
    return hideOwnFiles(launch, covered, outside, await limitWords(policy.limits(), outside));
  }

  /** A container that the entry itself starts. Rejects with AppError `config_invalid`. */
  async #limitedRun(
    { name, args: words }: Omit<ConfinedEntry, 'isolate'>,
    launch: ProcessLaunch,
  ): Promise<ProcessLaunch> {
    const { policy, hidden } = this.#options;
    if (policy === undefined) return launch;
    await refuseWaysOut(name, words, hidden);
    const { args } = launch;
    const at = args.indexOf('run') + 1;
    return { ...launch, args: [...args.slice(0, at), ...containerLimits(policy.limits(), args), ...args.slice(at)] };
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
    const { policy } = this.#options;
    const isolate = this.#withoutOwnNetwork(entry.isolate);
    const launch = { command, args, env, cwd };
    if (isolate.kind === 'container') return this.#inContainer(launch, isolate, wanted);
    if (isolate.kind === 'auto' && (await this.sandboxProblem(outside)) !== undefined) return launch;
    await this.#requireSandbox(serverName, outside);
    const places = await this.#places.check(entry);
    const installed = (await this.#packages.install(serverName, launch, outside)) ?? { launch, folders: [] };
    const program = await programOf(installed.launch);
    await this.#places.checkProgram(entry, program);
    const home = await this.#homes.open(entry);
    const limits = policy && (await limitWords(policy.limits(), outside));
    const { hidden } = this.#options;
    const box = { home: home.folder, hidden, own: installed.folders, places, program, outside, limits };
    return withCleanUp(home.cleanUp, async () => {
      const { network } = isolate;
      if (typeof network === 'boolean') return wrapInBubblewrap(installed.launch, own, isolate, box);
      if ((await findCommand('socat', outside)) === undefined)
        throw this.#unavailable(
          serverName,
          policy === undefined ? `${noSocat}, or allow it the whole network.` : `${noSocat}.`,
        );
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
        this.#options.policy !== undefined
          ? `Run ${server} in a container ("isolation": { "mode": "container", "image": "…" }), or run it elsewhere and set its "url".`
          : `To run it without a sandbox: tooltray sandbox ${server} none`,
    });
  }

  /** In a team, all of the network excludes the replica's own computer, so that it goes through a proxy. */
  #withoutOwnNetwork(isolate: Isolation): Isolation {
    const isNamed = isolate.kind === 'container' && isolate.networkMode !== undefined;
    if (this.#options.policy === undefined || isolate.network !== true || isNamed) return isolate;
    return { ...isolate, network: [anyHost] };
  }

  async #inContainer(launch: ProcessLaunch, isolate: Isolation, wanted: SandboxedLaunch): Promise<ProcessLaunch> {
    const { serverName: server, entry, env } = wanted;
    const { hidden, policy } = this.#options;
    const { extraArgs, networkMode } = isolate;
    const words = [...extraArgs, ...(networkMode === undefined ? [] : ['--network', networkMode])];
    if (policy !== undefined) await refuseWaysOut(server, words, hidden);
    const person = this.#personsOwn(server, env);
    const places = await this.#places.check(entry);
    const limits = policy === undefined ? [] : containerLimits(policy.limits(), extraArgs);
    const shown = { places, hidden, limits };
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
    policy,
  });
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

const noForwarder = 'the egress proxy needs Node.js or Python in its image, but its program is neither';

function proxyProblem({ extraArgs }: Isolation): string | undefined {
  // A socket of this computer cannot be mounted into the virtual machine that runs containers there.
  if (process.platform !== 'linux') return 'Tooltray can do that on Linux only';
  const others = extraArgs.some((arg) => /^--(?:net|network)(?:=|$)/.test(arg));
  return others ? 'its "extra_args" set another network' : undefined;
}

function notHeld(server: string, problem: string): AppError {
  const what = `${server} is limited to certain hosts, which this container cannot enforce: ${problem}.`;
  return new AppError('config_invalid', what, {
    fix: `Run it in a sandbox, or allow or deny its whole network: tooltray sandbox ${server} container --network`,
  });
}

const noSocat = 'Its network access requires socat, which is not installed. Install your system’s "socat" package';
