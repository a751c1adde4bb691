/** From argv to an exit code: normalizes leading flags, loads and runs the command, and prints errors. */
import { isBuiltin } from 'node:module';
import packageJson from '../../package.json' with { type: 'json' };
import { AppError, errorText, addFix } from '../core/base/errors.ts';
import { closestMatch } from '../core/base/text-format.ts';
import { helpOf, runCommand, usageError } from './command.ts';
import { commands, familyUsage, findCommand, usage } from './command-table.ts';
import { plainText, printJson } from './terminal.ts';

/** Resolves to the exit code: 0 success, 1 failure, 2 invalid usage. */
export async function runArguments(argv: readonly string[]): Promise<number> {
  // `tooltray list | head` closes the pipe early, which is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  let words = argv;
  try {
    words = readLeadingFlags(argv);
    return await runArgv(words);
  } catch (error) {
    return fail(isMissingPart(error) ? notInPackage(error) : error, words);
  }
}

/** Desktop packages omit dependencies used only by teams. */
function isMissingPart(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
}

function notInPackage(cause: unknown): AppError {
  return new AppError('unsupported', 'This package of Tooltray is without the parts for teams.', {
    fix: 'Run the command from the container image or a checkout.',
    cause,
  });
}

async function runArgv(argv: readonly string[]): Promise<number> {
  const [word = '--help', ...rest] = argv;
  if (word === '--version') return print(`Tooltray ${packageJson.version}\n`);
  const asksHelp = isHelp(word) || word === 'help';
  if (asksHelp && rest[0] === undefined) return print(usage());
  const words = asksHelp ? rest : argv;
  const family = isHelp(words[1]) || words[1] === undefined ? familyUsage(words[0] ?? '') : undefined;
  if (family !== undefined) return print(family);
  const { name, about, load } = requireCommand(words);
  requireNode();
  const command = await load();
  const args = words.slice(name.split(' ').length);
  if (asksHelp || asksForHelp(args, command.wraps !== undefined)) return print(helpOf(name, about, command));
  return runCommand(name, command, args);
}

/** `wraps`: words after the first are another program's, which has a `--help` of its own. After `--` it is a word. */
function asksForHelp(args: readonly string[], wraps: boolean): boolean {
  if (wraps) return isHelp(args[0]) || (args.length === 2 && isHelp(args[1]));
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end).some(isHelp);
}

/** Throws AppError `bad_request`. */
function requireCommand(words: readonly string[]) {
  const found = findCommand(words);
  if (found !== undefined) return found;
  const names = commands.flatMap(({ name, isHidden }) => (isHidden ? [] : [name]));
  const [word = '', second = ''] = words;
  const isFamily = familyUsage(word) !== undefined;
  const written = isFamily ? `${word} ${second}`.trim() : word;
  const meant = closestMatch(written, names);
  const see = isFamily ? `tooltray ${word} --help` : 'tooltray --help';
  throw new AppError('bad_request', `Unknown command ${JSON.stringify(written)}.`, {
    fix: `${meant === undefined ? '' : `Did you mean "${meant}"? `}See ${see}.`,
  });
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h';
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

/** Users read stderr; with `--json` the error is also printed on stdout, where scripts read. */
function fail(error: unknown, words: readonly string[]): number {
  process.stderr.write(`tooltray: ${plainText(errorText(error))}\n`);
  if (words.includes('--json') && words[0] !== 'stdio') printJson({ error: describe(error) });
  const isWrongUse = error instanceof AppError && (error.code === 'bad_request' || error.code === 'mode_unknown');
  return isWrongUse ? 2 : 1;
}

function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof AppError)) return { code: 'internal', message: errorText(error) };
  const { code, message, fix, data } = error;
  return { code, message, fix, data };
}

/**
 * Checks features before anything fails with a less clear error; versions are not compared, because builds differ.
 * Throws AppError `unsupported`.
 */
function requireNode(): void {
  const hasRawJson = typeof (JSON as { rawJSON?: unknown }).rawJSON === 'function';
  if (hasRawJson && isBuiltin('node:sqlite')) return;
  throw new AppError(
    'unsupported',
    `Tooltray requires Node.js 22.13 or newer (found ${process.version} at ${process.execPath}).`,
    {
      fix: 'Install a newer version from https://nodejs.org, or start Tooltray with the full path to one.',
    },
  );
}

// Flags before the command.

const withValue = ['--config', '--mode', '--server-name', '--server-command', '--server-description'] as const;
const switches = ['--json', '--list-servers', '--build-cache'] as const;
const actions = ['list', 'add', 'remove', 'validate', 'test'] as const;

type Value = (typeof withValue)[number];

interface Flags {
  readonly values: Map<Value, string>;
  readonly switches: Set<string>;
  /** Value of `--manage`; undefined without it. */
  manage: string | undefined;
  serverArgs: string[];
}

/**
 * Normalizes the arguments so that a command (or --help, --version) comes first: our leading flags are moved behind
 * it, and ToolMux's are mapped to the equivalent command. Throws AppError `bad_request`.
 */
export function readLeadingFlags(argv: readonly string[]): readonly string[] {
  if (argv[0]?.startsWith('-') !== true) return argv;
  const found: Flags = { values: new Map(), switches: new Set(), manage: undefined, serverArgs: [] };
  const rest = [...argv];
  while (rest[0]?.startsWith('-') === true) {
    const word = rest.shift() as string;
    if (['--help', '-h'].includes(word)) return ['--help'];
    if (['--version', '-V', '-v'].includes(word)) return ['--version'];
    takeFlag(word, rest, found);
  }
  const [command, ...others] = rest;
  return command === undefined ? toolMuxCommand(found) : [command, ...shared(found, ['--config', '--mode']), ...others];
}

function takeFlag(word: string, rest: string[], found: Flags): void {
  const [, name = word, inline] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? [];
  const known = withValue.find((flag) => flag === name);
  if (known !== undefined) {
    const value = inline ?? rest.shift();
    if (value === undefined) throw unknownFlagError(`${name} requires a value`);
    found.values.set(known, value);
  } else if (name === '--manage') {
    found.manage = inline ?? (rest[0]?.startsWith('-') === false ? rest.shift() : undefined) ?? 'list';
  } else if (name === '--server-args') {
    // ToolMux stops at any dash, but most servers' arguments begin with one.
    while (rest[0] !== undefined && !isOurs(rest[0])) found.serverArgs.push(rest.shift() as string);
  } else if (switches.some((flag) => flag === name)) found.switches.add(name);
  else throw unknownFlagError(`Unknown flag ${JSON.stringify(word)}`);
}

function isOurs(word: string): boolean {
  const name = word.split('=')[0];
  return [...withValue, ...switches, '--manage', '--server-args'].some((flag) => flag === name);
}

/** Like ToolMux, serves MCP on stdin and stdout if no action is given. */
function toolMuxCommand(found: Flags): string[] {
  const flags = shared(found, ['--config']);
  if (found.manage !== undefined) return manageCommand(found, flags);
  if (found.switches.has('--list-servers')) return ['list-servers', ...flags];
  if (found.switches.has('--build-cache')) return ['build-cache', ...flags];
  return ['stdio', ...shared(found, ['--config', '--mode'])];
}

function manageCommand({ manage = '', values, serverArgs }: Flags, flags: readonly string[]): string[] {
  if (!actions.some((action) => action === manage))
    throw unknownFlagError(`Unknown --manage action ${JSON.stringify(manage)}`, `--manage [${actions.join('|')}]`);
  const name = values.get('--server-name');
  const [command, description] = [values.get('--server-command'), values.get('--server-description')];
  if (manage === 'list') return [manage, ...flags];
  const words = manage === 'validate' ? ['config', manage] : [manage];
  if (manage !== 'add') return [...words, ...(name === undefined ? [] : [name]), ...flags];
  if (name === undefined || (command === undefined && serverArgs.length > 0))
    throw unknownFlagError('Missing argument', '--manage add --server-name N [--server-command C [--server-args …]]');
  const about = description === undefined ? [] : ['--description', description];
  return [manage, ...flags, ...about, name, ...(command === undefined ? [] : ['--', command, ...serverArgs])];
}

function shared({ values, switches: given }: Flags, names: readonly Value[]): string[] {
  const flags = names.flatMap((name) => (values.has(name) ? [name, values.get(name) ?? ''] : []));
  return [...flags, ...(given.has('--json') ? ['--json'] : [])];
}

function unknownFlagError(what: string, form = '[--config F] [--mode M] COMMAND …'): AppError {
  return addFix(usageError(what), `Usage: tooltray ${form}`);
}
