/** A line that adds a server to a client app (`claude mcp add …`), parsed word by word like the app's command. */
import type { JsonObject } from '../base/json.ts';
import { splitCommand } from '../config/dialects/split-command.ts';
import { flagMeaning, runners, type Setting } from './add-table.ts';
import { type RegistryMatch, unrecognizedInputError, quoteWord } from './pasted-server.ts';
import { assignment, withVariables } from './shell-words.ts';

interface WrittenLine {
  /** Words that are not flags: name, then command or address, then the command's arguments. */
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<Setting, readonly string[]>;
  readonly notes: readonly string[];
}

export const isAddress = (word: string): boolean => /^https?:\/\/\S+$/i.test(word);

/**
 * `[flags] NAME COMMAND [ARGS]`, `[flags] NAME -- COMMAND [ARGS]`, `[flags] NAME URL [flags]`: everything after a
 * command
 * belongs to it, except variables and a scope at the end. Throws AppError `bad_request` with the word that is not
 * understood.
 */
export function parseMcpAddCommand(words: readonly string[]): RegistryMatch {
  const { words: written, flags, notes } = readWords(words);
  const first = (setting: Setting): string | undefined => flags.get(setting)?.[0];
  const [name, rest] = first('name') === undefined ? [written[0], written.slice(1)] : [first('name'), written];
  const given = first('command') ?? first('url');
  const [target, args] =
    given === undefined ? [rest[0], rest.slice(1)] : [given, [...(flags.get('args') ?? []).flatMap(argsOf), ...rest]];
  if (name === undefined || name === '') throw unrecognizedInputError('The line has no server name.');
  if (target === undefined) throw unrecognizedInputError(`The line has no command or URL for ${quoteWord(name)}.`);
  const isUrl = isAddress(target);
  if (isUrl && args.length > 0)
    throw unrecognizedInputError(`${quoteWord(args[0] ?? '')} after the URL is not supported.`);
  return { name, entry: { ...settingsOf(flags), ...(isUrl ? { url: target } : { command: target, args }) }, notes };
}

function readWords(all: readonly string[]): WrittenLine {
  const flags = new Map<Setting, string[]>();
  const notes: string[] = [];
  const put = (setting: Setting, value: string): void =>
    void flags.set(setting, [...(flags.get(setting) ?? []), value]);
  const words = all.includes('--') ? all : withoutTail(all, (value) => put('env', value));
  const written: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return { words: [...written, ...words.slice(at + 1)], flags, notes };
    if (!word.startsWith('-') || word === '-') {
      const isTarget = flags.has('name') || written.length > 0;
      written.push(word);
      // Droid and Auggie take a whole command line as one word, with flags after it.
      const isLine = runners.has(word.split(/\s/)[0] ?? '') && /\s/.test(word);
      // OpenHands: `python -- -m server`.
      const rest = words.slice(words[at + 1] === '--' ? at + 2 : at + 1);
      if (isTarget && !isAddress(word) && !isLine) return { words: [...written, ...rest], flags, notes };
      continue;
    }
    const [, flag = word, joined] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const meaning = flagMeaning(flag);
    if (meaning === undefined)
      throw unrecognizedInputError(
        `${quoteWord(flag)} is not understood.`,
        'Remove the word and check the entry before you add it.',
      );
    const takesValue = meaning.as === 'nothing' ? meaning.takesValue : meaning.as !== 'disabled';
    const value = joined ?? (takesValue ? words[++at] : '');
    if (value === undefined) throw unrecognizedInputError(`${quoteWord(flag)} has no value.`);
    if (meaning.as === 'nothing') {
      if (meaning.note !== undefined) notes.push(meaning.note);
      continue;
    }
    put(meaning.as, value);
    // Claude Code takes several pairs after one flag.
    while (meaning.as === 'env' && assignment.test(words[at + 1] ?? '')) put('env', words[++at] ?? '');
  }
  return { words: written, flags, notes };
}

/** Removes variables and the scope after a command, which belong to the app. */
function withoutTail(words: readonly string[], onVariable: (pair: string) => void): readonly string[] {
  const [flag, value = ''] = words.slice(-2);
  const isVariable = flag === '--env' && assignment.test(value);
  const isScope = flag === '--scope' && /^(?:user|project|local|global)$/.test(value);
  if (words.length < 4 || (!isVariable && !isScope)) return words;
  if (isVariable) onVariable(value);
  return withoutTail(words.slice(0, -2), onVariable);
}

/** The flags as keys of an entry, whose values the reader of entries understands. */
function settingsOf(flags: WrittenLine['flags']): JsonObject {
  const [clientId, port] = [flags.get('clientId')?.[0], flags.get('callbackPort')?.[0]];
  const entry: JsonObject = {};
  if (clientId !== undefined || port !== undefined)
    entry['oauth'] = { ...(clientId && { clientId }), ...(port && { callbackPort: Number(port) }) };
  for (const [setting, values] of flags) {
    if (['name', 'command', 'url', 'args', 'clientId', 'callbackPort'].includes(setting)) continue;
    if (setting === 'env')
      entry[setting] = values.flatMap((pairs) => pairs.split(/,(?=[A-Za-z_]\w*=)/)).map(withVariables);
    else if (setting === 'headers') entry[setting] = values.map(withVariables);
    else entry[setting] = setting === 'disabled' ? values[0] !== 'false' : values.join(',');
  }
  return entry;
}

/** Kiro: separated by commas; others: split like a shell. */
function argsOf(text: string): readonly string[] {
  return text.includes(',') && !/\s/.test(text) ? text.split(',') : splitCommand(text);
}
