/** A line that adds a server to a client app (`claude mcp add …`), read word by word as that app's command reads it. */
import type { JsonObject } from '../base/json.ts';
import { kindByType } from '../config/read-entry.ts';
import { flagMeaning, type FlagMeaning } from './add-flags.ts';
import { type FoundServer, notUnderstood, quoted } from './pasted-server.ts';
import { assignment, variables, withVariables } from './shell-line.ts';
import { splitCommand } from '../config/build-server.ts';

type Setting = Exclude<FlagMeaning['as'], 'nothing'>;

interface Said {
  /** What is no flag: name, then command or address, then the command's words. */
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<Setting, readonly string[]>;
  readonly notes: readonly string[];
}

export const isAddress = (word: string): boolean => /^https?:\/\/\S+$/i.test(word);

/**
 * `[flags] NAME COMMAND [ARGS]`, `[flags] NAME -- COMMAND [ARGS]`, `[flags] NAME URL [flags]`: what follows a command is that
 * command's. Throws AppError bad_request with the word that is not understood.
 */
export function readAddLine(words: readonly string[]): FoundServer {
  const { words: told, flags, notes } = readWords(words);
  const first = (setting: Setting): string | undefined => flags.get(setting)?.[0];
  const [name, rest] = first('name') === undefined ? [told[0], told.slice(1)] : [first('name'), told];
  const given = first('command') ?? first('url');
  const [target, args] = given === undefined ? [rest[0], rest.slice(1)] : [given, argsOf(first('args'), rest)];
  if (name === undefined || name === '') throw notUnderstood('The line does not say what the server is called.');
  if (target === undefined) throw notUnderstood(`The line does not say what ${quoted(name)} starts, or where it is.`);
  const kind = transportOf(first('transport'));
  const isUrl = isAddress(target);
  if (kind !== undefined && kind !== 'stdio' && !isUrl)
    throw notUnderstood(`${quoted(target)} is no address, and the line says that it is one.`);
  if (isUrl && args.length > 0) throw notUnderstood(`${quoted(args[0] ?? '')} after the address is not understood.`);
  const wrong = (isUrl ? (['env', 'cwd', 'args'] as const) : (['header', 'bearer'] as const)).filter((one) =>
    flags.has(one),
  );
  const entry = {
    ...(isUrl ? addressEntry(target, kind, flags) : commandEntry(target, args, flags)),
    ...common(flags),
  };
  return { name, entry, notes: [...notes, ...wrong.map((one) => lostWith(one, isUrl))] };
}

function readWords(words: readonly string[]): Said {
  const flags = new Map<Setting, string[]>();
  const told: string[] = [];
  const notes: string[] = [];
  const hasName = (): boolean => flags.has('name') || told.length > 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return { words: [...told, ...words.slice(at + 1)], flags, notes };
    if (!word.startsWith('-') || word === '-') {
      const isTarget = hasName();
      told.push(word);
      if (isTarget && !isAddress(word)) return { words: [...told, ...words.slice(at + 1)], flags, notes };
      continue;
    }
    const [, flag = word, joined] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const meaning = flagMeaning(flag);
    if (meaning === undefined)
      throw notUnderstood(
        `${quoted(flag)} is not understood.`,
        'Leave the word out, and look at the entry before you add it.',
      );
    const takesValue = meaning.as !== 'nothing' || meaning.takesValue;
    const value = joined ?? (takesValue ? words[++at] : undefined);
    if (takesValue && value === undefined) throw notUnderstood(`${quoted(flag)} has no value.`);
    if (meaning.as === 'nothing') {
      if (meaning.note !== undefined) notes.push(meaning.note);
      continue;
    }
    const values = flags.get(meaning.as) ?? [];
    flags.set(meaning.as, [...values, value ?? '']);
    // Claude Code takes several pairs after one flag.
    while (meaning.as === 'env' && assignment.test(words[at + 1] ?? '')) flags.get('env')?.push(words[++at] ?? '');
  }
  return { words: told, flags, notes };
}

function commandEntry(target: string, args: readonly string[], flags: Said['flags']): JsonObject {
  // Droid and Auggie take a whole command line as one word.
  const [command = target, ...own] = args.length === 0 && /\s/.test(target) ? splitCommand(target) : [target];
  const env = variables(flags.get('env') ?? []);
  const [cwd] = flags.get('cwd') ?? [];
  const all = [...own, ...args];
  return {
    command,
    ...(all.length > 0 && { args: all }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(cwd !== undefined && { cwd }),
  };
}

function addressEntry(url: string, kind: string | undefined, flags: Said['flags']): JsonObject {
  const [token] = flags.get('bearer') ?? [];
  const headers = {
    ...Object.fromEntries((flags.get('header') ?? []).map(headerOf)),
    ...(token !== undefined && { Authorization: `Bearer \${env:${token}}` }),
  };
  return { url, ...(kind === 'sse' && { type: 'sse' }), ...(Object.keys(headers).length > 0 && { headers }) };
}

function common(flags: Said['flags']): JsonObject {
  const first = (setting: Setting): string | undefined => flags.get(setting)?.[0];
  const list = (setting: Setting): string[] =>
    (flags.get(setting) ?? []).flatMap((names) => names.split(',').map((name) => name.trim())).filter(Boolean);
  const [ms, port] = [numberOf('--timeout', first('timeout')), numberOf('--callback-port', first('callbackPort'))];
  const oauth = {
    ...(first('clientId') !== undefined && { clientId: first('clientId') }),
    ...(port !== undefined && { callbackPort: port }),
  };
  return {
    ...(first('description') !== undefined && { description: first('description') }),
    ...(ms !== undefined && { callTimeoutSeconds: ms / 1000 }),
    ...(flags.has('only') && { enabledTools: list('only') }),
    ...(flags.has('without') && { disabledTools: list('without') }),
    ...(Object.keys(oauth).length > 0 && { oauth }),
  };
}

function numberOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text !== '' && Number.isInteger(number) && number > 0) return number;
  throw notUnderstood(`${flag} takes a number, and ${quoted(text)} is none.`);
}

function transportOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const kind = kindByType.get(text.toLowerCase().replace(/[-_]/g, ''));
  if (kind === undefined || kind === 'builtin' || kind === 'auto')
    throw notUnderstood(`${quoted(text)} is no transport: stdio, http or sse is.`);
  return kind;
}

/** Kiro: by commas; others: as a shell would split it. */
function argsOf(text: string | undefined, more: readonly string[]): readonly string[] {
  if (text === undefined) return more;
  return [...(text.includes(',') && !/\s/.test(text) ? text.split(',') : splitCommand(text)), ...more];
}

function headerOf(text: string): [string, string] {
  const [, name, value] = /^([^:=\s]+)\s*[:=]\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw notUnderstood('A header is written "Name: value".');
  return [name, withVariables(value)];
}

function lostWith(setting: Setting, isUrl: boolean): string {
  const names: Partial<Record<Setting, string>> = {
    ...{ env: '--env', cwd: '--cwd', args: '--args', header: '--header', bearer: '--bearer-token-env-var' },
  };
  return `${names[setting] ?? setting} was left out: ${isUrl ? 'an address starts no command.' : 'a command has no headers.'}`;
}
