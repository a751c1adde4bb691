/** Finds the servers in a text that a user pasted from any page; an error names the word that is not understood. */
import { isDeepStrictEqual } from 'node:util';
import JSON5 from 'json5';
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { formatOfText, type ParsedText, parseText, type TextFormat } from '../config/dialects/parse-text.ts';
import { readOne, type ReadServer, readServersOfValue, type ServersReading } from '../config/dialects/read-servers.ts';
import { isAddress } from './mcp-add-command.ts';
import { runners } from './add-table.ts';
import { suggestServerName } from '../config/dialects/suggest-server-name.ts';
import { parseLines } from './parse-lines.ts';
import {
  type RegistryMatch,
  unrecognizedInputError,
  type PastedServer,
  type PastedText,
  quoteWord,
} from './pasted-server.ts';
import { isRegistryEntry, serverFromRegistryEntry } from './server-json.ts';

export interface PasteDeps {
  /** Whether a command exists here, because any text parses as a command line. */
  readonly isProgram: (command: string) => Promise<boolean>;
  /** The user's home folder. */
  readonly home: string;
}

/**
 * Starts and writes nothing. Rejects with AppError `bad_request`, `not_found`, unsupported if there is no server in
 * it.
 */
export async function parsePasted(text: string, deps: PasteDeps): Promise<PastedText> {
  if (/[\0\uFFFD]/.test(text))
    throw unrecognizedInputError('The text is not UTF-8.', 'Save the file as UTF-8, or copy the text from an editor.');
  const plain = text.replace(/^\uFEFF/, '').trim();
  const blocks = [...plain.matchAll(/^[ \t]*(```|~~~)[^\n]*\n([^]*?)\n?[ \t]*\1[ \t]*$/gm)].map(([, , inside = '']) =>
    inside.trim(),
  );
  // JSON between sentences.
  const isProse = blocks.length === 0 && !/^["'[{]/.test(plain);
  const [json] = !isProse ? [] : (/^[ \t]*\{[^]*\}[ \t]*,?$/m.exec(plain) ?? []);
  if (blocks.length <= 1) return readText(blocks[0] ?? json?.trim() ?? plain, deps);
  // If a page has several code blocks, those with a server count.
  const read = await Promise.allSettled(blocks.map((block) => readText(block, deps)));
  const found = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (found.length === 0) return readText(blocks[0] ?? '', deps);
  const servers = found.flatMap((one) => one.servers);
  return {
    servers: servers.filter(({ name }, at) => servers.findIndex((one) => one.name === name) === at),
    skipped: found.flatMap(({ skipped }) => skipped),
  };
}

/**
 * Whether a word of the command line is a whole text instead of a name: `claude mcp add …` in quotes, an address,
 * JSON.
 */
export function looksPasted(word: string): boolean {
  const [first = '', ...rest] = word.trim().split(/\s+/);
  if (/[{\n]/.test(word) || /^[a-z][a-z0-9+.-]+:\S/i.test(word)) return true;
  return (
    rest.length > 0 && (runners.has(first) || /^\w+=/.test(first) || rest[0] === 'mcp' || rest.includes('--add-mcp'))
  );
}

async function readText(text: string, { isProgram, home }: PasteDeps): Promise<PastedText> {
  const values = valuesOf(text, home);
  const lines = values === undefined ? parseLines(text) : [];
  const found = lines.filter((one) => typeof one !== 'string');
  const read = values?.servers ?? found.map((one) => readMatch(one, home));
  const servers = read.flatMap(({ name, entry, losses }) =>
    entry === undefined ? [] : [finished(entry, name, losses)],
  );
  const refused = read.flatMap(({ name = 'An entry', entry, reason }) =>
    entry === undefined ? [`${name} was not read: ${reason}`] : [],
  );
  const skipped = [...(values?.notes ?? []), ...lines.filter((one) => typeof one === 'string'), ...refused];
  if (servers.length === 0 && skipped.length > 0) throw new AppError('bad_request', skipped.join(' '));
  if (servers.length === 0) throw unrecognizedInputError('No server found in this text.');
  const missing = await missingPrograms(found, isProgram);
  // A page has one badge per app, all with the same server.
  const once = servers.filter((one, at) => !servers.slice(0, at).some((before) => isSame(before, one)));
  return { servers: once.map((one) => withMissing(one, missing)), skipped };
}

function isSame(one: PastedServer, other: PastedServer): boolean {
  return one.name.toLowerCase() === other.name.toLowerCase() && isDeepStrictEqual(one.entry, other.entry);
}

function readMatch({ name, entry, notes = [] }: RegistryMatch, home: string): ReadServer {
  const read = readOne(entry, { home });
  return { ...read, name: name ?? read.name, losses: [...notes, ...read.losses] };
}

/** Undefined if the text is not a configuration. Throws AppError `bad_request` for one that cannot be parsed. */
function valuesOf(text: string, home: string): ServersReading | undefined {
  const miniA = /^\w*mcp\s*=\s*"?([[(].*[\])])"?$/s.exec(text)?.[1];
  if (miniA !== undefined) return fromValue(slon(miniA), 'mini-a', home);
  // Pages often show the inside of a config, without its braces.
  const whole = /^"[^"\n]*"\s*:/.test(text) ? `{${text}}` : text.replace(/,$/, '');
  const format = formatOfText(whole);
  if (format === undefined || isAddress(text)) return undefined;
  const { value, notes } = parsed(whole, format);
  const found = fromValue(value, '', home);
  const values = { ...found, notes: [...notes, ...found.notes] };
  return format === 'json' || values.servers.length > 0 || values.notes.length > 0 ? values : undefined;
}

function parsed(text: string, format: TextFormat): Pick<ParsedText, 'value' | 'notes'> {
  try {
    return parseText(text, format, 'The text');
  } catch (error) {
    // A sentence with a colon or an equals sign looks like YAML or TOML, too.
    if (format !== 'json' && !/^\s*\[|^\s*(?:mcp\w*|servers|extensions|context_servers)\s*:\s*$/m.test(text))
      return { value: undefined, notes: [] };
    const straight = text.replace(/[“”]/g, '"').replace(/[‘’]/g, "'");
    if (straight !== text) return parsed(straight, format);
    throw error instanceof AppError ? unrecognizedInputError(error.message, error.fix) : error;
  }
}

function fromValue(value: unknown, file: string, home: string): ServersReading {
  // A registry lists its entries under `servers`.
  const list = isObject(value) && Array.isArray(value['servers']) ? (value['servers'] as unknown) : value;
  const registered = [list].flat().filter(isObject).filter(isRegistryEntry).map(serverFromRegistryEntry);
  if (registered.length > 0) return { servers: registered.map((one) => readMatch(one, home)), notes: [] };
  return readServersOfValue(value, file, { home });
}

/** OpenAF's notation, which mini-a accepts: `[(cmd: 'x') | (cmd: 'y')]`. */
function slon(text: string): unknown {
  const signs: Readonly<Record<string, string>> = { '(': '{', ')': '}', '|': ',' };
  try {
    const value: unknown = JSON5.parse(text.replace(/'[^']*'|"[^"]*"|[()|]/g, (part) => signs[part] ?? part));
    return Array.isArray(value) ? value : [value];
  } catch {
    throw unrecognizedInputError('The value of mcp= cannot be read.', 'Use JSON, or paste the command of each server.');
  }
}

/**
 * Returns the commands' programs that are not installed. Throws AppError `bad_request` for a text that is not a
 * command either.
 */
async function missingPrograms(
  found: readonly RegistryMatch[],
  isProgram: PasteDeps['isProgram'],
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>();
  for (const { entry, isGuess } of found) {
    const { command, args } = entry;
    if (isGuess !== true || typeof command !== 'string' || runners.has(command) || (await isProgram(command))) continue;
    const isCommand =
      /^(?:cmd|wsl|pwsh|powershell|ssh|cross-env)$|\.(?:exe|cmd|bat|ps1)$|^[^<>]*[\\/][^<>]*$/i.test(command) ||
      (Array.isArray(args) && String(args[0]).startsWith('-'));
    if (!isCommand)
      throw unrecognizedInputError(
        `No server found in this text: ${quoteWord(command)} is not a program on this computer.`,
      );
    missing.add(command);
  }
  return missing;
}

function withMissing(server: PastedServer, missing: ReadonlySet<string>): PastedServer {
  const command = String(server.entry['command']);
  if (!missing.has(command)) return server;
  return { ...server, notes: [`Imported, but ${command} is not installed on this computer.`, ...server.notes] };
}

function finished(entry: JsonObject, name: string | undefined, notes: readonly string[]): PastedServer {
  const own = name?.trim();
  return {
    name: own === undefined || own === '' ? suggestServerName(entry) : own,
    entry,
    notes: [...new Set([...notes, ...passedOn(entry)])],
  };
}

/** `docker run -e NAME` takes the value from docker's own environment, which is the entry's. */
function passedOn({ command, args, env }: JsonObject): readonly string[] {
  if (command !== 'docker' && command !== 'podman') return [];
  const words = Array.isArray(args) ? (args as unknown[]).map(String) : [];
  const named = words.filter((word, at) => /^(?:-e|--env)$/.test(words[at - 1] ?? '') && /^[A-Za-z_]\w*$/.test(word));
  const missing = named.filter((name) => !Object.hasOwn(objectOrEmpty(env), name));
  return missing.map((name) => `${name} is passed to the container: set it in "env" of the entry.`);
}
