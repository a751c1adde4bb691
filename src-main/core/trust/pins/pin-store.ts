/**
 * Stores the accepted definitions of one server in full, so that a change can be shown and the old text stays in use.
 */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import { Emitter } from '../../base/emitter.ts';
import { isObject, type JsonObject, objectOrEmpty, parseJson } from '../../base/json.ts';

/** `view`: the user interface of a tool, stored as a digest. */
export type PinnedKind = 'introduction' | 'tool' | 'prompt' | 'template' | 'skill' | 'view';

/** Kind and name of a definition: `tool:create_issue`, `introduction:`. */
export type PinKey = `${PinnedKind}:${string}`;

/** `grow`: accepted, and tools that it adds within a minute of a call are accepted automatically from now on. */
export type PinChoice = 'accept' | 'keep' | 'grow';

export interface PinDecision {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  /** Origin of the decision: `dashboard`, `command line`. */
  readonly by: string;
  readonly choice: PinChoice;
  /** The definitions in force before; null: none. */
  readonly before: Readonly<Record<string, JsonObject | null>>;
  /** Hashes of the decided definitions. */
  readonly decided: Readonly<Record<string, string>>;
}

/** A change that a user has not accepted. */
export interface PendingChange {
  readonly hash: string;
  /** In ms since 1970. */
  readonly since: number;
}

export interface PinnedServer {
  readonly server: string;
  /** When it was accepted, in ms since 1970. */
  readonly acceptedAt: number;
  /** The program of the `Launch`; null if it could not be determined. */
  readonly program: string;
  readonly pin: string | null;
  readonly definitions: ReadonlyMap<PinKey, JsonObject>;
  /** Changes that the user rejected, by hash; they are not asked again. */
  readonly refused: ReadonlyMap<PinKey, string>;
  /** Changes without a change of the launch, by hash. */
  readonly rugPulls: ReadonlyMap<PinKey, string>;
  /**
   * Pending changes. Stored, so that each is reported once, whatever restarts and whichever of several cores notices
   * it first.
   */
  readonly waits: ReadonlyMap<PinKey, PendingChange>;
  /** Whether the user permits it to add tools while it runs. */
  readonly mayGrow: boolean;
  /** The latest decisions, oldest first. */
  readonly decisions: readonly PinDecision[];
}

/** Stores the accepted definitions of one server. */
export interface ServerPinStore {
  /** Emits when another process wrote the store. Files of a home are written by one core only. */
  readonly changed: Emitter;
  /**
   * Undefined: nothing was accepted yet. Rejects if the stored pins cannot be read, because that must not accept
   * everything again.
   */
  read(): Promise<PinnedServer | undefined>;
  /** Rejects with AppError `config_conflict` if another process wrote the store since it was read. */
  write(pins: PinnedServer): Promise<void>;
}

/** The pin stores of all servers. */
export interface PinStore {
  /** `server`: any text. Returns the same store for the same text. */
  forServer(server: string): ServerPinStore;
  /** Deletes the pins of servers that were removed long ago. Never rejects. */
  sweep(): Promise<void>;
}

/** Maximum number of servers with stored pins; the most recently written stay. */
export const maxPinnedServers = 500;
const formatVersion = 1;
export const maxDecisions = 20;

/** Stores the pins of each server in a private file. */
export class FilePinStore implements PinStore {
  readonly #folder: string;
  /** One per file, so that a replaced entry and its successor do not write at once. */
  readonly #files = new Map<string, PinFile>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  forServer(server: string): ServerPinStore {
    const file = this.#files.get(server) ?? new PinFile(this.#folder, server);
    this.#files.set(server, file);
    return file;
  }

  async sweep(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    if (names.length <= maxPinnedServers) return;
    const files = await Promise.all(
      names.map(async (name) => {
        const file = join(this.#folder, name);
        return { file, at: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 };
      }),
    );
    const oldest = files.toSorted((one, other) => one.at - other.at).slice(0, names.length - maxPinnedServers);
    await Promise.all(oldest.map(({ file }) => rm(file, { force: true }).catch(() => undefined)));
  }
}

class PinFile implements ServerPinStore {
  readonly changed = new Emitter();
  readonly #folder: string;
  readonly #file: string;
  /** Serializes writes. */
  #saving: Promise<void> = Promise.resolve();

  /** `server`: any text; the file is named after its hash. */
  constructor(folder: string, server: string) {
    this.#folder = folder;
    this.#file = join(folder, `${pinName(server)}.json`);
  }

  async read(): Promise<PinnedServer | undefined> {
    const text = await readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return undefined;
    try {
      return parsePins(text, this.#file);
    } catch (error) {
      // Keeps a copy, because the next write replaces the file.
      await copyFile(this.#file, `${this.#file}.corrupt`).catch(() => undefined);
      throw error;
    }
  }

  /** Resolves when the file is on disk. Rejects with file system errors. */
  write(pins: PinnedServer): Promise<void> {
    const text = serializePins(pins);
    this.#saving = this.#saving
      .catch(() => undefined)
      .then(async () => {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        await writeFileAtomic(this.#file, text, { mode: 0o600 });
      });
    return this.#saving;
  }
}

/** Servers with pending definition changes, according to their files. Never rejects. */
export async function waitingPins(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const read = names.map(async (name) => {
    try {
      const { server, waits, refused } = parsePins(await readFile(join(folder, name), 'utf8'), name);
      return [...waits].some(([key, { hash }]) => refused.get(key) !== hash) ? [server] : [];
    } catch {
      return [];
    }
  });
  return (await Promise.all(read)).flat();
}

/** Files in the folder that cannot be read as pins. Never rejects. */
export async function unreadablePins(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const checked = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      try {
        parsePins(await readFile(file, 'utf8'), file);
        return [];
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : [file];
      }
    }),
  );
  return checked.flat();
}

/** Names a server's pins where no text of the server may appear. */
export function pinName(server: string): string {
  return createHash('sha256').update(server).digest('hex').slice(0, 32);
}

export function serializePins({ definitions, refused, rugPulls, waits, ...rest }: PinnedServer): string {
  return JSON.stringify({
    version: formatVersion,
    ...rest,
    definitions: Object.fromEntries(definitions),
    refused: Object.fromEntries(refused),
    rugPulls: Object.fromEntries(rugPulls),
    waits: Object.fromEntries(waits),
  });
}

/** `place`: the file or row, for the error message. Throws if the text cannot be parsed. */
export function parsePins(text: string, place: string): PinnedServer {
  const value = parseJson(text);
  if (!isObject(value) || value['version'] !== formatVersion) throw new Error(`${place} cannot be read.`);
  return fromJson(value);
}

function fromJson(value: JsonObject): PinnedServer {
  const { server, acceptedAt, program, pin, decisions } = value;
  const mapOf = <T>(key: string): ReadonlyMap<PinKey, T> =>
    new Map(Object.entries(objectOrEmpty(value[key])) as [PinKey, T][]);
  return {
    server: String(server),
    acceptedAt: Number(acceptedAt),
    program: String(program),
    pin: typeof pin === 'string' ? pin : null,
    definitions: mapOf<JsonObject>('definitions'),
    refused: mapOf<string>('refused'),
    rugPulls: mapOf<string>('rugPulls'),
    waits: mapOf<PendingChange>('waits'),
    mayGrow: value['mayGrow'] === true,
    decisions: Array.isArray(decisions) ? (decisions as PinDecision[]) : [],
  };
}
