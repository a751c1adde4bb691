/** What a person accepted of one server, on disk: every definition whole, so that a change can be shown and the old text kept in use. */
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import { isObject, type JsonObject, objectOf, parseJson } from '../../base/json.ts';

/** `view`: the user interface of a tool, of which a digest is kept. */
export type PinnedKind = 'introduction' | 'tool' | 'prompt' | 'template' | 'view';

/** Kind and name of a definition: `tool:create_issue`, `introduction:`. */
export type PinKey = `${PinnedKind}:${string}`;

export interface Decision {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  /** Where the person said it: `dashboard`, `command line`. */
  readonly by: string;
  readonly choice: 'accept' | 'keep';
  /** What was in force before, by definition; null: nothing. */
  readonly before: Readonly<Record<string, JsonObject | null>>;
  /** Hashes of what was decided on, by definition. */
  readonly decided: Readonly<Record<string, string>>;
}

export interface PinnedServer {
  readonly server: string;
  /** When it was accepted, in ms since 1970. */
  readonly acceptedAt: number;
  /** As `Launch` has it; null: it could not be told. */
  readonly program: string;
  readonly pin: string | null;
  readonly definitions: ReadonlyMap<PinKey, JsonObject>;
  /** Changes that the person does not want, by their hash: not asked again. */
  readonly refused: ReadonlyMap<PinKey, string>;
  /** Changes that came while what is launched stayed the same, by their hash. */
  readonly rugPulls: ReadonlyMap<PinKey, string>;
  /** The last ones, oldest first. */
  readonly decisions: readonly Decision[];
}

const formatVersion = 1;
export const mostDecisions = 20;

export class PinFile {
  readonly #folder: string;
  readonly #file: string;
  /** Writes follow each other, so that the last one stays. */
  #saving: Promise<void> = Promise.resolve();

  /** `server`: any text; the file is named after its hash. */
  constructor(folder: string, server: string) {
    this.#folder = folder;
    this.#file = join(folder, `${createHash('sha256').update(server).digest('hex').slice(0, 32)}.json`);
  }

  /** undefined: nothing was accepted yet. Rejects where there is a file that cannot be read: no reason to accept all anew. */
  async read(): Promise<PinnedServer | undefined> {
    const text = await readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return undefined;
    const value = parseJson(text);
    if (!isObject(value) || value['version'] !== formatVersion) throw new Error(`${this.#file} cannot be read.`);
    return fromJson(value);
  }

  /** Resolves when it is on disk. Rejects with what the file system throws. */
  write(pins: PinnedServer): Promise<void> {
    const text = JSON.stringify(toJson(pins));
    this.#saving = this.#saving
      .catch(() => undefined)
      .then(async () => {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        await writeFileAtomic(this.#file, text, { mode: 0o600 });
      });
    return this.#saving;
  }
}

function toJson(pins: PinnedServer): JsonObject {
  const { definitions, refused, rugPulls, ...rest } = pins;
  return {
    version: formatVersion,
    ...rest,
    definitions: Object.fromEntries(definitions),
    refused: Object.fromEntries(refused),
    rugPulls: Object.fromEntries(rugPulls),
  };
}

function fromJson(value: JsonObject): PinnedServer {
  const { server, acceptedAt, program, pin, decisions } = value;
  const mapOf = <T>(key: string): ReadonlyMap<PinKey, T> =>
    new Map(Object.entries(objectOf(value[key])) as [PinKey, T][]);
  return {
    server: String(server),
    acceptedAt: Number(acceptedAt),
    program: String(program),
    pin: typeof pin === 'string' ? pin : null,
    definitions: mapOf<JsonObject>('definitions'),
    refused: mapOf<string>('refused'),
    rugPulls: mapOf<string>('rugPulls'),
    decisions: Array.isArray(decisions) ? (decisions as Decision[]) : [],
  };
}
