/**
 * Records changes of servers and of settings that grant something, including those made while Tooltray was not
 * running.
 */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';
import type { JsonDocument } from '../../base/json-document.ts';
import { guardedSettings } from '../../config/guarded-settings.ts';
import type { AppConfig } from '../../config/app-config.ts';
import type { AuditRecorder } from './audit-log.ts';
import type { ServerChangeEntry } from './audit-entries.ts';

interface SeenServer {
  readonly hash: string;
  readonly on: boolean;
  /** JSON of the tool switches. */
  readonly tools: string;
}

interface Seen {
  readonly servers: Readonly<Record<string, SeenServer>>;
  readonly settings: JsonObject;
}

/** Maximum number of config files whose state is kept; the most recently used stay. */
const maxFiles = 20;

export class ConfigChangeAuditor {
  readonly #audit: Pick<AuditRecorder, 'note'>;
  readonly #document: JsonDocument;
  readonly #name: string | undefined;
  #seen: Seen | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(audit: Pick<AuditRecorder, 'note' | 'seen' | 'configName'>) {
    this.#audit = audit;
    this.#document = audit.seen;
    this.#name = audit.configName;
  }

  /** Records differences from the last seen state. Never rejects. */
  check(config: AppConfig): Promise<void> {
    this.#turn = this.#turn.then(() => this.#look(config)).catch(() => undefined);
    return this.#turn;
  }

  /** Resolves when all checks are done. */
  idle(): Promise<void> {
    return this.#turn;
  }

  async #look(config: AppConfig): Promise<void> {
    const now = stateOf(config);
    const whileStopped = this.#seen === undefined;
    const known = this.#seen;
    const name = this.#name ?? config.path;
    this.#seen = now;
    // If several cores see the same change, the one that updates the document records it.
    const notes = await this.#document
      .change((value) => {
        const before = seenIn(value, name);
        const found = notesOf(before, now);
        return [found.length > 0 || before === undefined ? withSeen(value, name, now) : value, found];
      })
      .catch(() => notesOf(known, now));
    for (const note of notes) this.#audit.note(whileStopped ? { ...note, whileStopped } : note);
  }
}

function notesOf(before: Seen | undefined, now: Seen) {
  return [...serverNotes(before?.servers ?? {}, now.servers), ...settingNotes(before?.settings, now.settings)];
}

function seenIn(value: unknown, path: string): Seen | undefined {
  const seen = objectOrEmpty(value)[path];
  if (!isObject(seen)) return undefined;
  return { servers: objectOrEmpty(seen['servers']) as Seen['servers'], settings: objectOrEmpty(seen['settings']) };
}

function withSeen(value: unknown, path: string, seen: Seen): JsonObject {
  const { [path]: _, ...others } = objectOrEmpty(value);
  const latest = Object.entries(others).slice(1 - maxFiles);
  return Object.fromEntries([...latest, [path, seen]]);
}

function stateOf(config: AppConfig): Seen {
  const servers = config.servers.map(({ name, hash, enabled, toolSwitch }): [string, SeenServer] => [
    name,
    { hash, on: enabled, tools: JSON.stringify(toolSwitch ?? null) },
  ]);
  return { servers: Object.fromEntries(servers), settings: guardedSettings(config) };
}

function serverNotes(before: Seen['servers'], now: Seen['servers']): readonly ServerChangeEntry[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].flatMap((server) => {
    const [was, is] = [own(before, server), own(now, server)];
    const changes: ServerChangeEntry['change'][] = [];
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

/** The first check has nothing to compare with. */
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
