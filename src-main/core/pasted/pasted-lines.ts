/** Servers in lines: commands that start one, addresses, links, and lines of apps' own `mcp add` commands. */
import { isObject } from '../base/json.ts';
import { count } from '../base/wording.ts';
import { parseText } from '../config/dialects/parse-text.ts';
import { isAddress, readAddLine } from './add-line.ts';
import { isInstaller } from './add-table.ts';
import { readInstallLink } from './install-link.ts';
import { type FoundServer, foundInValue, notUnderstood, quoted } from './pasted-server.ts';
import { assignment, commandsOf, variables, wordsOf } from './shell-line.ts';

/** More than anybody copies. */
const maxLines = 200;

/**
 * In their order; a text is why a line is no server. Throws AppError bad_request with the word, and where there are several the line, that
 * is not understood.
 */
export function serversOfLines(text: string): readonly (FoundServer | string)[] {
  const lines = commandsOf(text);
  if (lines.length > maxLines)
    throw notUnderstood(`The text has ${count(lines.length, 'line')}; at most ${maxLines} are read.`);
  return lines.flatMap((line): readonly (FoundServer | string)[] =>
    isInstaller(line) ? [installer(line)] : readLine(line),
  );
}

function installer(line: string): string {
  wordsOf(line);
  return `${quoted(line)} installs a package or sets up an app; it starts no server. Paste what the server's page shows for its configuration: JSON, or the line that starts it.`;
}

function readLine(line: string): readonly FoundServer[] {
  const linked = readInstallLink(line);
  if (linked !== undefined) return linked;
  if (isAddress(line)) return [{ entry: { url: line } }];
  const words = wordsOf(line);
  const added = words.flatMap((word, at) => {
    if (word === '--add-mcp') return [words[at + 1] ?? ''];
    return word.startsWith('--add-mcp=') ? [word.slice('--add-mcp='.length)] : [];
  });
  if (added.length > 0) return added.flatMap((json) => ofJson(json, '--add-mcp'));
  const [program = '', second, third = '', ...rest] = words;
  if (second !== 'mcp' || !/^[\w.-]+$/.test(program) || assignment.test(program)) return [ofCommand(words)];
  if (third === 'add') return [readAddLine(rest)];
  if (third === 'add-json') return [readAddJson(rest)];
  throw notUnderstood(`${quoted([program, second, third].join(' ').trim())} adds no server.`);
}

/** `KEY=value npx -y a-server`, also with `env` in front. */
function ofCommand(all: readonly string[]): FoundServer {
  const words = all[0] === 'env' && assignment.test(all[1] ?? '') ? all.slice(1) : all;
  const start = words.findIndex((word) => !assignment.test(word));
  const [command, ...args] = start === -1 ? [] : words.slice(start);
  if (command === undefined) throw notUnderstood('The line sets variables and starts nothing.');
  return { entry: { command, args, env: variables(words.slice(0, start)) }, isGuess: true };
}

/** `add-json NAME '{…}'`, flags anywhere. */
function readAddJson(words: readonly string[]): FoundServer {
  const at = words.findIndex((word) => word.trimStart().startsWith('{'));
  if (at === -1) throw notUnderstood('add-json is followed by a name and JSON, and there is no JSON.');
  const { name } = readAddLine([...words.slice(0, at), ...words.slice(at + 1), '--', 'as-the-json-says']);
  return { entry: {}, ...ofJson(words[at] ?? '', 'add-json')[0], name };
}

function ofJson(text: string, after: string): readonly FoundServer[] {
  const value = parsed(text);
  if (!isObject(value)) throw notUnderstood(`What follows ${after} is no JSON object: ${quoted(text)}.`);
  return foundInValue(value);
}

function parsed(text: string): unknown {
  try {
    return parseText(text, 'json', 'The text').value;
  } catch {
    return undefined;
  }
}
