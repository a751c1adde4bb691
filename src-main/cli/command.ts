/** Defines a command: its words, flags and notes, from which arguments are parsed and help is generated. */
import { parseArgs } from 'node:util';
import { AppError, addFix } from '../core/base/errors.ts';

/** A flag; without `value` it is a switch. */
export interface Flag {
  readonly help: string;
  /** Placeholder of its value in the help; in brackets if optional, with `.` as the default. */
  readonly value?: string;
  /** It can be repeated. */
  readonly many?: true;
  /** Its value is an integer from this number up to `to`. */
  readonly from?: number;
  readonly to?: number;
  /** Default. */
  readonly usual?: number;
  /** Its value is a time in the past. */
  readonly isPast?: true;
  /** Its value is a time in the future. */
  readonly isFuture?: true;
  readonly short?: string;
  /** Alternative to the flag declared before it. */
  readonly isInstead?: true;
}

type Flags = Readonly<Record<string, Flag>>;

/** Parsed values of the flags. */
export type ParsedFlags<F extends Flags> = { readonly [N in keyof F]: ValueOf<F[N]> };

type ValueOf<F extends Flag> = F extends { readonly many: true }
  ? readonly string[]
  : F extends { readonly usual: number }
    ? number
    : F extends { readonly from: number } | { readonly isPast: true } | { readonly isFuture: true }
      ? number | undefined
      : F extends { readonly value: string }
        ? string | undefined
        : boolean;

/** An action of a command, named by its first word or two. */
export interface Action {
  readonly words?: string;
  readonly help: string;
}

type Actions = Readonly<Record<string, Action>>;

interface Declaration<F extends Flags, A extends Actions> {
  /** Positional arguments as shown in the help: those in brackets are optional, `…` means any number. */
  readonly words?: string;
  /** Names of the actions, allowed as the first word. */
  readonly actions?: A;
  /** Default action. */
  readonly usual?: keyof A;
  /** Flags by their names in code: `dryRun` is `--dry-run`. */
  readonly flags: F;
  /**
   * Its words are another program's command line, so unknown flags are passed to it; these flags are still recognized
   * after it.
   */
  readonly wraps?: readonly (keyof F)[];
  /** Custom usage line. */
  readonly form?: string;
  /** Additional lines of the help. */
  readonly notes?: readonly string[];
  /** Resolves to the exit code. */
  readonly run: (flags: ParsedFlags<F>, words: readonly string[], action: keyof A) => Promise<number>;
}

export type Command = Declaration<Flags, Actions>;

/** Declares a command with flags typed from their declarations. */
export function command<const F extends Flags, const A extends Actions>(declared: Declaration<F, A>): Command {
  return declared as unknown as Command;
}

/** Flags shared by many commands. */
export const configFlag = { value: 'FILE', help: 'Configuration file to use' } as const;
export const jsonFlag = { help: 'Output as JSON' } as const;
export const commonFlags = { config: configFlag, json: jsonFlag } as const;
export const sinceFlag = {
  value: 'WHEN',
  isPast: true,
  help: 'Only entries since a duration ago (7d, 12h) or a date',
} as const;
/** Flag of team commands. */
export const databaseFlag = { value: 'URL', help: 'PostgreSQL URL of the team (default: $TOOLTRAY_DATABASE)' } as const;
/** Flag of commands that run a core. */
export const modeFlag = { value: 'MODE', help: 'Mode: auto, proxy, search, …' } as const;

/** `what` is a sentence without its period; the usage is appended where the error is printed. */
export function usageError(what: string, cause?: unknown): AppError {
  return new UsageError('bad_request', `${what.replace(/\.$/, '')}.`, { cause });
}

class UsageError extends AppError {}

/** Resolves to the exit code. Rejects with AppError, `bad_request` for invalid usage. */
export async function runCommand(name: string, declared: Command, args: readonly string[]): Promise<number> {
  try {
    const { flags, words, action } = readArguments(declared, args);
    return await declared.run(flags as ParsedFlags<Flags>, words, action);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw addFix(error, `Usage: tooltray ${name} ${formOf(declared)}`);
  }
}

interface Arguments {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
  /** Empty if the command has no actions. */
  readonly action: string;
}

/** Throws AppError `bad_request`. */
export function readArguments(declared: Command, args: readonly string[]): Arguments {
  const { flags, actions, usual } = declared;
  const { values, positionals } = parse(declared, args);
  const given = Object.entries(flags).map(
    ([name, flag]) => [name, valueOf(name, flag, values[flagName(name)])] as const,
  );
  const [action = usual, ...behind] = actions === undefined ? ['', ...positionals] : withAction(actions, positionals);
  if (action === undefined) throw missing();
  const known = actions === undefined ? declared : Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (known === undefined) throw usageError(`Unknown subcommand ${JSON.stringify(action)}`);
  checkNumber(behind, known.words ?? '');
  return { flags: Object.fromEntries(given), words: behind, action };
}

/** Joins actions of two words (`token create`) into one. */
function withAction(actions: Actions, words: readonly string[]): readonly string[] {
  const [first, second, ...rest] = words;
  const both = `${first} ${second}`;
  return Object.hasOwn(actions, both) ? [both, ...rest] : words;
}

function parse(declared: Command, args: readonly string[]) {
  const options = Object.entries(declared.flags).map(([name, { value, many = false, short }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [flagName(name), { type, multiple: many, ...(short !== undefined && { short }) }] as const;
  });
  try {
    return parseArgs({ args: sorted(declared, args), options: Object.fromEntries(options), allowPositionals: true });
  } catch (cause) {
    // Node appends advice about `--` that applies to none of our commands.
    const [sentence = ''] = (cause as Error).message.split(/\. |\n/);
    throw usageError(sentence, cause);
  }
}

/** Handles cases that parseArgs lacks: optional values, and words that are flags of another program. */
function sorted({ flags, wraps }: Command, args: readonly string[]): string[] {
  const byWord = new Map(Object.entries(flags).map(([name, flag]) => [`--${flagName(name)}`, { name, flag }]));
  const own: string[] = [];
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as string;
    if (word === '--') {
      words.push(...args.slice(at + 1));
      break;
    }
    const { name = '', flag } = byWord.get(word.split('=', 1)[0] as string) ?? {};
    const [isAlone, next] = [!word.includes('='), args[at + 1]];
    if (wraps !== undefined && words.length > 1 && (flag === undefined || wraps.includes(name))) words.push(word);
    else if (isAlone && flag?.value?.startsWith('[') === true && next?.startsWith('-') !== false) own.push(`${word}=.`);
    else if (isAlone && flag?.value !== undefined && next !== undefined && (wraps !== undefined || !/^-./.test(next)))
      own.push(`${word}=${args[++at]}`);
    else (word.startsWith('-') && word !== '-' ? own : words).push(word);
  }
  return [...own, '--', ...words];
}

function valueOf(name: string, flag: Flag, given: string | boolean | (string | boolean)[] | undefined): unknown {
  const { value, many, from, to = Infinity, usual, isPast, isFuture } = flag;
  if (many === true) return given ?? [];
  if (value === undefined) return given === true;
  if (typeof given !== 'string') return usual;
  if (isPast === true || isFuture === true) {
    const time = (isPast === true ? parseSince : readUntil)(given, Date.now());
    if (time === undefined)
      throw usageError(`--${flagName(name)} takes ${isPast === true ? '7d' : '30d'}, 12h or a date`);
    return time;
  }
  if (from === undefined) return given;
  const number = /^\d+$/.test(given) ? Number(given) : NaN;
  if (number >= from && number <= to) return number;
  throw usageError(`--${flagName(name)} takes a whole number from ${from} ${to === Infinity ? 'up' : `to ${to}`}`);
}

const units: ReadonlyMap<string, number> = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 7 * 86_400_000],
]);

/**
 * Parses a time in the past: `7d`, `12h`, `30m` ago, or a local date, by default at midnight. In ms since the epoch;
 * undefined if invalid.
 */
export function parseSince(text: string, now: number): number | undefined {
  const span = readSpan(text);
  const time = span === undefined ? readDate(text, 'T00:00:00') : now - span;
  return time === undefined ? undefined : Math.max(0, time);
}

/** Parses a time in the future: `7d` from now, or a local date, by default at its end. */
export function readUntil(text: string, now: number): number | undefined {
  const span = readSpan(text);
  return span === undefined ? readDate(text, 'T24:00:00') : now + span;
}

/** In ms. */
function readSpan(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text.trim()) ?? [];
  return amount === undefined ? undefined : Number(amount) * (units.get(unit) ?? 0);
}

function readDate(text: string, time: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return undefined;
  const at = Date.parse(text.length === 10 ? `${text}${time}` : text);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * For `NAME [MORE | OTHER]`, checks that there are at least the words before the first bracket; alternatives count as
 * one.
 */
function checkNumber(words: readonly string[], form: string): void {
  const count = (text: string): number => text.replace(/ \| \S+/g, '').match(/[^ …]+/g)?.length ?? 0;
  if (words.length < count(form.split('[', 1)[0] as string)) throw missing();
  const most = form.includes('…') ? Infinity : count(form);
  if (words.length > most) throw usageError(`Unexpected argument ${JSON.stringify(words[most])}`);
}

function missing(): AppError {
  return usageError('Missing argument');
}

/** The help of one command. */
export function helpOf(name: string, about: string, declared: Command): string {
  const { actions = {}, flags, notes = [] } = declared;
  const parts = [
    Object.entries(actions).map(([action, { words, help }]) => [joined(action, words), help] as const),
    Object.entries(flags).map(([flag, { value, help, usual }]) => {
      return [joined(`--${flagName(flag)}`, value), usual === undefined ? help : `${help} (default ${usual})`] as const;
    }),
  ];
  const width = Math.max(...parts.flat().map(([left]) => left.length)) + 2;
  const lines = parts.map((rows) => rows.map(([left, help]) => `  ${left.padEnd(width)}${help}`));
  const head = [`Usage: tooltray ${joined(name, formOf(declared))}`];
  const sentence = [`${about[0]?.toUpperCase()}${about.slice(1)}.`];
  const all = [head, sentence, ...lines, notes].filter((part) => part.length > 0);
  return `${all.map((part) => part.join('\n')).join('\n\n')}\n`;
}

function formOf({ form, words, actions, usual, flags }: Command): string {
  if (form !== undefined) return form;
  const each = Object.entries(actions ?? {}).map(([action, one]) => joined(action, one.words));
  const options = Object.entries(flags).map(([name, { value, many, isInstead }]) => {
    return `${isInstead === true ? ' | ' : '] ['}${joined(`--${flagName(name)}`, value)}${many === true ? ' …' : ''}`;
  });
  const choice = usual === undefined ? each.join(' | ') : `[${each.join(' | ')}]`;
  return joined(words, choice, `${options.join('').slice(2)}]`);
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}

/** Converts `dryRun` to `dry-run`. */
export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
