/**
 * The real paths that confined servers may read and write, resolved when the user approved the entry. A server that
 * can write a folder can plant links in it, so paths are not resolved again at each start.
 */
import { createHash } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { AppError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json.ts';
import type { JsonDocument } from '../../../base/json-document.ts';
import type { Isolation, ServerConfig } from '../../../config/server-config.ts';
import { isInside, displayPath } from '../../../security/file-paths.ts';
import { realOf } from '../../../security/protected-paths.ts';
import { containerOptions, runnerOf } from '../../../trust/runner-words.ts';
import { isSystem, type ProgramStep, scriptNamed } from './program-files.ts';

/** A confined server's entry, without secrets. */
export interface ConfinedEntry {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly isolate: Isolation;
}

/** The paths approved for one launch. */
interface Agreement {
  readonly server: string;
  /** Real paths by the absolute paths that the entry names. */
  readonly read: Readonly<Record<string, string>>;
  readonly write: Readonly<Record<string, string>>;
  /** Further paths that the container engine mounts. */
  readonly mounted?: Readonly<Record<string, string>>;
  /** Paths of its program in folders that a confined server can write; undefined before its first start. */
  readonly program?: Readonly<Record<string, string>>;
}

/** A file or folder that a confined server may read or write; it need not exist. */
export interface AgreedPlace {
  /** The absolute path named in the entry. */
  readonly path: string;
  readonly real: string;
  readonly writable: boolean;
}

type Agreements = Readonly<Record<string, Agreement>>;

/** Maximum number of stored agreements; the newest stay. */
const maxAgreements = 1000;

export class AgreedPlaces {
  readonly #document: JsonDocument;
  #agreeing: Promise<unknown> = Promise.resolve();

  constructor(document: JsonDocument) {
    this.#document = document;
  }

  /** Called when the user approves servers: resolves the paths of new launches. Never rejects. */
  agree(servers: readonly ServerConfig[]): Promise<void> {
    const done = this.#agreeing.then(async () => {
      const known = agreementsIn(await this.#document.read());
      for (const entry of servers.flatMap(confinedEntry)) {
        if (known[launchId(entry)] === undefined) await this.#add(entry);
      }
    });
    this.#agreeing = done.catch(() => undefined);
    return done.catch(() => undefined);
  }

  /** Forgets the resolved paths of a server, which are resolved again at its next start. */
  async forget(server: string): Promise<void> {
    await this.#document.change((value) => [without(agreementsIn(value), (one) => one.server === server), undefined]);
  }

  /**
   * Returns the paths that an entry names, with their real paths. Rejects with AppError `server_not_started` if one
   * resolves differently than when it was approved.
   */
  async check(entry: ConfinedEntry): Promise<readonly AgreedPlace[]> {
    await this.#agreeing;
    const agreed = await this.#agreementOn(entry);
    const places = (['read', 'write'] as const).flatMap((access) =>
      Object.entries(agreed[access]).map(([path, real]): AgreedPlace => ({ path, real, writable: access === 'write' })),
    );
    const all = [...places.map(({ path, real }) => [path, real] as const), ...Object.entries(agreed.mounted ?? {})];
    for (const [path, real] of all) {
      const now = await realOf(path);
      if (now !== real) throw leadsElsewhere(entry, path, real, now);
    }
    return places;
  }

  /**
   * Compares a program's files with those at its first start, where a confined server could have changed them. Rejects
   * as `check` does.
   */
  async checkProgram(entry: ConfinedEntry, steps: readonly ProgramStep[]): Promise<void> {
    const known = agreementsIn(await this.#document.read());
    const writes = Object.values(known).flatMap((one) => Object.values(one.write));
    const isChangeable = ({ name, links, real }: ProgramStep): boolean =>
      [name, ...links.keys(), real].some((path) => writes.some((place) => isInside(place, path)));
    const now = Object.fromEntries(
      steps.filter(isChangeable).map((step) => [step.name, [step.real, step.folder, step.next ?? ''].join('\n')]),
    );
    const id = launchId(entry);
    const agreed = known[id]?.program;
    if (entry.isolate.forgets !== undefined) return;
    if (agreed === undefined) {
      await this.#document.change((value) => {
        const all = agreementsIn(value);
        const own = all[id];
        return [own === undefined ? value : { ...all, [id]: { ...own, program: now } }, undefined];
      });
      return;
    }
    const other = Object.entries(now).find(([name, led]) => agreed[name] !== led);
    if (other === undefined) return;
    const [name, led] = other;
    throw leadsElsewhere(entry, name, agreed[name]?.split('\n')[0] ?? 'nothing', led.split('\n').join(', '));
  }

  /** A sandbox without an approval starts once, with the paths resolved at that moment. */
  async #agreementOn(entry: ConfinedEntry): Promise<Agreement> {
    if (entry.isolate.forgets !== undefined) return agreementTo(entry);
    const known = agreementsIn(await this.#document.read());
    return known[launchId(entry)] ?? this.#add(entry);
  }

  async #add(entry: ConfinedEntry): Promise<Agreement> {
    const id = launchId(entry);
    const agreement = await agreementTo(entry);
    return this.#document.change((value) => {
      const known = agreementsIn(value);
      // Another process may have stored it first.
      const own = known[id];
      if (own !== undefined) return [value, own];
      const recent = Object.entries(known).slice(1 - maxAgreements);
      return [{ ...Object.fromEntries(recent), [id]: agreement }, agreement];
    });
  }
}

async function agreementTo(entry: ConfinedEntry): Promise<Agreement> {
  const { read, write } = await placesNamed(entry);
  const resolved = async (paths: readonly string[]): Promise<Record<string, string>> =>
    Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await realOf(path)] as const)));
  const mounted = mountSources(entry.isolate.extraArgs);
  return {
    server: entry.name,
    read: await resolved(read),
    write: await resolved(write),
    ...(mounted.length > 0 && { mounted: await resolved(mounted) }),
  };
}

/** The confined entry of a server. A server in review is not approved. */
function confinedEntry(server: ServerConfig): ConfinedEntry[] {
  if (server.kind !== 'stdio' || server.held !== undefined) return [];
  const isolate = server.isolate ?? ownContainer(server.command, server.args);
  return isolate === undefined ? [] : [{ ...server, isolate }];
}

/** The mounts of a command that starts a container itself; undefined for any other command. */
export function ownContainer(command: string, args: readonly string[]): Isolation | undefined {
  // Words after the image belong to the program; those that look like a mount are checked as well.
  if (runnerOf(command) !== 'container' || mountSources(args).length === 0) return undefined;
  return { kind: 'container', read: [], write: [], network: true, extraArgs: args };
}

/** Absolute paths of this computer that a container engine mounts. */
function mountSources(options: readonly string[]): readonly string[] {
  const sources = containerOptions(options).flatMap(({ name, value = '' }) => {
    if (name === '--volume') return value.split(':', 1);
    return name === '--mount' ? (/(?:^|,)(?:source|src)=([^,]+)/.exec(value)?.slice(1) ?? []) : [];
  });
  return [...new Set(sources.filter((path) => isAbsolute(path)).map((path) => resolve(path)))];
}

type Launched = Pick<ConfinedEntry, 'command' | 'args' | 'env' | 'cwd'>;

/** The paths that an entry names for reading and for writing, whether they exist or not. */
async function placesNamed(
  entry: ConfinedEntry,
): Promise<{ readonly read: readonly string[]; readonly write: readonly string[] }> {
  const { cwd, isolate } = entry;
  const read = [...(cwd === undefined || isolate.forgets === 'everything' ? [] : [cwd]), ...isolate.read];
  return { read, write: isolate.write ?? (await workPaths(entry)) };
}

async function workPaths({ command, args, env, cwd }: Launched): Promise<readonly string[]> {
  const script = await scriptNamed(command, args, cwd);
  return namedPaths(args, env).filter((path) => path !== script && !isSystem(path));
}

/** Absolute paths in arguments and values of variables: `/a`, `--root=/a`. Secrets name no path. */
function namedPaths(args: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  const paths = [...args, ...Object.values(env)].flatMap((word) => {
    const written = /^--?[\w-]+=(.*)$/s.exec(word)?.[1] ?? word;
    const isPath = isAbsolute(written) && !/\$\{|[\0\n]/.test(written) && written.length <= maxPathLength;
    return isPath ? [resolve(written)] : [];
  });
  return [...new Set(paths)];
}

const maxPathLength = 4096;

/** Identifies a launch together with its permissions; another launch needs another agreement. */
function launchId({ name, command, args, env, cwd, isolate: { kind, read, write, extraArgs } }: ConfinedEntry): string {
  const variables = Object.entries(env).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([name, command, args, variables, cwd, kind, read, write, extraArgs]))
    .digest('hex')
    .slice(0, 32);
}

function agreementsIn(value: unknown): Agreements {
  return isObject(value) ? (value as Agreements) : {};
}

function without(known: Agreements, isGone: (one: Agreement) => boolean): Agreements {
  return Object.fromEntries(Object.entries(known).filter(([, one]) => !isGone(one)));
}

function leadsElsewhere(
  { name, isolate: { kind } }: ConfinedEntry,
  path: string,
  agreed: string,
  now: string,
): AppError {
  const what = `${name} did not start: ${displayPath(path)} resolves to ${displayPath(now)}; it resolved to ${displayPath(agreed)} when you approved it.`;
  return new AppError('server_not_started', what, {
    fix: `Check who changed it. To allow the new target: tooltray sandbox ${name} ${kind}`,
    data: { path, agreed, now },
  });
}
