/** Finds the command that the first word names, loads only that, and turns errors into one clear line and an exit code. */
import { AppError, errorText } from '../core/base/errors.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { closestWord } from '../core/config/closest-word.ts';
import type { Command } from './command.ts';
import { commands, findCommand } from './commands.ts';
import { requireNode } from './node-check.ts';
import { plainText } from './plain-text.ts';
import { printJson } from './print.ts';
import { readLeadingFlags } from './leading-flags.ts';
import { commandUsage, usage } from './usage.ts';

/** Resolves to the exit code: 0 done, 1 failed, 2 used wrongly. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  // `tooltray list | head` closes the pipe early; that is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  let words = argv;
  try {
    words = readLeadingFlags(argv);
    return await runWords(words);
  } catch (error) {
    return fail(error, words);
  }
}

async function runWords([word = '--help', ...rest]: readonly string[]): Promise<number> {
  if (word === '--version') return say(`Tooltray ${packageJson.version}\n`);
  const wantsHelp = isHelp(rest[0]) || (rest.length === 2 && isHelp(rest[1]));
  if (isHelp(word) || word === 'help') return help(rest[0]);
  const command = requireCommand(word);
  if (wantsHelp) return say(commandUsage(command));
  requireNode();
  const { run } = await command.load();
  return run(rest, `${command.name} ${command.form}`);
}

function help(about: string | undefined): number {
  return say(about === undefined ? usage() : commandUsage(requireCommand(about)));
}

function requireCommand(word: string): Command {
  const command = findCommand(word);
  if (command !== undefined) return command;
  const names = commands.flatMap(({ name, group }) => (group === undefined ? [] : [name]));
  const meant = closestWord(word, names);
  throw new AppError('bad_request', `There is no command ${JSON.stringify(word)}.`, {
    fix: `${meant === undefined ? `There are: ${names.join(', ')}.` : `Did you mean "${meant}"?`} See tooltray --help.`,
  });
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h';
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

/** People read stderr; a script that asked for JSON finds the same on stdout, where it reads. */
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
