/** Finds the server entries in a configuration of any product, and the policies outside of the entries. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';
import type { Dialect } from './dialect.ts';
import { plainKey } from './key-table.ts';
import { type EntryPolicy, isEntry } from './read-entry.ts';
import {
  commonDialect,
  dialects,
  foreignForms,
  mixedPlaces,
  policyLists,
  serversDialect,
  type PolicyList,
  type ServerPlace,
  serverPlaces,
} from './dialect-table.ts';

export interface FoundEntry {
  /** Undefined for a list item without a name. */
  readonly name: string | undefined;
  readonly raw: unknown;
  /** Key path of the entry. */
  readonly path: readonly PropertyKey[];
  readonly dialect: Dialect;
  /** The folder of the project that it belongs to. */
  readonly project?: string;
  /** Why it cannot be imported. */
  readonly refusal?: string;
  /** Policy from lists outside of the entry: disabled servers or tools. */
  readonly policy: EntryPolicy;
}

export interface FoundServers {
  /** The dialect of the configuration; the common one if undetected. */
  readonly dialect: Dialect;
  readonly entries: readonly FoundEntry[];
  /** Key paths of the servers, as users write them: `mcp.servers`. */
  readonly places: readonly string[];
  /** Notes about the whole file, one sentence each. */
  readonly notes: readonly string[];
  /** A sentence about the file, if it contains servers in a format that cannot be imported. */
  readonly form: string | undefined;
}

/** `file`: the path or name of the file, as a hint; empty if there is none. */
export function findServers(value: unknown, file: string): FoundServers {
  const root = rootOf(value, file);
  const found = serverPlaces.flatMap((place) => placesAt(root.value, place.path).map((at) => ({ place, ...at })));
  const taken = new Set<unknown>();
  const inPlaces = found.flatMap(({ place, container, path }) => {
    // `mcp.servers` and `mcp` are the same location.
    const items = taken.has(container) ? [] : itemsIn(container, place, path, nameOf(root.value));
    path.reduce<unknown>((at, step) => (taken.add(at), objectOrEmpty(at)[step]), root.value);
    taken.add(container);
    return items.map((item) => entryAt(item, place, path, root));
  });
  const entries =
    found.length > 0 ? inPlaces : itemsOf(root.value).map((item) => entryAt(item, { path: [] }, [], root));
  const places = [...new Set(inPlaces.map(({ path }) => path.slice(0, -1).map(String).join('.')))];
  const form = foreignForms.find(({ keys }) => keys.every((key) => root.value[key] !== undefined))?.reason;
  const elsewhere = found.flatMap(({ container, path }) =>
    typeof container === 'string' && /[\\/]|\.\w+$/.test(container)
      ? [`"${path.join('.')}" refers to another file, which is not read: ${container}`]
      : [],
  );
  const notes = [...new Set([...elsewhere, ...policyNotes(root.value)])];
  const owned = inPlaces.find(({ path }) => ownedPlaces.has(String(path[0])));
  const known = entries.find((one) => one.dialect.id !== commonDialect.id);
  const dialect = root.byFile ?? owned?.dialect ?? root.byKeys ?? known?.dialect ?? commonDialect;
  return { dialect, entries, places, notes, form };
}

/** First keys of places that one product owns. */
const ownedPlaces = new Set(serverPlaces.flatMap(({ path, dialect }) => (dialect === undefined ? [] : path[0])));

/** A configuration, and the dialects that the file's name and the keys next to the servers indicate. */
interface Root {
  readonly value: JsonObject;
  readonly byFile: Dialect | undefined;
  readonly byKeys: Dialect | undefined;
}

function rootOf(written: unknown, file: string): Root {
  const isList = Array.isArray(written) && written.some(isObject);
  const value = isList ? { mcpServers: written as unknown[] } : objectOrEmpty(written);
  const path = file.replaceAll('\\', '/');
  const schema = String(value['$schema']);
  return {
    value,
    byFile: dialects.find((one) => one.file?.test(path) === true || one.schema?.test(schema) === true),
    byKeys: dialects.find(({ rootKeys = [] }) => rootKeys.some((key) => value[key] !== undefined)),
  };
}

function entryAt([name, raw, key]: Item, place: ServerPlace, path: readonly string[], root: Root): FoundEntry {
  const project = place.isProject === true ? path[1] : undefined;
  return {
    name,
    raw,
    path: key === undefined ? path : [...path, key],
    dialect: entryDialect(raw, place, root),
    policy: {
      ...(name !== undefined && policyOf(name, root.value, project, place)),
      ...(place.isOff && { enabled: false }),
    },
    ...(project !== undefined && { project }),
    ...(place.refusal !== undefined && { refusal: place.refusal }),
  };
}

/** The file's name is the strongest hint, then the place, then the entry itself, then its siblings. */
function entryDialect(raw: unknown, { dialect, path }: ServerPlace, { byFile, byKeys }: Root): Dialect {
  const named = dialects.find(({ id }) => id === dialect);
  const keys = isObject(raw) ? raw : {};
  if (path[0] === 'mcp') {
    // Shared by opencode, Crush, and VS Code's settings.
    const byType = dialects.find(({ entryTypes = [] }) => entryTypes.includes(String(keys['type'])));
    if (byFile !== undefined || (path.length === 1 && byType !== undefined)) return byFile ?? byType ?? commonDialect;
  }
  if (byFile !== undefined && named === undefined) return byFile;
  const has = (key: string): boolean => keys[key] !== undefined && keys[key] !== null;
  const byEntry = dialects.find(({ entryKeys = [] }) => entryKeys.some(has));
  const common = path[0] === 'servers' ? serversDialect : commonDialect;
  return named ?? byEntry ?? byKeys ?? common;
}

interface PlaceFound {
  readonly container: unknown;
  readonly path: readonly string[];
}

function placesAt(value: unknown, path: readonly string[], before: readonly string[] = []): readonly PlaceFound[] {
  const [step, ...rest] = path;
  if (step === undefined) return value === undefined || value === null ? [] : [{ container: value, path: before }];
  if (!isObject(value)) return [];
  if (step === '**') {
    const own = Object.keys(value).filter((key) => isSpelling(key, rest[0] ?? ''));
    const deeper = before.length < 4 ? Object.entries(value) : [];
    return [
      ...own.map((key) => ({ container: value[key], path: [...before, key] })),
      ...deeper.flatMap(([key, one]) => placesAt(one, path, [...before, key])),
    ];
  }
  const keys = step === '*' ? Object.keys(value) : Object.hasOwn(value, step) ? [step] : [];
  return keys.flatMap((key) => placesAt(value[key], rest, [...before, key]));
}

/** `mcpservers` and `mcp_server` are spellings of `mcpServers`. */
function isSpelling(key: string, wanted: string): boolean {
  return plainKey(key).replace(/s$/, '') === plainKey(wanted).replace(/s$/, '');
}

type Item = readonly [name: string | undefined, raw: unknown, key: PropertyKey | undefined];

function itemsIn(
  container: unknown,
  { items }: ServerPlace,
  path: readonly string[],
  title: string | undefined,
): readonly Item[] {
  if (items === 'one') return [[title, container, undefined]];
  const isList = Array.isArray(container);
  if (!isList && !isObject(container)) return [];
  // Under `mcp` and the like there is more than servers.
  const isMixed = path.length === 1 && mixedPlaces.has(path[0] ?? '');
  const type = items === undefined ? {} : { type: items };
  return Object.entries(container).flatMap(([key, one]: [string, unknown]): Item[] => {
    const raw = isList && typeof one === 'string' ? { url: one } : one;
    if (isMixed && (!isObject(raw) || (!isEntry(raw) && typeof raw['type'] !== 'string'))) return [];
    if (!isList) return [[key.trim() === '' ? undefined : key, raw, key]];
    return [[nameOf(raw), isObject(raw) ? { ...type, ...raw } : raw, Number(key)]];
  });
}

function nameOf(raw: unknown): string | undefined {
  const names = isObject(raw) ? ['name', 'id', 'server_label', 'uses'].map((key) => raw[key]) : [];
  return names.find((name) => typeof name === 'string' && name !== '') as string | undefined;
}

/** A map of entries without a container, as plugins and Warp use it, or a single entry. */
function itemsOf(root: JsonObject): readonly Item[] {
  if (isEntry(root)) return [[nameOf(root), root, undefined]];
  return Object.entries(root).flatMap(([name, raw]): Item[] => (isEntry(raw) ? [[name, raw, name]] : []));
}

// Returns the policy of a server from lists outside its entry.

function policyOf(name: string, root: JsonObject, project: string | undefined, place: ServerPlace): EntryPolicy {
  const tools: string[] = [];
  let isOff = false;
  for (const list of policyLists) {
    for (const { container, path } of placesAt(root, list.path)) {
      if (path[0] === 'projects' && path[1] !== project) continue;
      const names = namesIn(container, list);
      // Claude Code allows none with an empty list, Gemini CLI all.
      const isLimit = names.length > 0 || (list.nameKey !== undefined && isDeepStrictEqual(container, []));
      if (list.kind === 'only') isOff ||= isLimit && !names.includes(name);
      else if (list.kind === 'off') isOff ||= names.includes(name);
      else if (list.kind === 'tools off') tools.push(...toolsOf(names, `mcp__${name}__`));
      else if (place.dialect === 'opencode') tools.push(...toolsOf(names, `${name}_`));
    }
  }
  const seconds = place.dialect === 'zed' ? root['context_server_timeout'] : undefined;
  return {
    ...(isOff && { enabled: false }),
    ...(tools.length > 0 && { disabledTools: tools }),
    ...(typeof seconds === 'number' && seconds > 0 && { callTimeoutSeconds: seconds }),
  };
}

function namesIn(container: unknown, { kind, nameKey }: PolicyList): readonly string[] {
  if (kind === 'tool map')
    return Object.entries(objectOrEmpty(container)).flatMap(([name, on]) =>
      on === false || on === 'deny' ? [name] : [],
    );
  const names = Array.isArray(container) ? (container as unknown[]) : [];
  return names
    .map((item) => (nameKey === undefined ? item : objectOrEmpty(item)[nameKey]))
    .filter((one) => typeof one === 'string');
}

/** Tool names as the app lists them, without the prefix; `notion*` are all tools of `notion`. */
function toolsOf(names: readonly string[], prefix: string): readonly string[] {
  return names.flatMap((name) => {
    if (name.startsWith(prefix)) return [name.slice(prefix.length)];
    return name.endsWith('*') && prefix.startsWith(name.slice(0, -1)) ? ['*'] : [];
  });
}

/** Rules by command or address are not applied; they are reported. */
function policyNotes(root: JsonObject): readonly string[] {
  const rules = policyLists.flatMap(({ nameKey, path }) => {
    const items = nameKey === undefined ? [] : placesAt(root, path).flatMap(({ container }) => container);
    return items.some((item) => isObject(item) && item[nameKey ?? ''] === undefined) ? [path.join('.')] : [];
  });
  const locked = root['allowManagedMcpServersOnly'] === true ? ['allowManagedMcpServersOnly'] : [];
  return [...rules, ...locked].map(
    (key) => `${key}: rules by command or URL, and rules for managed servers, are not applied.`,
  );
}
