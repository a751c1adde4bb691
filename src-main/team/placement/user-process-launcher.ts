/**
 * Starts one user's process of a server: with the user's values and the organization's secrets that its entry
 * references, a home directory of its own, in a sandbox unless its entry opts out, and without the replica's own
 * environment.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConnectionBudgets,
  Containers,
  EnvironmentResolver,
  isCommonVariable,
  LazyTransport,
  type Person,
  type ProcessRegistry,
  requiredIsolation,
  type LaunchPolicy,
  type ResolvedEnv,
  resolveSecrets,
  secretVaultKey,
  type ServerConfig,
  ServerLog,
  serverLogFile,
  ServerSandboxes,
  type StdioServerConfig,
  StdioTransport,
  type Transport,
} from '../../core/edition.ts';
import type { Env } from '../../core/base/app-paths.ts';
import { RotatingFile } from '../../core/base/rotating-file.ts';

/** Time to exit by itself, and again after SIGTERM, in ms. */
const stopGraceMs = 700;

export interface UserProcessLauncherOptions {
  /** Environment of this replica; a process inherits only what every program needs. */
  readonly env: Env;
  /** Contains a home directory for each user. */
  readonly folder: string;
  readonly policy: Pick<LaunchPolicy, 'hidden' | 'allowsUnconfined' | 'limits'>;
  /** Folder for sockets. */
  readonly sockets: string;
  readonly registry: () => ProcessRegistry;
  readonly mask: (text: string) => string;
  readonly budgets?: (() => ConnectionBudgets) | undefined;
  /** The organization's secrets, by vault name. */
  readonly readSecret: (name: string) => Promise<string | undefined>;
  /** A user's own values, by vault name. */
  readonly readOwn: (person: Person, name: string) => Promise<string | undefined>;
}

export class UserProcessLauncher {
  readonly #options: UserProcessLauncherOptions;
  readonly #environment: EnvironmentResolver;
  /** Containers of all users, with a shared cleanup and image. The folder belongs to this replica only. */
  readonly #containers: Containers;

  constructor(options: UserProcessLauncherOptions) {
    this.#options = options;
    const folder = join(options.folder, 'boxes');
    this.#containers = new Containers({
      folder,
      isAlone: true,
      env: picked(options.env, (name) => engineVariables.test(name)),
    });
    this.#environment = new EnvironmentResolver({
      own: inheritedVariables(options.env),
      readLoginShell: () => Promise.resolve({}),
    });
  }

  /** Removes containers left by an earlier run of this replica. Never rejects. */
  sweep(): Promise<void> {
    return this.#containers.removeLeftovers(inheritedVariables(this.#options.env));
  }

  /** Returns an unstarted transport. */
  transport(config: StdioServerConfig, person: Person): Transport {
    return new LazyTransport(() => this.#stdio(config, person));
  }

  async #stdio(config: StdioServerConfig, person: Person): Promise<StdioTransport> {
    const { folder, policy, sockets, registry, mask, budgets } = this.#options;
    const own = join(folder, folderOf(person));
    const home = join(own, 'home', createHash('sha256').update(config.name).digest('hex').slice(0, 16));
    for (const made of [home, join(own, 'logs')]) mkdirSync(made, { recursive: true, mode: 0o700 });
    const filled = await this.#fill(config, person);
    return new StdioTransport({
      ...filled,
      serverName: config.name,
      written: config,
      env: { ...homeAt(home), ...filled.env },
      inherited: [],
      isolate: requiredIsolation(config, policy.allowsUnconfined),
      environment: this.#environment,
      boxes: new ServerSandboxes({
        folder: join(own, 'boxes'),
        config: '',
        hidden: policy.hidden,
        sockets,
        onRefused: () => undefined,
        policy,
        person: { containers: this.#containers, identity: person.user },
      }),
      registry: registry(),
      graceMs: stopGraceMs,
      budgets: budgets?.(),
      log: new ServerLog({ file: new RotatingFile(serverLogFile(join(own, 'logs'), config.name)), mask }),
    });
  }

  #fill<C extends ServerConfig>(config: C, person: Person): Promise<C> {
    const { readSecret, readOwn } = this.#options;
    return resolveSecrets(config, readSecret, {
      readUsers: (name) => readOwn(person, secretVaultKey(name)),
      setWith: 'tooltray team secret set',
      setUsersWith: 'tooltray team secret set --user NAME',
    });
  }
}

/** Variables that would otherwise point to this replica's own home. */
function homeAt(home: string): Record<string, string> {
  return { HOME: home, USERPROFILE: home };
}

const places = /^(?:HOME|USERPROFILE|XDG_\w+_HOME|XDG_RUNTIME_DIR|USER|LOGNAME|SSH_AUTH_SOCK|TMPDIR|TMP|TEMP)$/i;

function inheritedVariables(env: Env): ResolvedEnv {
  return picked(env, (name) => isCommonVariable(name, process.platform) && !places.test(name));
}

/** Variables that Docker and Podman use to find their service, images, and keys; not passed to containers. */
const engineVariables =
  /^(?:HOME|USERPROFILE|USER|LOGNAME|TMPDIR|XDG_\w+_HOME|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|DOCKER_\w+|CONTAINERS?_\w+|REGISTRY_AUTH_FILE|STORAGE_\w+)$/;

function picked(env: Env, isWanted: (name: string) => boolean): ResolvedEnv {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined || !isWanted(name) ? [] : [[name, value]])),
  );
}

/** Names may contain any characters, and no two users share a folder. */
function folderOf({ user }: Person): string {
  return createHash('sha256').update(user).digest('hex').slice(0, 24);
}
