/** Servers in lines: commands that start one, addresses, links, and lines of apps' own `mcp add` commands. */
import { isObject } from '../base/json.ts';
import { formatCount } from '../base/text-format.ts';
import { parseText } from '../config/dialects/parse-text.ts';
import { isAddress, parseMcpAddCommand } from './mcp-add-command.ts';
import { isInstaller } from './add-table.ts';
import { parseInstallLink } from './install-link.ts';
import { type RegistryMatch, foundInValue, unrecognizedInputError, quoteWord } from './pasted-server.ts';
import { assignment, splitCommands, parseAssignments, splitShellWords } from './shell-words.ts';

/** Maximum number of pasted lines. */
const maxLines = 200;

/**
 * In their order; a text is why a line is no server. Throws AppError `bad_request` with the word, and where there are
 * several the line, that is not understood.
 */
export function parseLines(text: string): readonly (RegistryMatch | string)[] {
  const lines = splitCommands(text);
  if (lines.length > maxLines)
    throw unrecognizedInputError(`The text has ${formatCount(lines.length, 'line')}; at most ${maxLines} are read.`);
  return lines.flatMap((line): readonly (RegistryMatch | string)[] =>
    isInstaller(line) ? [installer(line)] : readLine(line),
  );
}

function installer(line: string): string {
  splitShellWords(line);
  return `${quoteWord(line)} installs a package or sets up an app; it starts no server. Paste what the server's page shows for its configuration: JSON, or the line that starts it.`;
}

function readLine(line: string): readonly RegistryMatch[] {
  const linked = parseInstallLink(line);
  if (linked !== undefined) return linked;
  if (isAddress(line)) return [{ entry: { url: line } }];
  const words = splitShellWords(line);
  const added = words.flatMap((word, at) => {
    if (word === '--add-mcp') return [words[at + 1] ?? ''];
    return word.startsWith('--add-mcp=') ? [word.slice('--add-mcp='.length)] : [];
  });
  if (added.length > 0) return added.flatMap((json) => ofJson(json, '--add-mcp'));
  const [program = '', second, third = '', ...rest] = words;
  if (second !== 'mcp' || !/^[\w.-]+$/.test(program) || assignment.test(program)) return [ofCommand(words)];
  if (third === 'add') return [parseMcpAddCommand(rest)];
  if (third === 'add-json') return [readAddJson(rest)];
  throw unrecognizedInputError(`${quoteWord([program, second, third].join(' ').trim())} adds no server.`);
}

/** `KEY=value npx -y a-server`, also with `env` in front. */
function ofCommand(all: readonly string[]): RegistryMatch {
  const words = all[0] === 'env' && assignment.test(all[1] ?? '') ? all.slice(1) : all;
  const start = words.findIndex((word) => !assignment.test(word));
  const [command, ...args] = start === -1 ? [] : words.slice(start);
  if (command === undefined) throw unrecognizedInputError('The line sets variables and starts nothing.');
  return { entry: { command, args, env: parseAssignments(words.slice(0, start)) }, isGuess: true };
}

/** `add-json NAME '{…}'`, flags anywhere. */
function readAddJson(words: readonly string[]): RegistryMatch {
  const at = words.findIndex((word) => word.trimStart().startsWith('{'));
  if (at === -1) throw unrecognizedInputError('add-json is followed by a name and JSON, and there is no JSON.');
  const { name } = parseMcpAddCommand([...words.slice(0, at), ...words.slice(at + 1), '--', 'as-the-json-says']);
  return { entry: {}, ...ofJson(words[at] ?? '', 'add-json')[0], name };
}

function ofJson(text: string, after: string): readonly RegistryMatch[] {
  const value = parsed(text);
  if (!isObject(value)) throw unrecognizedInputError(`What follows ${after} is no JSON object: ${quoteWord(text)}.`);
  return foundInValue(value);
}

function parsed(text: string): unknown {
  try {
    return parseText(text, 'json', 'The text').value;
  } catch {
    return undefined;
  }
}
