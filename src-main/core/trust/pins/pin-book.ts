/** The pins of all servers. They outlive a server's entry: what is taken out and added again is not accepted anew by that. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Event } from '../../base/events.ts';
import type { ServerConfig } from '../../config/app-config.ts';
import { PinFile, type PinnedServer } from './pin-file.ts';
import { type PinRules, type ReviewQuestion, ServerPins } from './server-pins.ts';

/** Servers whose pins are kept on disk, those that were written last. */
const mostKept = 500;

export class PinBook {
  /** Of some server something else waits, or was decided. */
  readonly changed = new Event();
  readonly #folder: string;
  readonly #rules: PinRules;
  readonly #pins = new Map<string, ServerPins>();
  /** Names of servers, by what their pins are called that hold for some apps only. */
  readonly #owners = new Map<string, string>();
  /** One each, so that an entry that is replaced and the one in its place do not write at once. */
  readonly #files = new Map<string, PinFile>();

  constructor(folder: string, rules: PinRules) {
    this.#folder = folder;
    this.#rules = rules;
  }

  /**
   * undefined for built-in servers, which come with us. Made anew where the entry is another one. `kind`: what it says to apps of that
   * kind, which is not what it says to others; `apps`: which those are, in words.
   */
  of(server: ServerConfig, kind?: { readonly key: string; readonly apps: string }): ServerPins | undefined {
    if (server.kind === 'builtin') return undefined;
    const name = kind === undefined ? server.name : `${server.name} (to apps with extensions, ${kind.key.slice(0, 4)})`;
    const config = { ...server, name };
    this.#owners.set(name, server.name);
    const file = this.#files.get(config.name) ?? new PinFile(this.#folder, config.name);
    const whose = { server: server.name, apps: kind?.apps };
    const pins = new ServerPins(config, whose, file, this.#rules, (server, program) => this.#twin(server, program));
    this.#files.set(config.name, file);
    this.#pins.set(config.name, pins);
    pins.changed.on(() => this.changed.emit());
    return pins;
  }

  /** Names under which something is accepted of these servers: their own, and those of what they say to some apps only. */
  names(configured: ReadonlySet<string>): readonly string[] {
    return [...this.#pins.keys()].filter((name) => configured.has(this.#owners.get(name) ?? name));
  }

  /** By one of `names`. */
  find(name: string): ServerPins | undefined {
    return this.#pins.get(name);
  }

  /** What waits for the person, a question a server. */
  questions(configured: ReadonlySet<string>): readonly ReviewQuestion[] {
    return this.names(configured).flatMap((name) => this.#pins.get(name)?.question ?? []);
  }

  /** Removes the files of servers that were long gone. Never rejects. */
  async sweep(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    if (names.length <= mostKept) return;
    const files = await Promise.all(
      names.map(async (name) => {
        const file = join(this.#folder, name);
        return { file, at: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 };
      }),
    );
    const oldest = files.toSorted((one, other) => one.at - other.at).slice(0, names.length - mostKept);
    await Promise.all(oldest.map(({ file }) => rm(file, { force: true }).catch(() => undefined)));
  }

  #twin(server: string, program: string): PinnedServer | undefined {
    for (const [name, pins] of this.#pins) {
      const held = name === server ? undefined : pins.heldOf(program);
      if (held !== undefined) return held;
    }
    return undefined;
  }
}
