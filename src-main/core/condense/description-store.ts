/**
 * Short tool descriptions that a model wrote: stored per server on disk, and shown instead of the condensed ones.
 * Other models read them, so they are short plain lines, and each is valid for one description of its server only: if
 * that changes, the rewritten one is no longer shown.
 */
import { isObject, textOrEmpty } from '../base/json.ts';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { Emitter } from '../base/emitter.ts';
import { truncateLine } from './condense-tool.ts';

/** Maximum length of a rewritten description, in characters (code points). */
export const maxDescriptionLength = 200;

interface WrittenDescriptions {
  /** Time of the last write, in ms since 1970. */
  readonly at: number;
  /** The author of the last write. */
  readonly by: string;
  readonly texts: ReadonlyMap<string, WrittenText>;
}

/** Access for modes. */
export interface DescriptionReader {
  /** Returns the rewritten description of a tool while `own` is still its server's description. */
  find(server: string, tool: string, own: unknown): string | undefined;
}

interface WrittenText {
  readonly text: string;
  /** Hash of the server's own description that it replaces. */
  readonly of: string;
}

/** Descriptions that another product stored. */
export interface InheritedTexts {
  find(server: string, tool: string): string | undefined;
  /** In ms since 1970; undefined if unknown. */
  readonly writtenAt: number | undefined;
}

export class DescriptionStore implements DescriptionReader {
  /** Emits when a description has changed. */
  readonly changed = new Emitter();
  readonly #folder: string;
  readonly #hashOf: (server: string) => string | undefined;
  readonly #inherited: InheritedTexts;
  readonly #known = new Map<string, WrittenDescriptions | undefined>();
  /** Serializes writes. */
  #saving: Promise<unknown> = Promise.resolve();

  /**
   * `hashOf`: hash of a server's entry; a changed entry is another server, without rewritten descriptions.
   * `inherited`: descriptions of another product, for tools without one here.
   */
  constructor(
    folder: string,
    hashOf: (server: string) => string | undefined,
    inherited: InheritedTexts = { find: () => undefined, writtenAt: undefined },
  ) {
    this.#inherited = inherited;
    this.#folder = folder;
    this.#hashOf = hashOf;
  }

  find(server: string, tool: string, own: unknown): string | undefined {
    const written = this.forServer(server)?.texts.get(tool);
    if (written === undefined) return this.#inherited.find(server, tool);
    return written.text !== '' && written.of === fingerprint(own) ? written.text : undefined;
  }

  /** When the descriptions of another product were written, in ms since 1970. */
  get inheritedAt(): number | undefined {
    return this.#inherited.writtenAt;
  }

  /** All rewritten descriptions of a server. */
  forServer(server: string): WrittenDescriptions | undefined {
    const hash = this.#hashOf(server);
    if (hash === undefined) return undefined;
    if (!this.#known.has(hash)) this.#known.set(hash, read(this.#file(hash)));
    return this.#known.get(hash);
  }

  /**
   * Stores descriptions, each with the server's own one; an empty text removes the rewritten one. Those of other tools
   * stay. Rejects with file system errors.
   */
  async save(server: string, texts: ReadonlyMap<string, { text: string; own: unknown }>, by: string): Promise<void> {
    const hash = this.#hashOf(server);
    if (hash === undefined) return;
    const merged = new Map(this.forServer(server)?.texts);
    for (const [tool, { text, own }] of texts) {
      const line = truncateLine(text, maxDescriptionLength);
      if (line === '') merged.delete(tool);
      else merged.set(tool, { text: line, of: fingerprint(own) });
    }
    const written = { at: Date.now(), by: truncateLine(by, maxDescriptionLength), texts: merged };
    this.#known.set(hash, written);
    await this.#write(hash, written);
    this.changed.emit();
  }

  /** Restores the server's own descriptions of these tools for the user. Rejects with file system errors. */
  async restoreOriginal(server: string, tools: readonly string[]): Promise<void> {
    const hash = this.#hashOf(server);
    if (hash === undefined) return;
    const { at = Date.now(), by = '', texts } = this.forServer(server) ?? {};
    const left = new Map(texts);
    for (const tool of tools) {
      // Another product's file is not ours to change, so its description of the tool is ignored from now on.
      if (this.#inherited.find(server, tool) === undefined) left.delete(tool);
      else left.set(tool, { text: '', of: '' });
    }
    const written = { at, by, texts: left };
    this.#known.set(hash, written);
    await this.#write(hash, written);
    this.changed.emit();
  }

  async #write(hash: string, { at, by, texts }: WrittenDescriptions): Promise<void> {
    const write = async (): Promise<void> => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const text = JSON.stringify({ version: formatVersion, at, by, texts: Object.fromEntries(texts) }, null, 2);
      await writeFileAtomic(this.#file(hash), text, { mode: 0o600 });
    };
    const writing = this.#saving.then(write);
    this.#saving = writing.catch(() => this.#known.delete(hash));
    await writing;
  }

  #file(hash: string): string {
    return join(this.#folder, `${hash}.json`);
  }
}

const formatVersion = 1;

/**
 * Read synchronously, because lists of tools are created synchronously; the file is small. An invalid file counts as
 * none.
 */
function read(file: string): WrittenDescriptions | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isObject(value) || value['version'] !== formatVersion || !isObject(value['texts'])) return undefined;
    const texts = Object.entries(value['texts']).flatMap(([tool, written]): [string, WrittenText][] => {
      if (!isObject(written) || typeof written['text'] !== 'string') return [];
      return [[tool, { text: truncateLine(written['text'], maxDescriptionLength), of: String(written['of']) }]];
    });
    return { at: Number(value['at']), by: String(value['by']), texts: new Map(texts) };
  } catch {
    return undefined;
  }
}

function fingerprint(own: unknown): string {
  return createHash('sha256').update(textOrEmpty(own)).digest('hex').slice(0, 16);
}
