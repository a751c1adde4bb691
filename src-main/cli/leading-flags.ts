/** Flags in front of the command: ours go behind it, ToolMux's become the command that does the same. */
import { wrongUse } from './read-flags.ts';

const withValue = ['--config', '--mode', '--server-name', '--server-command', '--server-description'] as const;
const switches = ['--json', '--list-servers', '--build-cache'] as const;
const actions = ['list', 'add', 'remove', 'validate', 'test'] as const;

type Value = (typeof withValue)[number];

interface Flags {
  readonly values: Map<Value, string>;
  readonly switches: Set<string>;
  /** What `--manage` named; undefined without it. */
  manage: string | undefined;
  serverArgs: string[];
}

const form = '[--config F] [--mode M] COMMAND …';

/** The arguments with a command (or --help, --version) as the first word. Throws AppError bad_request. */
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
    if (value === undefined) throw wrongUse(`${name} needs a value`, form);
    found.values.set(known, value);
  } else if (name === '--manage') {
    found.manage = inline ?? (rest[0]?.startsWith('-') === false ? rest.shift() : undefined) ?? 'list';
  } else if (name === '--server-args') {
    // ToolMux's own rule would end at any dash; the arguments of most servers begin with one.
    while (rest[0] !== undefined && !isOurs(rest[0])) found.serverArgs.push(rest.shift() as string);
  } else if (switches.some((flag) => flag === name)) found.switches.add(name);
  else throw wrongUse(`There is no flag ${JSON.stringify(word)} in this place`, form);
}

function isOurs(word: string): boolean {
  const name = word.split('=')[0];
  return [...withValue, ...switches, '--manage', '--server-args'].some((flag) => flag === name);
}

/** Without any of its actions ToolMux serves MCP on stdin and stdout, and so do we. */
function toolMuxCommand(found: Flags): string[] {
  const flags = shared(found, ['--config']);
  if (found.manage !== undefined) return manageCommand(found, flags);
  if (found.switches.has('--list-servers')) return ['list-servers', ...flags];
  if (found.switches.has('--build-cache')) return ['build-cache', ...flags];
  return ['stdio', ...shared(found, ['--config', '--mode'])];
}

function manageCommand({ manage = '', values, serverArgs }: Flags, flags: readonly string[]): string[] {
  if (!actions.some((action) => action === manage))
    throw wrongUse(`--manage knows no ${JSON.stringify(manage)}`, `--manage [${actions.join('|')}]`);
  const name = values.get('--server-name');
  const [command, description] = [values.get('--server-command'), values.get('--server-description')];
  if (manage === 'list') return [manage, ...flags];
  if (manage !== 'add') return [manage, ...(name === undefined ? [] : [name]), ...flags];
  if (name === undefined || (command === undefined && serverArgs.length > 0))
    throw wrongUse('Something is missing', '--manage add --server-name N [--server-command C [--server-args …]]');
  const about = description === undefined ? [] : ['--description', description];
  return [manage, ...flags, ...about, name, ...(command === undefined ? [] : ['--', command, ...serverArgs])];
}

function shared({ values, switches: given }: Flags, names: readonly Value[]): string[] {
  const flags = names.flatMap((name) => (values.has(name) ? [name, values.get(name) ?? ''] : []));
  return [...flags, ...(given.has('--json') ? ['--json'] : [])];
}
