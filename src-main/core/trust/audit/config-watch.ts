/** Notes what changed of the servers and of the settings that allow something, also while no Tooltray ran. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import { isObject, type JsonObject, objectOf } from '../../base/json.ts';
import { guardedSettings } from '../../config/accepted-config.ts';
import type { AppConfig } from '../../config/app-config.ts';
import type { Audit } from './audit.ts';
import type { ServerEntry } from './entries.ts';

interface SeenServer {
  readonly hash: string;
  readonly on: boolean;
  /** JSON of which tools are on. */
  readonly tools: string;
}

interface Seen {
  readonly servers: Readonly<Record<string, SeenServer>>;
  readonly settings: JsonObject;
}

/** Config files whose state is kept, those that were used last. */
const mostFiles = 20;

export class ConfigWatch {
  readonly #audit: Pick<Audit, 'note'>;
  readonly #file: string;
  #seen: Seen | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(audit: Pick<Audit, 'note' | 'folder'>) {
    this.#audit = audit;
    this.#file = join(audit.folder, 'seen.json');
  }

  /** What differs from what was seen last is noted. Never rejects. */
  look(config: AppConfig): Promise<void> {
    this.#turn = this.#turn.then(() => this.#look(config)).catch(() => undefined);
    return this.#turn;
  }

  /** Resolves when all that was to be looked at is noted. */
  idle(): Promise<void> {
    return this.#turn;
  }

  async #look(config: AppConfig): Promise<void> {
    const now = stateOf(config);
    const whileStopped = this.#seen === undefined;
    const before = this.#seen ?? (await this.#read(config.path));
    this.#seen = now;
    const notes = [...serverNotes(before?.servers ?? {}, now.servers), ...settingNotes(before?.settings, now.settings)];
    for (const note of notes) this.#audit.note(whileStopped ? { ...note, whileStopped } : note);
    if (notes.length > 0 || before === undefined) await this.#write(config.path, now);
  }

  async #read(path: string): Promise<Seen | undefined> {
    const seen = (await this.#readAll())[path];
    if (!isObject(seen)) return undefined;
    return { servers: objectOf(seen['servers']) as Seen['servers'], settings: objectOf(seen['settings']) };
  }

  async #readAll(): Promise<JsonObject> {
    const text = await readFile(this.#file, 'utf8').catch(() => '{}');
    try {
      return objectOf(JSON.parse(text));
    } catch {
      return {};
    }
  }

  async #write(path: string, seen: Seen): Promise<void> {
    const { [path]: _, ...others } = await this.#readAll();
    const kept = Object.entries(others).slice(1 - mostFiles);
    await writeFileAtomic(this.#file, JSON.stringify(Object.fromEntries([...kept, [path, seen]])));
  }
}

function stateOf(config: AppConfig): Seen {
  const servers = config.servers.map(({ name, hash, enabled, toolSwitch }): [string, SeenServer] => [
    name,
    { hash, on: enabled, tools: JSON.stringify(toolSwitch ?? null) },
  ]);
  return { servers: Object.fromEntries(servers), settings: guardedSettings(config) };
}

function serverNotes(before: Seen['servers'], now: Seen['servers']): readonly ServerEntry[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].flatMap((server) => {
    const [was, is] = [own(before, server), own(now, server)];
    const changes: ServerEntry['change'][] = [];
    if (was === undefined) changes.push('added');
    else if (is === undefined) changes.push('removed');
    else {
      if (was.hash !== is.hash) changes.push('changed');
      if (was.on !== is.on) changes.push(is.on ? 'on' : 'off');
      if (was.tools !== is.tools) changes.push('tools switched');
    }
    return changes.map((change) => ({ kind: 'server', change, server, hash: is?.hash }) as const);
  });
}

/** At the very first look there is nothing to hold them against. */
function settingNotes(before: JsonObject | undefined, now: JsonObject) {
  if (before === undefined) return [];
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...keys].flatMap((key) => {
    if (isDeepStrictEqual(before[key], now[key])) return [];
    const [was, is] = [before[key], now[key]].map((value) => JSON.stringify(value) ?? 'unset');
    return [{ kind: 'setting', key, before: was ?? '', after: is ?? '' } as const];
  });
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
