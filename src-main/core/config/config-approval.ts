/**
 * Filters the home's config file to what the user has approved. Of an edit not made by Tooltray, removals apply at
 * once; anything it would newly launch, reach, enable or allow is held until the user approves it.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../base/json.ts';
import {
  AcceptedRecord,
  type ApprovedConfig,
  type UnusableReason,
  type RecordKey,
  type WrittenServer,
} from './accepted-record.ts';
import type { AppConfig } from './app-config.ts';
import type { LeaseHandle, ServerConfig } from './server-config.ts';
import { defaultConfig } from './default-config.ts';
import { guardedSettings, plainOf, tightens, withSettings } from './guarded-settings.ts';
import { ConfigDocument } from './config-document.ts';
import { containerKeys, findContainers } from './containers.ts';
import { type ParsedConfig, parseConfig, parseServerConfigs } from './read-config.ts';
import type { Env } from './replace-variables.ts';
import { writtenServers } from './written-servers.ts';

/** Something that an edit by another program would change, and that the user has not approved. */
export type PendingEdit =
  | {
      readonly kind: 'entry';
      readonly server: string;
      readonly entry: JsonObject;
      readonly before: JsonObject | undefined;
      /** Set if the record of approved edits was unusable, so that nothing was compared. */
      readonly lost?: UnusableReason;
    }
  | {
      readonly kind: 'setting';
      readonly key: string;
      readonly value: unknown;
      readonly before: unknown;
      readonly lost?: UnusableReason;
    };

export interface GatedConfig extends ParsedConfig {
  readonly waiting: readonly PendingEdit[];
}

interface Judgement extends GatedConfig {
  /** The new approvals to store, if they differ from the stored ones. */
  readonly agree: ApprovedConfig | undefined;
}

/** Fields of an entry that neither launch, reach nor permit anything. */
const plainFields: ReadonlySet<string> = new Set([
  ...['enabled', 'quarantined', 'registry', 'description', 'lazy', 'maxMessageMB', 'maxConcurrent'],
  ...['idleTimeoutSeconds', 'initTimeoutSeconds', 'callTimeoutSeconds', 'disabledTools', 'enabledTools'],
]);

/** Names are short, so that a user can type them. */
export function pendingEditsId(waiting: readonly PendingEdit[]): string {
  return createHash('sha256').update(JSON.stringify(waiting)).digest('hex').slice(0, 6);
}

/** A sentence for the user that says why the record is unusable. */
export function lostSentence(lost: UnusableReason): string {
  const record = 'The record of approved config entries';
  switch (lost) {
    case 'damaged':
      return `${record} is damaged.`;
    case 'missing':
      return `${record} is missing.`;
    case 'unproven':
      return `${record} was not signed with your vault's key.`;
    case 'locked':
      return `${record} cannot be verified while the vault is locked.`;
  }
}

export class ConfigApproval {
  readonly file: string;
  readonly #trustsAll: boolean;
  readonly #record: AcceptedRecord;

  /** `trustsAll`: every edit counts as approved (`--config`), and is recorded as such. */
  constructor(file: string, trustsAll: boolean, key: RecordKey) {
    this.file = file;
    this.#trustsAll = trustsAll;
    this.#record = new AcceptedRecord(file, key);
  }

  /** Returns the approved part of a config. Changes nothing; `save` writes the approvals. */
  async evaluate(text: string, reading: ParsedConfig, env: Env): Promise<Judgement> {
    const { config } = reading;
    if (config === undefined) return { ...reading, waiting: [], agree: undefined };
    const agreed = await this.#read();
    const written = writtenServers(text, config.path, env);
    const { blocked = {} } = agreed ?? {};
    const isOff = (server: ServerConfig): boolean => isBlocked(blocked, server.name, own(written, server.name));
    const servers = config.servers.map((server) => (isOff(server) ? off(server, 'blocked') : server));
    const known = { ...reading, config: { ...config, servers } };
    const now: ApprovedConfig = {
      servers: Object.fromEntries(Object.entries(written).filter(([name, one]) => !isBlocked(blocked, name, one))),
      settings: guardedSettings(config),
      plain: plainOf(config),
      blocked,
    };
    if (agreed === undefined || this.#trustsAll || agreed.settings['trustEdits'] === true) {
      return { ...known, waiting: [], agree: isSame(agreed, now) ? undefined : now };
    }
    const { next, waiting } = compare(agreed, now, reading, config.path);
    // Nothing is decided while the vault is locked.
    const agree = agreed.unusable === 'locked' || isSame(agreed, next) ? undefined : next;
    if (waiting.length === 0) return { ...known, waiting, agree };
    const used = useAgreed({ config: known.config, text, waiting, agreed: next, env });
    const held = waiting.map((edit) => ({ edit, name: pendingEditsId(waiting) }));
    const problems = held.map(({ edit, name }) => problemOf(edit, name, text, config.path));
    return { config: used, problems: [...reading.problems, ...problems], waiting, agree };
  }

  /** Returns the last approved config, for a start with an unreadable file; undefined if there is none. */
  async lastAgreed(path: string, env: Env): Promise<AppConfig | undefined> {
    const agreed = await this.#read();
    if (agreed === undefined || Object.keys(agreed.servers).length === 0) return undefined;
    const { servers, settings, plain = {} } = agreed;
    const config = withSettings({ ...defaultConfig(path), ...plain }, settings);
    return { ...config, servers: Object.entries(servers).flatMap(([name, one]) => build(name, one, config, env)) };
  }

  /** Rejects with AppError `secret_locked` if the vault is locked. */
  async save(agree: ApprovedConfig): Promise<void> {
    await this.#record.write(agree);
  }

  /**
   * Called before Tooltray writes `after` in place of `before`: approves exactly the differences. While the vault is
   * locked nothing is recorded, and the edit waits for the user.
   */
  async recordOwnEdit(before: string, after: string, path: string, env: Env): Promise<void> {
    const [was, is] = [before, after].map((text) => stateOf(text, path, env));
    if (was === undefined || is === undefined) return;
    const agreed = (await this.#read()) ?? was;
    if (agreed.unusable === 'locked') return;
    const blocked = { ...agreed.blocked };
    const servers = Object.entries(is.servers).flatMap(([name, server]): [string, WrittenServer][] => {
      const [old, known] = [own(was.servers, name), own(agreed.servers, name)];
      if (old === undefined || !isSameLaunch(old, server) || loosensTools(old.entry, server.entry)) {
        // Writing an entry here counts as having seen it, and only the user's own entry lifts a block.
        if (old === undefined || !isSameLaunch(old, server)) delete blocked[name];
        return isBlocked(blocked, name, server) ? [] : [[name, server]];
      }
      if (known === undefined) return [];
      const on = old.enabled === server.enabled ? known.enabled : server.enabled;
      return [[name, switched(isSameLaunch(known, server) ? server : known, on)]];
    });
    const settings = Object.entries(is.settings).map(([key, value]): [string, unknown] => {
      const isEdited = !isDeepStrictEqual(value, was.settings[key]);
      return [key, isEdited || !Object.hasOwn(agreed.settings, key) ? value : agreed.settings[key]];
    });
    await this.save({
      servers: Object.fromEntries(servers),
      settings: Object.fromEntries(settings),
      plain: is.plain,
      blocked,
      ...(agreed.unusable && { unusable: agreed.unusable }),
    });
  }

  /** Approves all pending edits in `text`; blocked servers stay blocked. */
  async approveAll(text: string, path: string, env: Env): Promise<void> {
    const now = stateOf(text, path, env);
    if (now === undefined) return;
    const { blocked = {} } = (await this.#read()) ?? {};
    const servers = Object.entries(now.servers).filter(([name, server]) => !isBlocked(blocked, name, server));
    await this.save({ ...now, servers: Object.fromEntries(servers), blocked });
  }

  /** Applies the user's decision on one server as in `text`, and on nothing else. */
  async decideServer(server: string, choice: 'accept' | 'block', text: string, path: string, env: Env): Promise<void> {
    const now = stateOf(text, path, env);
    const written = now && own(now.servers, server);
    if (now === undefined || written === undefined) return;
    const agreed = (await this.#read()) ?? now;
    const servers = new Map(Object.entries(agreed.servers));
    const blocked = new Map(Object.entries(agreed.blocked ?? {}));
    blocked.delete(server);
    if (choice === 'accept') servers.set(server, written);
    else {
      servers.delete(server);
      blocked.set(server, launchOf(written.entry));
    }
    const recent = [...blocked].slice(-maxBlocked);
    await this.save({ ...agreed, servers: Object.fromEntries(servers), blocked: Object.fromEntries(recent) });
  }

  /**
   * Returns the approved servers and non-default settings as the text of a config file, to replace a missing one.
   * Undefined if no server was approved, or the record cannot be read.
   */
  async asText(path: string, env: Env): Promise<string | undefined> {
    const agreed = await this.#read();
    if (agreed === undefined || Object.keys(agreed.servers).length === 0) return undefined;
    const servers = Object.fromEntries(Object.entries(agreed.servers).map(([name, { entry }]) => [name, entry]));
    const defaults = guardedSettings(defaultConfig(path));
    const changed = Object.entries(agreed.settings).filter(([key, value]) => !isDeepStrictEqual(value, defaults[key]));
    const isOfResults = ([key]: readonly [string, unknown]): boolean => key.startsWith('results.');
    const results = changed.filter(isOfResults).map(([key, value]) => [key.slice('results.'.length), value]);
    const settings = {
      ...Object.fromEntries(changed.filter((setting) => !isOfResults(setting))),
      ...(results.length > 0 && { results: Object.fromEntries(results) as JsonObject }),
    };
    const whole = JSON.stringify({ ...settings, servers }, null, 2);
    // Settings are stored as parsed, which can differ from how they are written.
    const isTrue = isDeepStrictEqual(stateOf(whole, path, env)?.settings, agreed.settings);
    return `${isTrue ? whole : JSON.stringify({ servers }, null, 2)}\n`;
  }

  /** Why the record, or the one it replaced, cannot be used. Undefined if it can. */
  async lost(): Promise<UnusableReason | undefined> {
    const record = await this.#record.read();
    return typeof record === 'string' ? record : record?.unusable;
  }

  /** Undefined if nothing was ever approved. An unusable record approves nothing. */
  async #read(): Promise<ApprovedConfig | undefined> {
    const record = await this.#record.read();
    return typeof record === 'string' ? { servers: {}, settings: {}, unusable: record } : record;
  }
}

function stateOf(text: string, path: string, env: Env): ApprovedConfig | undefined {
  const { config } = parseConfig(text, path, env);
  return (
    config && { servers: writtenServers(text, path, env), settings: guardedSettings(config), plain: plainOf(config) }
  );
}

/** Maximum number of removed servers whose block is remembered, latest blocks first. */
const maxBlocked = 500;

function isBlocked(
  blocked: Readonly<Record<string, JsonObject>>,
  name: string,
  server: WrittenServer | undefined,
): boolean {
  const launch = own(blocked, name);
  return launch !== undefined && server !== undefined && isDeepStrictEqual(launch, launchOf(server.entry));
}

/** A file of an earlier version has no list of blocked servers. */
function isSame(agreed: ApprovedConfig | undefined, next: ApprovedConfig): boolean {
  return agreed !== undefined && isDeepStrictEqual({ blocked: {}, ...agreed }, { blocked: {}, ...next });
}

function off(server: ServerConfig, held: LeaseHandle): ServerConfig {
  return { ...server, enabled: false, held };
}

function isSameLaunch(one: WrittenServer, other: WrittenServer): boolean {
  return isDeepStrictEqual(launchOf(one.entry), launchOf(other.entry));
}

function launchOf(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !plainFields.has(key)));
}

/** Whether tools become callable. */
function loosensTools(before: JsonObject, after: JsonObject): boolean {
  const [was, is] = [toolsOf(before), toolsOf(after)];
  if (was.off.some((tool) => !is.off.includes(tool))) return true;
  const { only } = was;
  return only !== undefined && (is.only === undefined || is.only.some((tool) => !only.includes(tool)));
}

function toolsOf({ disabledTools: off, enabledTools: only }: JsonObject): {
  readonly off: readonly unknown[];
  readonly only: readonly unknown[] | undefined;
} {
  return { off: Array.isArray(off) ? off : [], only: Array.isArray(only) ? only : undefined };
}

function compare(
  agreed: ApprovedConfig,
  now: ApprovedConfig,
  { problems }: ParsedConfig,
  path: string,
): { next: ApprovedConfig; waiting: readonly PendingEdit[] } {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const broken = new Set(errors.map(({ server }) => server));
  // If the list of servers cannot be read, no server counts as removed.
  const isUnread = errors.some((problem) => containerKeys.some((key) => key === problem.path));
  const waiting: PendingEdit[] = [];
  const lost = agreed.unusable === undefined ? {} : { lost: agreed.unusable };
  const servers = Object.entries(now.servers).flatMap(([name, server]): [string, WrittenServer][] => {
    const known = own(agreed.servers, name);
    const isKnown = known !== undefined && isSameLaunch(known, server) && !loosensTools(known.entry, server.entry);
    if (isKnown && (known.enabled || !server.enabled)) return [[name, server]];
    // An invalid entry needs no approval yet.
    if (!broken.has(name))
      waiting.push({ kind: 'entry', server: name, entry: server.entry, before: known?.entry, ...lost });
    return known === undefined ? [] : [[name, switched(known, known.enabled && server.enabled)]];
  });
  const settings = Object.entries(now.settings).map(([key, value]): [string, unknown] => {
    const before = Object.hasOwn(agreed.settings, key) ? agreed.settings[key] : defaultOf(key, path);
    if (isDeepStrictEqual(before, value)) return [key, value];
    if (tightens(key, before, value)) return [key, value];
    waiting.push({ kind: 'setting', key, value, before, ...lost });
    return [key, before];
  });
  const next = isUnread ? agreed.servers : Object.fromEntries(servers);
  const { blocked = {} } = agreed;
  return {
    next: {
      servers: next,
      settings: Object.fromEntries(settings),
      plain: now.plain,
      blocked,
      ...(agreed.unusable && { unusable: agreed.unusable }),
    },
    waiting,
  };
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function switched(server: WrittenServer, on: boolean): WrittenServer {
  if (server.enabled === on) return server;
  const { quarantined: _quarantined, ...entry } = server.entry;
  return { ...server, enabled: on, entry: { ...entry, enabled: on } };
}

function defaultOf(key: string, path: string): unknown {
  return guardedSettings(defaultConfig(path))[key];
}

interface Held {
  readonly config: AppConfig;
  readonly text: string;
  readonly waiting: readonly PendingEdit[];
  readonly agreed: ApprovedConfig;
  readonly env: Env;
}

function useAgreed({ config, text, waiting, agreed, env }: Held): AppConfig {
  const entries = new Set(waiting.flatMap((edit) => (edit.kind === 'entry' ? edit.server : [])));
  const settings = waiting.flatMap((edit): [string, unknown][] =>
    edit.kind === 'setting' ? [[edit.key, edit.before]] : [],
  );
  const used = withSettings(config, Object.fromEntries(settings));
  const asWritten = new Map(
    (settings.length === 0 ? [] : parseServerConfigs(text, used, env)).map((server) => [server.name, server]),
  );
  const servers = config.servers.flatMap((server): readonly ServerConfig[] => {
    if (!entries.has(server.name)) return [asWritten.get(server.name) ?? server];
    const known = own(agreed.servers, server.name);
    // It is listed, so that a caller learns that it is in review.
    return known === undefined ? [off(server, 'review')] : build(server.name, known, used, env);
  });
  return { ...used, servers };
}

function build(
  name: string,
  { entry, enabled: on }: WrittenServer,
  settings: AppConfig,
  env: Env,
): readonly ServerConfig[] {
  const servers = parseServerConfigs(JSON.stringify({ servers: { [name]: entry } }), settings, env);
  return servers.map((server) => ({ ...server, enabled: server.enabled && on }));
}

function problemOf(edit: PendingEdit, name: string, text: string, path: string): ParsedConfig['problems'][number] {
  const document = new ConfigDocument(text, path);
  const keys = edit.kind === 'entry' ? [edit.server] : edit.key.split('.');
  const entries = document.root === undefined ? [] : findContainers(document.root).flatMap((one) => one.entries);
  const entry = edit.kind === 'entry' ? entries.find((one) => one.name === edit.server) : undefined;
  const used = edit.before === undefined ? 'It is not in use.' : 'The previously approved entry stays in use.';
  if (document.root !== undefined) {
    document.report(
      'warning',
      entry?.nameNode ?? document.root,
      entry?.path ?? keys,
      edit.lost !== undefined
        ? `${lostSentence(edit.lost)} It needs your approval. ${used}`
        : `This was not written by Tooltray and needs your approval. ${used}`,
      {
        suggestion: `Approve it: tooltray inbox approve ${name}.`,
        ...(edit.kind === 'entry' && { server: edit.server }),
      },
    );
  }
  const problem = document.problems.at(-1);
  if (problem !== undefined) return problem;
  return {
    severity: 'warning',
    file: path,
    line: 1,
    column: 1,
    path: keys.join('.'),
    reason: used,
    suggestion: undefined,
  };
}
