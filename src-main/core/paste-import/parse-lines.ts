/** Servers in lines: commands that start one, addresses, links, and apps' `mcp add` commands. */
import { isObject, tryParsePlainJson } from '../base/json.ts';
import { formatCount } from '../base/text-format.ts';
import { isAddress, parseMcpAddCommand } from './mcp-add-command.ts';
import { isInstaller, isPage } from './add-table.ts';
import { parseInstallLinks } from './install-link.ts';
import { type RegistryMatch, foundInValue, unrecognizedInputError, quoteWord } from './pasted-server.ts';
import { assignment, splitCommands, splitShellWords, withVariables } from './shell-words.ts';

/** Maximum number of pasted lines. */
const maxLines = 200;

/**
 * In order; a text says why a line is not a server. Throws AppError `bad_request` with the word, and for several lines
 * the line, that is not understood.
 */
export function parseLines(text: string): readonly (RegistryMatch | string)[] {
  const lines = splitCommands(text);
  if (lines.length > maxLines)
    throw unrecognizedInputError(`The text has ${formatCount(lines.length, 'line')}; at most ${maxLines} are read.`);
  const env: string[] = [];
  return lines.flatMap((line, at): readonly (RegistryMatch | string)[] => {
    if (isInstaller(line)) return [installer(line)];
    const pairs = at === lines.length - 1 ? [] : variablesOf(line);
    env.push(...pairs);
    return pairs.length > 0 ? [] : readLine(line, env);
  });
}

const whatToPaste = 'configuration: JSON, or the line that starts it.';

function installer(line: string): string {
  splitShellWords(line);
  return `${quoteWord(line)} installs a package or sets up an app; it does not start a server. Paste what the server's page shows for its ${whatToPaste}`;
}

/** `export KEY=value` and `$env:KEY = "value"` before the line that starts the server; empty for other lines. */
function variablesOf(line: string): readonly string[] {
  const words = splitShellWords(line.replace(/^\$env:(\w+)\s*=\s*/, 'set $1='));
  const pairs = words[0] === 'export' || words[0] === 'set' ? words.slice(1) : [];
  return pairs.every((pair) => assignment.test(pair)) ? pairs : [];
}

function readLine(line: string, env: readonly string[]): readonly (RegistryMatch | string)[] {
  const linked = parseInstallLinks(line);
  if (linked !== undefined) return linked.length > 0 ? linked : [`No link of ${quoteWord(line)} carries a server.`];
  if (isPage(line))
    return [`${quoteWord(line)} is a page about a server, and not its address. Paste its ${whatToPaste}`];
  if (isAddress(line)) return [{ entry: { url: line } }];
  const words = splitShellWords(line);
  const added = words.flatMap((word, at) => {
    const [, flag = '', joined] = /^(--[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    return carriedBy(flag, joined ?? words[at + 1] ?? '');
  });
  if (added.length > 0) return added;
  if (words[0] === 'tooltray' && words[1] === 'add') return [parseMcpAddCommand(words.slice(2))];
  const at = words.findIndex((word, index) => word === 'mcp' && /^add(?:-json)?$/.test(words[index + 1] ?? ''));
  if (at > 0 && words.slice(0, at).every((word) => /^[\w@./-]+$/.test(word))) {
    const rest = words.slice(at + 2);
    return [words[at + 1] === 'add' ? parseMcpAddCommand(rest) : readAddJson(rest)];
  }
  // Docker's own `mcp` starts its gateway.
  if (words[1] !== 'mcp' || !/^(?!docker$)[\w.-]+$/.test(words[0] ?? '')) return [ofCommand(words, env)];
  throw unrecognizedInputError(`${quoteWord(words.slice(0, 3).join(' '))} does not add a server.`);
}

/** The servers in a flag of apps that accept one: JSON for VS Code and similar, a line or an address for Goose. */
function carriedBy(flag: string, value: string): readonly RegistryMatch[] {
  if (flag === '--add-mcp') return ofJson(value, flag);
  if (flag === '--with-extension') return [ofCommand(splitShellWords(value), [])];
  return /^--with-(?:remote|streamable-http)-extension$/.test(flag) ? [{ entry: { url: value } }] : [];
}

/** `KEY=value npx -y a-server`, optionally after `env`. */
function ofCommand(all: readonly string[], env: readonly string[]): RegistryMatch {
  const words = all[0] === 'env' && assignment.test(all[1] ?? '') ? all.slice(1) : all;
  const start = words.findIndex((word) => !assignment.test(word));
  const [command, ...args] = start === -1 ? [] : words.slice(start);
  if (command === undefined) throw unrecognizedInputError('The line sets variables but starts nothing.');
  if (isAddress(command) && args.length === 0) return { entry: { url: command } };
  return { entry: { command, args, env: [...env, ...words.slice(0, start)].map(withVariables) }, isGuess: true };
}

/** `add-json NAME '{…}'`, with flags anywhere. */
function readAddJson(words: readonly string[]): RegistryMatch {
  const at = words.findIndex((word) => word.trimStart().startsWith('{'));
  if (at === -1) throw unrecognizedInputError('add-json is followed by a name and JSON, and there is no JSON.');
  const { name } = parseMcpAddCommand([...words.slice(0, at), ...words.slice(at + 1), '--', 'as-the-json-says']);
  return { entry: {}, ...ofJson(words[at] ?? '', 'add-json')[0], name };
}

function ofJson(text: string, after: string): readonly RegistryMatch[] {
  const value = tryParsePlainJson(text);
  if (!isObject(value)) throw unrecognizedInputError(`What follows ${after} is not a JSON object: ${quoteWord(text)}.`);
  return foundInValue(value);
}
