/** Compares what two entries start or connect to, regardless of their names. */
import { type JsonObject, objectOrEmpty } from '../../base/json.ts';

/** Equal for entries that start the same; undefined if an entry starts nothing. */
export function launchIdentity(entry: JsonObject): string | undefined {
  const { url, cwd } = entry;
  if (typeof url === 'string') return addressIdentity(url);
  const words = launchWords(entry);
  return words && JSON.stringify(typeof cwd === 'string' ? [words, cwd] : words);
}

/** Equal for entries with the same variables and headers: two accounts of one service differ in them. */
export function accountIdentity({ env, headers }: JsonObject): string {
  const sorted = (value: unknown): unknown =>
    Object.entries(objectOrEmpty(value)).sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return JSON.stringify([sorted(env), sorted(headers)]);
}

/**
 * The package, script or host of an entry, without versions and options, which entries share that start the same
 * server in different ways.
 */
export function launchSubject(entry: JsonObject): string | undefined {
  if (typeof entry['url'] === 'string') return addressIdentity(entry['url']);
  const [program, ...words] = launchWords(entry) ?? [];
  if (program === undefined) return undefined;
  if (!runners.has(program)) return program;
  const subject = words.find((word) => !word.startsWith('-') && !runnerWords.has(word));
  return subject === undefined ? program : withoutVersion(subject);
}

function launchWords({ command, args }: JsonObject): readonly string[] | undefined {
  if (typeof command !== 'string') return undefined;
  return plainWords(programName(command), Array.isArray(args) ? (args as unknown[]).map(String) : []);
}

/** Programs that do not identify the server; the first word after them does. */
const runners: ReadonlySet<string> = new Set(
  'npx bunx pnpx node bun deno python python3 uv uvx pipx docker podman npm pnpm yarn java'.split(' '),
);
const runnerWords: ReadonlySet<string> = new Set(['run', 'exec', 'dlx', 'x', 'tool']);

/** `npx.cmd`, `/opt/node/bin/npx` and `npx` are the same program. */
function programName(command: string): string {
  const file = command.split(/[\\/]/).at(-1) ?? command;
  return file.replace(/\.(exe|cmd|bat|ps1)$/i, '').toLowerCase();
}

/** Windows starts scripts through `cmd /c`; `-y` only prevents a question of npx. */
function plainWords(program: string, words: readonly string[]): readonly string[] {
  if (program === 'cmd' && /^\/c$/i.test(words[0] ?? '') && words[1] !== undefined)
    return plainWords(programName(words[1]), words.slice(2));
  if (program !== 'npx') return [program, ...words];
  return [program, ...words.filter((word) => word !== '-y' && word !== '--yes')];
}

function withoutVersion(subject: string): string {
  return subject.replace(/(?<=.)@[\w.^~-]+$/, '').replace(/==[\w.]+$/, '');
}

function addressIdentity(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname.replace(/\/$/, '')}${search}`;
}
