/** Reads what `tooltray add` is given: our flags anywhere, everything else behind the command belongs to the server. */
import type { WrittenEntry } from '../core/config/edit-config.ts';
import { wrongUse } from './read-flags.ts';

export interface AddArguments {
  readonly name: string;
  /** The entry as it is written to the file; what reaches the server is missing where the person did not say it. */
  readonly entry: WrittenEntry;
  /** Neither a command nor a URL was given: one has to be found. */
  readonly isOpen: boolean;
  readonly yes: boolean;
  readonly config: string | undefined;
  readonly dryRun: boolean;
  readonly json: boolean;
}

const lists = ['--env', '--header'] as const;
const texts = ['--cwd', '--description', '--url', '--transport', '--config'] as const;
const switches = ['--lazy', '--dry-run', '--json', '--yes'] as const;
/** What only makes sense where it is said how the server is reached. */
const launchFlags = ['--env', '--header', '--cwd', '--transport'] as const;

interface Found {
  readonly words: string[];
  readonly lists: Map<string, string[]>;
  readonly texts: Map<string, string>;
  readonly switches: Set<string>;
}

/** Throws AppError bad_request. */
export function readAddArguments(args: readonly string[], form: string): AddArguments {
  const found = sort(args, form);
  const [name, command, ...rest] = found.words;
  if (name === undefined || name.trim() === '') throw wrongUse('A name is missing', form);
  // `add example https://example.com/mcp` can only mean one thing.
  const isUrl = command !== undefined && rest.length === 0 && /^https?:\/\//i.test(command);
  const url = found.texts.get('--url') ?? (isUrl ? command : undefined);
  if (url !== undefined && command !== undefined && !isUrl)
    throw wrongUse('A server has either a command or a URL', form);
  const isOpen = url === undefined && command === undefined;
  if (isOpen && launchFlags.some((flag) => found.lists.has(flag) || found.texts.has(flag)))
    throw wrongUse('A command or --url is missing', form);
  const own = isOpen
    ? {}
    : url === undefined
      ? commandEntry(command ?? '', rest, found, form)
      : urlEntry(url, found, form);
  const description = found.texts.get('--description');
  const entry = {
    ...own,
    ...(found.switches.has('--lazy') && { lazy: true }),
    ...(description !== undefined && { description }),
  };
  return {
    name,
    entry,
    isOpen,
    yes: found.switches.has('--yes'),
    config: found.texts.get('--config'),
    dryRun: found.switches.has('--dry-run'),
    json: found.switches.has('--json'),
  };
}

function sort(args: readonly string[], form: string): Found {
  const found: Found = { words: [], lists: new Map(), texts: new Map(), switches: new Set() };
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as string;
    if (word === '--') {
      found.words.push(...args.slice(at + 1));
      break;
    }
    const [, flag = word, inline] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? [];
    const needsValue = isOneOf(lists, flag) || isOneOf(texts, flag);
    const value = needsValue ? (inline ?? args[++at]) : undefined;
    if (needsValue && value === undefined) throw wrongUse(`${flag} needs a value`, form);
    if (isOneOf(lists, flag)) found.lists.set(flag, [...(found.lists.get(flag) ?? []), value ?? '']);
    else if (isOneOf(texts, flag)) found.texts.set(flag, value ?? '');
    // Behind a command it is the server's: npx --yes.
    else if (isOneOf(switches, flag) && !(flag === '--yes' && found.words.length > 1)) found.switches.add(flag);
    else if (word.startsWith('-') && found.words.length < 2)
      throw wrongUse(`There is no flag ${JSON.stringify(word)}`, form);
    else found.words.push(word);
  }
  return found;
}

function isOneOf(flags: readonly string[], flag: string): boolean {
  return flags.includes(flag);
}

function commandEntry(command: string, args: readonly string[], found: Found, form: string): WrittenEntry {
  if (found.lists.has('--header') || found.texts.has('--transport'))
    throw wrongUse('--header and --transport belong to a --url', form);
  const env = (found.lists.get('--env') ?? []).map((pair) => variable(pair, form));
  const cwd = found.texts.get('--cwd');
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
    ...(cwd !== undefined && { cwd }),
  };
}

function urlEntry(url: string, found: Found, form: string): WrittenEntry {
  if (found.lists.has('--env') || found.texts.has('--cwd')) throw wrongUse('--env and --cwd belong to a command', form);
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw wrongUse('--url needs an address that starts with http:// or https://', form);
  const type = found.texts.get('--transport');
  if (type !== undefined && type !== 'http' && type !== 'sse') throw wrongUse('--transport is "http" or "sse"', form);
  const headers = (found.lists.get('--header') ?? []).map((pair) => header(pair, form));
  return { url, ...(type === 'sse' && { type }), ...(headers.length > 0 && { headers: Object.fromEntries(headers) }) };
}

/** A name alone is filled in from the environment when the server starts. */
function variable(pair: string, form: string): [string, string] {
  const [, name, value] = /^([^=\s]+)(?:=(.*))?$/s.exec(pair) ?? [];
  if (name === undefined) throw wrongUse('--env is written NAME=VALUE', form);
  return [name, value ?? `\${env:${name}}`];
}

/** Also as `curl -H` has it: `Name: value`. */
function header(pair: string, form: string): [string, string] {
  const [, name, value] = /^([^:=\s]+)\s*[:=]\s*(.*)$/s.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw wrongUse('--header is written NAME=VALUE', form);
  return [name, value];
}
