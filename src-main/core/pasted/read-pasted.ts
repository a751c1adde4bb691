/** The servers in a text that a person pasted, whatever page it is from; what is not understood is said, with the word. */
import { isObject, type JsonObject, objectOf } from '../base/json.ts';
import { importEntry, importLosses } from '../client-apps/import-entry.ts';
import { nameOfEntry } from './name-of-entry.ts';
import { serversOfLines } from './pasted-lines.ts';
import { type FoundServer, notUnderstood, type PastedServer, quoted } from './pasted-server.ts';
import { serversOfValues } from './pasted-values.ts';
import { splitCommand } from '../config/build-server.ts';

export interface PasteDeps {
  /** Whether a command can be started here: any text is a command line to a parser. */
  readonly isProgram: (command: string) => Promise<boolean>;
  /** The person's folder. */
  readonly home: string;
}

/** Nothing is started and nothing written. Rejects with AppError bad_request, not_found, unsupported where there is no server in it. */
export async function readPasted(text: string, { isProgram, home }: PasteDeps): Promise<readonly PastedServer[]> {
  const plain = unfenced(text.replace(/^\uFEFF/, '').trim());
  const values = serversOfValues(plain);
  const found = (values ?? serversOfLines(plain)).map((one) => finished(one, home));
  if (found.length === 0) throw notUnderstood('There is no server in this text.');
  if (values === undefined) await requirePrograms(found, isProgram);
  return found;
}

/** Whether a word of the command line is a whole text, and no name: `claude mcp add …` in quotes, an address, JSON. */
export function looksPasted(word: string): boolean {
  const [first = '', ...rest] = word.trim().split(/\s+/);
  if (/[{\n]/.test(word) || /^[a-z][a-z0-9+.-]+:\S/i.test(word)) return true;
  return (
    rest.length > 0 && (runners.has(first) || /^\w+=/.test(first) || rest[0] === 'mcp' || rest.includes('--add-mcp'))
  );
}

/** The inside of a block of code, as Markdown marks one. */
function unfenced(text: string): string {
  return /^```[\w-]*\s*\n([^]*?)\n?```\s*$/.exec(text)?.[1]?.trim() ?? text;
}

async function requirePrograms(found: readonly PastedServer[], isProgram: PasteDeps['isProgram']): Promise<void> {
  for (const { entry } of found) {
    const { command } = entry;
    if (typeof command !== 'string' || runners.has(command) || (await isProgram(command))) continue;
    throw notUnderstood(`There is no server in this text: ${quoted(command)} is no program on this computer.`);
  }
}

function finished({ name, entry: theirs, notes = [], container }: FoundServer, home: string): PastedServer {
  const entry = importEntry(wholeLine(theirs), { home, container });
  const said = name?.trim();
  if (entry === undefined) {
    const who = said === undefined || said === '' ? 'An entry' : quoted(said);
    throw notUnderstood(`${who} says neither what to start ("command") nor where to connect ("url").`);
  }
  return {
    name: said === undefined || said === '' ? nameOfEntry(entry) : said,
    entry,
    notes: [...new Set([...notes, ...importLosses(theirs), ...toFillIn(entry)])],
  };
}

/** Links often carry a whole command line as the command. */
function wholeLine(theirs: JsonObject): JsonObject {
  const { command, args } = theirs;
  if (typeof command !== 'string' || (Array.isArray(args) && args.length > 0)) return theirs;
  const [first = '', ...rest] = splitCommand(command);
  return runners.has(first) && rest.length > 0 ? { ...theirs, command: first, args: rest } : theirs;
}

/** What a page leaves to whoever copies it. */
function toFillIn(entry: JsonObject): readonly string[] {
  const { args, env, headers, url } = entry;
  const values = [args, objectOf(env), objectOf(headers), url].flatMap((one) =>
    isObject(one) ? Object.values(one) : one,
  );
  const text = values.map(String).join(' ');
  const places = [
    ...text.matchAll(/<[A-Za-z][\w .-]{1,40}>|\$\{input:[^}"]{1,60}\}|\byour[-_][\w-]*(?:key|token|secret|path)\b/gi),
  ];
  const asked = [...new Set(places.map(([place]) => place))].map(
    (place) => `${place} stands for something: fill it in.`,
  );
  return [...asked, ...passedOn(entry)];
}

/** `docker run -e NAME` takes it from docker's own environment, which here is the entry's. */
function passedOn({ command, args, env }: JsonObject): readonly string[] {
  if (command !== 'docker' && command !== 'podman') return [];
  const words = Array.isArray(args) ? (args as unknown[]).map(String) : [];
  const named = words.filter((word, at) => /^(?:-e|--env)$/.test(words[at - 1] ?? '') && /^[A-Za-z_]\w*$/.test(word));
  const missing = named.filter((name) => !Object.hasOwn((env ?? {}) as JsonObject, name));
  return missing.map((name) => `${name} is passed on to the container: write it into "env" of the entry.`);
}

/** What servers are started with; where it is missing, the trial says what to install. */
const runners: ReadonlySet<string> = new Set(
  'npx node npm pnpm bunx bun deno uvx uv python python3 pipx docker podman go java dotnet'.split(' '),
);
