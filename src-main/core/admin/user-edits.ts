/** Changes of servers by the user, which need no proposal. */
import type { ConfigProblem } from '../config/app-config.ts';
import type { ToolSelection } from '../config/server-config.ts';
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { Masker, maskPlaceholder, opaqueSecrets } from '../base/mask.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { namesTool } from '../config/tool-names.ts';
import { fieldOfKey } from '../config/dialects/read-entry.ts';
import {
  addServer,
  hasServer,
  removeServer,
  replaceEntry,
  setServerField,
  setTopLevel,
  rawEntry,
  rawSetting,
} from '../config/edit-config.ts';
import { assertReviewed } from '../config/server-holds.ts';
import { installedVersion } from '../servers/launch/installed-version.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import { unpinnedPackage, pinPackageVersion } from '../trust/pins/launch-fingerprint.ts';
import { assertUnchanged, revertEdit, type AppliedEdit } from './revert-edit.ts';

export interface PinnedVersion {
  readonly server: string;
  readonly package: string;
  readonly version: string;
}

export class UserEdits {
  readonly #config: ConfigStore;
  readonly #servers: ServerManager;

  constructor(config: ConfigStore, servers: ServerManager) {
    this.#config = config;
    this.#servers = servers;
  }

  /**
   * The entry as written, with secrets masked; verbatim for a server in review, because enabling it starts exactly
   * that. Rejects with AppError `server_not_found`.
   */
  async maskedEntry(server: string): Promise<JsonObject> {
    const entry = await this.#entry(server);
    const held = this.#servers.find(server)?.config.held;
    return held === undefined || held === 'setup' ? maskWhole(entry) : entry;
  }

  /** `entry` with masked values replaced by the current ones. */
  async unmaskEntry(entry: JsonObject, server: string | undefined): Promise<JsonObject> {
    if (server === undefined || this.#servers.find(server) === undefined) return entry;
    const whole = await this.#entry(server);
    return fillIn(entry, maskWhole(whole), whole) as JsonObject;
  }

  /** Rejects with AppError `config_conflict` if the name is taken and `replace` is false, or `config_invalid`. */
  async save(name: string, entry: JsonObject, replace: boolean): Promise<void> {
    const whole = await this.unmaskEntry(entry, replace ? name : undefined);
    await this.#change((text) =>
      replace && this.#servers.find(name) !== undefined
        ? replaceEntry(text, name, whole)
        : addServer(text, name, whole),
    );
  }

  /**
   * Restores the previous content. Rejects with AppError `config_conflict`, with nothing written, if an edited part
   * has changed since.
   */
  revert(edits: readonly AppliedEdit[]): Promise<void> {
    return this.#change((text) => {
      for (const edit of edits) assertUnchanged(text, edit);
      return edits.reduce(revertEdit, text);
    });
  }

  /** The entries as written; undefined for a missing one. Nothing is masked. */
  async rawEntries(servers: readonly string[]): Promise<ReadonlyMap<string, JsonObject | undefined>> {
    const text = await this.#config.text();
    return new Map(servers.map((server) => [server, hasServer(text, server) ? rawEntry(text, server) : undefined]));
  }

  /** Adds several servers, so that they start together; an invalid one is added with its problem. */
  addAll(servers: readonly { readonly name: string; readonly entry: JsonObject }[]): Promise<void> {
    return this.#write((text) => servers.reduce((edited, { name, entry }) => addServer(edited, name, entry), text));
  }

  /** Removes the servers that the file contains, usable or not; resolves with their names. */
  async removeExisting(servers: readonly string[]): Promise<readonly string[]> {
    let gone: readonly string[] = [];
    await this.#write((text) => {
      gone = servers.filter((server) => hasServer(text, server));
      return gone.reduce(removeServer, text);
    });
    return gone;
  }

  /** Rejects with AppError `not_allowed` if it has to be reviewed first. */
  async setEnabled(server: string, enabled: boolean): Promise<void> {
    if (enabled) assertReviewed(this.#servers.find(server)?.config);
    return this.#change((text) => setServerField(text, server, 'enabled', enabled));
  }

  /**
   * Locks the package version of a server: the given one, otherwise the one that ran last. Rejects with AppError
   * `server_not_found`, `bad_request`, or `not_found` if nothing floats or no version is known.
   */
  async lockVersion(server: string, given: string | undefined, env: NodeJS.ProcessEnv): Promise<PinnedVersion> {
    const { name, ...config } = this.#servers.get(server).config;
    const packageName = config.kind === 'stdio' ? unpinnedPackage(config.command, config.args) : undefined;
    if (config.kind !== 'stdio' || packageName === undefined) {
      throw new AppError('not_found', `${name} does not use a package whose version can be locked.`);
    }
    const version = given ?? (await installedVersion(config.command, packageName, { ...env, ...config.env }));
    if (version === undefined) {
      throw new AppError('not_found', `No installed version of ${packageName} was found on this computer.`, {
        fix: `Specify one: tooltray pin ${name} --version 1.2.3.`,
      });
    }
    // Returns the arguments as written, with unresolved placeholders.
    const { args } = await this.#entry(name);
    const written = Array.isArray(args) ? args.map(String) : [];
    const pinned = pinPackageVersion(config.command, written, version);
    if (pinned === undefined) throw new AppError('not_found', `The package of ${name} is set by a variable.`);
    await this.#change((text) => setServerField(text, name, 'args', pinned));
    return { server: name, package: packageName, version };
  }

  /** `tool`: the server's own name. */
  setToolEnabled(server: string, tool: string, enabled: boolean): Promise<void> {
    return this.#change((text) => {
      const { off, only } = switchesOf(rawEntry(text, server));
      const known = this.#servers.find(server)?.listing.tools.map(({ name }) => String(name)) ?? [];
      // A pattern that matches the tool is replaced by the other names that it matches.
      const others = off.flatMap((one) => {
        if (one === tool) return [];
        return enabled && namesTool([one], tool)
          ? known.filter((name) => name !== tool && namesTool([one], name))
          : [one];
      });
      const next = enabled ? others : [...others, tool];
      const edited = setServerField(text, server, 'disabledTools', next.length === 0 ? undefined : next);
      const isLeftOut = enabled && only !== undefined && !namesTool(only, tool);
      return isLeftOut ? setServerField(edited, server, 'enabledTools', [...only, tool]) : edited;
    });
  }

  /** Sets a field of several entries, by our name for it. */
  setField(servers: readonly string[], field: string, value: (server: string) => unknown): Promise<void> {
    return this.#change((text) =>
      servers.reduce((edited, server) => setServerField(edited, server, field, value(server)), text),
    );
  }

  /** Sets a global setting; `undefined` removes it. */
  set(key: string, value: unknown): Promise<void> {
    return this.#change((text) => setTopLevel(text, key, value));
  }

  /** Sets members of a group of settings; null removes one. */
  async merge(key: string, members: JsonObject): Promise<void> {
    await this.#change((text) => {
      const written = rawSetting(text, key);
      const merged = Object.entries({ ...objectOrEmpty(written), ...members }).filter(
        ([, value]) => value !== null && value !== undefined,
      );
      return setTopLevel(text, key, merged.length === 0 ? undefined : Object.fromEntries(merged));
    });
  }

  async #entry(server: string): Promise<JsonObject> {
    return rawEntry(await this.#config.text(), server);
  }

  /** Resolves when the servers are updated. */
  async #write(edit: (text: string) => string): Promise<void> {
    await this.#config.update(edit);
    await this.#servers.apply(this.#config.current.servers);
  }

  /** The same; rejects with AppError `config_invalid`, with nothing written, if the edit would introduce an error. */
  async #change(edit: (text: string) => string): Promise<void> {
    await this.#write((text) => {
      const edited = edit(text);
      const problem = this.#newError(text, edited);
      if (problem === undefined) return edited;
      throw new AppError('config_invalid', problem.reason, { ...(problem.suggestion && { fix: problem.suggestion }) });
    });
  }

  /** Existing errors of other servers or settings do not prevent an edit. */
  #newError(before: string, after: string): ConfigProblem | undefined {
    const errorsIn = (text: string): readonly ConfigProblem[] =>
      this.#config.parseText(text).problems.filter(({ severity }) => severity === 'error');
    const known = new Set(errorsIn(before).map(errorKey));
    return errorsIn(after).find((problem) => !known.has(errorKey(problem)));
  }
}

function maskWhole(entry: JsonObject): JsonObject {
  return new Masker(opaqueSecrets(entry)).maskObject(entry) as JsonObject;
}

/** Equal for the same error, whatever its line. */
function errorKey({ path, reason }: ConfigProblem): string {
  return `${path} ${reason}`;
}

function switchesOf(entry: JsonObject): ToolSelection {
  const written = (field: string): unknown => Object.entries(entry).find(([key]) => fieldOfKey(key) === field)?.[1];
  return { off: textsOf(written('disabledTools')) ?? [], only: textsOf(written('enabledTools')) };
}

function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : undefined;
}

/** Restores the original of each masked value that is unchanged. List items are matched by index. */
function fillIn(given: unknown, shown: unknown, whole: unknown): unknown {
  if (typeof given === 'string' && given.includes(maskPlaceholder)) {
    if (given === shown) return whole;
    throw new AppError('bad_request', `${JSON.stringify(given)} contains a masked secret and was changed.`, {
      fix: 'Enter the full value, or do not change it.',
    });
  }
  const at = (value: unknown, key: string | number): unknown =>
    typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
  if (Array.isArray(given)) return given.map((item, index) => fillIn(item, at(shown, index), at(whole, index)));
  if (!isObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, fillIn(value, at(shown, key), at(whole, key))]),
  );
}
