/** Reads the servers in a text of any product into the form of our config, and lists what was lost. */
import { isObject, type JsonObject } from '../../base/json.ts';
import type { ServerEntry } from '../schema.ts';
import { commonDialect } from './dialect-table.ts';
import { findServers, type FoundEntry } from './find-servers.ts';
import { formatOfFile, parseText, type TextFormat } from './parse-text.ts';
import { type EntryProblem, readEntry } from './read-entry.ts';

/** A server in the form of our config. */
export interface ImportedServer {
  readonly name: string;
  readonly entry: JsonObject;
  /** Parts that are lost or must be filled in, one sentence each. */
  readonly losses?: readonly string[];
}

/** A parsed server entry. */
export interface ReadServer {
  /** Undefined if the text does not name it. */
  readonly name: string | undefined;
  /** Undefined if it cannot be used; `reason` says why. */
  readonly entry: JsonObject | undefined;
  readonly reason: string;
  readonly losses: readonly string[];
  /** The entry as its product wrote it, and its keys. */
  readonly raw: unknown;
  readonly path: readonly PropertyKey[];
}

export interface ServersReading {
  readonly servers: readonly ReadServer[];
  /** About the whole text, one sentence each. */
  readonly notes: readonly string[];
}

export interface ReadContext {
  /** The user's home folder. */
  readonly home: string;
  /** The folder of the project that the entries belong to. */
  readonly project?: string | undefined;
}

/** How a text is parsed. */
interface TextOptions {
  readonly format?: TextFormat;
  /** The name of the text in errors; the file if absent. */
  readonly title?: string;
  /** Also reads JSON5. Default true. */
  readonly takesJson5?: boolean;
}

/** Throws AppError `config_invalid` if the text cannot be parsed. Starts nothing. */
export function readServersOfText(
  text: string,
  file: string,
  context: ReadContext,
  { format = formatOfFile(file), title = file, takesJson5 = true }: TextOptions = {},
): ServersReading {
  const { value, notes } = parseText(text, format, title, takesJson5);
  const reading = readServersOfValue(value, file, context);
  return { ...reading, notes: [...notes, ...reading.notes] };
}

/** The same for a parsed value. Of equal names the first counts, and the others are reported. */
export function readServersOfValue(value: unknown, file: string, context: ReadContext): ServersReading {
  const { entries, notes, form, dialect } = findServers(value, file);
  const names = new Set<string>();
  const servers = entries.map((found): ReadServer => {
    const server = readFound(found, context);
    const { name, entry } = server;
    if (name === undefined || entry === undefined) return server;
    if (names.has(name)) return refused(found, 'Another server in the file has this name.');
    names.add(name);
    return server;
  });
  const settings = dialect.hasSettings === true && isObject(value) ? Object.keys(value).filter(isSetting) : [];
  const left =
    settings.length === 0 ? [] : [`${dialect.product}'s own settings are not imported: ${settings.join(', ')}.`];
  return { servers, notes: [...(form === undefined ? [] : [form]), ...notes, ...left] };
}

function isSetting(key: string): boolean {
  return !['servers', 'mcpServers', '$schema'].includes(key);
}

/** Reads a single entry. */
export function readOne(raw: unknown, context: ReadContext): ReadServer {
  const [found] = findServers({ mcpServers: { x: raw } }, '').entries;
  return readFound({ path: [], dialect: commonDialect, policy: {}, ...found, name: undefined, raw }, context);
}

function readFound(found: FoundEntry, { home, project }: ReadContext): ReadServer {
  const { name, raw, path, refusal } = found;
  const { entry, problems } = readEntry(raw, { project, ...found, home });
  const error = problems.find(({ severity }) => severity === 'error');
  if (entry === undefined || refusal !== undefined) return refused(found, refusal ?? (error && sentence(error)));
  const own = found.project === undefined ? [] : [`It belongs to one project: it is started in ${found.project}.`];
  return {
    name,
    raw,
    path,
    entry: writtenEntry(entry),
    reason: '',
    losses: [...own, ...new Set(problems.map(sentence))],
  };
}

function refused({ name, raw, path }: FoundEntry, reason = ''): ReadServer {
  return { name, raw, path, entry: undefined, reason, losses: [] };
}

/** Omits empty and default values, because an empty list of permitted tools would permit none. */
function writtenEntry(entry: ServerEntry): JsonObject {
  const isDefault = ([key, value]: [string, unknown]): boolean => {
    if (key === 'enabledTools') return false;
    if (typeof value === 'object') return Object.keys(value ?? {}).length === 0;
    return value === undefined || value === '' || (key === 'enabled' ? value === true : value === false);
  };
  return Object.fromEntries(Object.entries(entry).filter((one) => !isDefault(one)));
}

/** For example `env.KEY: ${input:key} cannot be used here. Write …` */
export function sentence({ path, reason, suggestion }: EntryProblem): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  const where = path.length === 0 ? '' : `${steps.join('').slice(1)}: `;
  return [`${where}${reason}`, suggestion].filter(Boolean).join(' ');
}
