/**
 * Finds the server entries in a configuration of any product, wherever in it they stand, and what it says about them
 * beside.
 */
import { isObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';
import type { Dialect } from './dialect.ts';
import {
  commonDialect,
  dialects,
  foreignForms,
  policyLists,
  type PolicyList,
  type ServerPlace,
  serverPlaces,
} from './dialect-table.ts';

export interface FoundEntry {
  /** Undefined in a list whose item has no name. */
  readonly name: string | undefined;
  readonly raw: unknown;
  /** Key path of the entry. */
  readonly path: readonly PropertyKey[];
  readonly dialect: Dialect;
  /** The folder that it belongs to, where that is a project's. */
  readonly project?: string;
  /** Why it cannot be brought over. */
  readonly refusal?: string;
  /** Policy from lists next to the servers: disabled servers or tools. */
  readonly policy: Readonly<{ enabled?: false; disabledTools?: readonly string[]; callTimeoutSeconds?: number }>;
}

export interface FoundServers {
  /** The dialect of the configuration; the common one if undetected. */
  readonly dialect: Dialect;
  readonly entries: readonly FoundEntry[];
  /** Key paths of the servers, as users write them: `mcp.servers`. */
  readonly places: readonly string[];
  /** About the file as a whole, a sentence each. */
  readonly notes: readonly string[];
}

/** `file`: the path or name of the file, as a hint; empty if there is none. */
export function findServers(value: unknown, file: string): FoundServers {
  const root = Array.isArray(value) && value.some(isObject) ? { mcpServers: value as unknown[] } : objectOrEmpty(value);
  const whole = wholeDialect(root, file);
  const found = serverPlaces.flatMap((place) => placesAt(root, place.path).map((at) => ({ place, ...at })));
  const taken = new Set<unknown>();
  const entries = found.flatMap(({ place, container, path }) => {
    // `mcp.servers` and `mcp` are one place.
    const items = taken.has(container) ? [] : entriesIn(container, place, path);
    for (let at: unknown = root, step = 0; step <= path.length; step++) {
      taken.add(at);
      at = objectOrEmpty(at)[String(path[step])];
    }
    return items.map(([name, raw, own]) => entryAt(name, raw, own, place, { root, whole, path }));
  });
  const flat = entries.length === 0 && found.length === 0 ? flatEntries(root, whole) : [];
  const places = [...new Set(entries.map(({ path }) => path.slice(0, -1).map(String).join('.')))];
  const form = foreignForms.find(({ keys }) => keys.every((key) => root[key] !== undefined));
  const notes = [...(form === undefined ? [] : [form.reason]), ...policyNotes(root)];
  const all = [...entries, ...flat];
  const byEntry = all.find((one) => one.dialect !== commonDialect)?.dialect;
  const dialect = whole.byFile ?? whole.byRoot ?? byEntry ?? commonDialect;
  return { dialect, entries: all, places, notes };
}

/** Whether an object says what to start or where to connect. */
export function isEntry(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const said = [value['command'], value['cmd'], value['url'], value['uri'], value['serverUrl'], value['httpUrl']];
  if ([...said, value['base_url'], value['baseUrl']].some((one) => typeof one === 'string' || Array.isArray(one)))
    return true;
  return isObject(value['command']) || (isObject(value['transport']) && isEntry(value['transport']));
}

/** Dialects indicated by the file's name and by the keys next to the servers. */
interface WholeDialect {
  readonly byFile: Dialect | undefined;
  readonly byRoot: Dialect | undefined;
}

function wholeDialect(root: JsonObject, file: string): WholeDialect {
  const path = file.replaceAll('\\', '/');
  return {
    byFile: dialects.find((one) => one.file?.test(path)),
    byRoot: dialects.find(({ rootKeys = [] }) => rootKeys.some((key) => root[key] !== undefined)),
  };
}

interface Whole {
  readonly root: JsonObject;
  readonly whole: WholeDialect;
  readonly path: readonly string[];
}

function entryAt(
  name: string | undefined,
  raw: unknown,
  own: PropertyKey | undefined,
  place: ServerPlace,
  { root, whole, path }: Whole,
): FoundEntry {
  const project = place.isProject === true ? path[1] : undefined;
  return {
    name,
    raw,
    path: own === undefined ? path : [...path, own],
    dialect: entryDialect(raw, place, whole),
    policy: name === undefined ? {} : policyOf(name, root, project, place),
    ...(project !== undefined && { project }),
    ...(place.refusal !== undefined && { refusal: place.refusal }),
  };
}

/** The file's name is the strongest hint, then the place, then the entry itself, then its siblings. */
function entryDialect(raw: unknown, { dialect, path }: ServerPlace, { byFile, byRoot }: WholeDialect): Dialect {
  const named = dialects.find(({ id }) => id === dialect);
  if (byFile !== undefined && (named === undefined || path[0] === 'mcp')) return byFile;
  const keys = isObject(raw) ? raw : {};
  const has = (key: string): boolean => keys[key] !== undefined && keys[key] !== null;
  const byEntry = dialects.find(({ entryKeys = [] }) => entryKeys.some(has));
  // ToolMux and VS Code keep servers there; a time is only ever ToolMux's.
  const byPlace = path[0] === 'servers' ? dialects.find(({ id }) => id === 'toolmux') : undefined;
  return named ?? byEntry ?? byRoot ?? byPlace ?? commonDialect;
}

interface PlaceFound {
  readonly container: unknown;
  readonly path: readonly string[];
}

function placesAt(value: unknown, path: readonly string[], before: readonly string[] = []): readonly PlaceFound[] {
  const [step, ...rest] = path;
  if (step === undefined) return value === undefined || value === null ? [] : [{ container: value, path: before }];
  if (!isObject(value)) return [];
  const keys = step === '*' ? Object.keys(value) : Object.hasOwn(value, step) ? [step] : [];
  return keys.flatMap((key) => placesAt(value[key], rest, [...before, key]));
}

type Item = readonly [name: string | undefined, raw: unknown, key: PropertyKey | undefined];

function entriesIn(container: unknown, { items }: ServerPlace, path: readonly string[]): readonly Item[] {
  if (items === 'one') return [[undefined, container, undefined]];
  if (Array.isArray(container)) {
    return (container as unknown[]).map((item, index): Item => {
      const type = items === undefined ? {} : { type: items };
      if (typeof item === 'string') return [undefined, { ...type, url: item }, index];
      const name = isObject(item) ? (item['name'] ?? item['id']) : undefined;
      return [
        typeof name === 'string' && name !== '' ? name : undefined,
        isObject(item) ? { ...type, ...item } : item,
        index,
      ];
    });
  }
  if (!isObject(container)) return [];
  // Under `mcp` and `powers` there is more than servers.
  const isMixed = path.length === 1 && (path[0] === 'mcp' || path[0] === 'powers' || path[0] === 'extensions');
  return Object.entries(container).flatMap(([key, raw]): Item[] =>
    isMixed && (!isObject(raw) || (!isEntry(raw) && typeof raw['type'] !== 'string')) ? [] : [[key, raw, key]],
  );
}

/** A map of entries without a container, as plugins and Warp have it, or one entry alone. */
function flatEntries(root: JsonObject, dialect: WholeDialect): readonly FoundEntry[] {
  const whole: ServerPlace = { path: [] };
  if (isEntry(root)) {
    const { name } = root;
    const own = typeof name === 'string' && name !== '' ? name : undefined;
    return [{ name: own, raw: root, path: [], dialect: entryDialect(root, whole, dialect), policy: {} }];
  }
  return Object.entries(root).flatMap(([name, raw]) =>
    isEntry(raw) ? [{ name, raw, path: [name], dialect: entryDialect(raw, whole, dialect), policy: {} }] : [],
  );
}

// Returns the policy of a server from lists outside its entry.

function policyOf(
  name: string,
  root: JsonObject,
  project: string | undefined,
  place: ServerPlace,
): FoundEntry['policy'] {
  const tools: string[] = [];
  let isOff = false;
  for (const list of policyLists) {
    for (const { container, path } of placesAt(root, list.path)) {
      if (path[0] === 'projects' && path[1] !== project) continue;
      const names = namesIn(container, list);
      if (list.kind === 'only') isOff ||= names.length > 0 && !names.includes(name);
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
    return Object.entries(objectOrEmpty(container)).flatMap(([name, on]) => (on === false ? [name] : []));
  const names = Array.isArray(container) ? (container as unknown[]) : [];
  return names
    .map((item) => (nameKey === undefined ? item : objectOrEmpty(item)[nameKey]))
    .filter((one) => typeof one === 'string');
}

/** Tool names as the app lists them, without what stands before them; `notion*` are all tools of `notion`. */
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
    (key) => `${key}: rules by command or address, and for managed servers only, are not applied here.`,
  );
}
