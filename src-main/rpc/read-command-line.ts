/** Servers in command lines: what starts one, an address, and the lines that apps' own `mcp add` commands are told with. */
import { isObject, type JsonObject } from '../core/base/json.ts';
import { ConfigDocument } from '../core/config/config-document.ts';
import { nodeValue } from '../core/config/json-text.ts';
import { splitCommand } from '../core/config/build-server.ts';

export interface PastedServer {
  readonly name: string;
  readonly entry: JsonObject;
}

/** A server whose name the text did not say. */
interface Unnamed {
  readonly name?: string | undefined;
  readonly entry: JsonObject;
}

const isAddress = (word: string): boolean => /^https?:\/\/\S+$/i.test(word);
const assignment = /^([A-Za-z_]\w*)=(.*)$/s;

/** The servers of lines that are commands or addresses, in their order; a line may go on after a backslash. Empty where one is neither. */
export function readCommandLines(text: string): readonly PastedServer[] {
  const lines = text
    .replace(/[\\`]\r?\n\s*/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^[$>%]\s+/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'));
  const found = lines.map(readLine);
  return found.every((one) => one !== undefined)
    ? found.map(({ name, entry }) => ({ name: name ?? nameOfEntry(entry), entry }))
    : [];
}

function readLine(line: string): Unnamed | undefined {
  if (isAddress(line)) return { entry: { url: line } };
  const words = splitCommand(line);
  const [program = '', second = '', third = ''] = words;
  const own = words.indexOf('--add-mcp');
  if (own > 0) return ofJsonText(words[own + 1] ?? '');
  if (second !== 'mcp') return ofWords(words);
  if (third === 'add-json') return readAddJson(words.slice(3));
  return third === 'add' && /^[\w-]+$/.test(program) ? readAdd(words.slice(3)) : undefined;
}

/** `KEY=value npx -y a-server`. */
function ofWords(words: readonly string[]): Unnamed | undefined {
  const start = words.findIndex((word) => !assignment.test(word));
  const [command, ...args] = start === -1 ? [] : words.slice(start);
  if (command === undefined) return undefined;
  const env = pairs(words.slice(0, start));
  return { entry: { command, ...(args.length > 0 && { args }), ...(Object.keys(env).length > 0 && { env }) } };
}

/** `add-json NAME '{…}'`, flags anywhere. */
function readAddJson(words: readonly string[]): Unnamed | undefined {
  const json = words.find((word) => word.startsWith('{'));
  const name = words.find((word, at) => word !== json && !word.startsWith('-') && !takesValue(words[at - 1]));
  const server = json === undefined ? undefined : ofJsonText(json);
  return server && { ...server, name: name ?? server.name };
}

function ofJsonText(text: string): Unnamed | undefined {
  const { root } = new ConfigDocument(text, 'the pasted text');
  const value = root === undefined ? undefined : nodeValue(root);
  if (!isObject(value)) return undefined;
  const { name, ...entry } = value;
  return { name: typeof name === 'string' ? name : undefined, entry };
}

/**
 * `add [flags] NAME COMMAND [ARGS]`, `add [flags] NAME -- COMMAND [ARGS]`, `add [flags] NAME URL [flags]`, as Claude Code, Codex,
 * Gemini CLI, Qwen Code and Amp take them. What follows a command is that command's.
 */
function readAdd(words: readonly string[]): Unnamed | undefined {
  const flags = new Map<string, string[]>();
  const said: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === '--') {
      said.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith('-')) {
      said.push(word);
      if (said.length < 2 || isAddress(word)) continue;
      said.push(...words.slice(at + 1));
      break;
    }
    const [, flag = word, joined] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const values = flags.get(flag) ?? [];
    flags.set(flag, values);
    if (joined !== undefined) values.push(joined);
    else if (takesValue(flag) && at + 1 < words.length) values.push(words[++at] as string);
    // Claude Code takes several pairs after one flag.
    while (isEnvFlag(flag) && assignment.test(words[at + 1] ?? '')) values.push(words[++at] as string);
  }
  const valuesOf = (...names: readonly string[]): readonly string[] => names.flatMap((name) => flags.get(name) ?? []);
  const [name, target = valuesOf('--url')[0], ...args] = said;
  if (name === undefined || target === undefined) return undefined;
  if (!isAddress(target)) {
    const env = pairs(valuesOf('-e', '--env'));
    const entry = { command: target, ...(args.length > 0 && { args }), ...(Object.keys(env).length > 0 && { env }) };
    return { name, entry };
  }
  const [tokenVariable] = valuesOf('--bearer-token-env-var');
  const headers = {
    ...Object.fromEntries(valuesOf('-H', '--header').flatMap(headerOf)),
    ...(tokenVariable !== undefined && { Authorization: `Bearer \${env:${tokenVariable}}` }),
  };
  const isSse = valuesOf('-t', '--transport')[0] === 'sse';
  const entry = { url: target, ...(isSse && { type: 'sse' }), ...(Object.keys(headers).length > 0 && { headers }) };
  return { name, entry };
}

/** Flags of apps' `mcp add` that a value follows. */
function takesValue(flag: string | undefined): boolean {
  return (
    flag !== undefined &&
    /^(-[seHt]|--(scope|env|transport|header|url|bearer-token-env-var|timeout|description|(include|exclude)-tools|client-id|client-secret|callback-port))$/.test(
      flag,
    )
  );
}

function isEnvFlag(flag: string): boolean {
  return flag === '-e' || flag === '--env';
}

function pairs(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.flatMap((word) => {
      const [, key, value] = assignment.exec(word) ?? [];
      return key === undefined || value === undefined ? [] : [[key, value]];
    }),
  );
}

function headerOf(text: string): [string, string][] {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value]];
}

/** What a person would call it: its own name, the host it is at, or the package, image or script that it is. */
export function nameOfEntry(entry: JsonObject): string {
  if (typeof entry['name'] === 'string' && entry['name'] !== '') return entry['name'];
  const url = ['url', 'serverUrl', 'httpUrl'].map((key) => entry[key]).find((one) => typeof one === 'string');
  if (typeof url === 'string' && URL.canParse(url))
    return new URL(url).hostname.replace(/^(mcp|api|www)\./, '').split('.')[0] ?? 'server';
  const args = (Array.isArray(entry['args']) ? (entry['args'] as unknown[]) : []).map(String);
  const words = args.filter((word, at) => !word.startsWith('-') && !followsFlag(args[at - 1]));
  const telling = words.find((word) => word !== 'run') ?? String(entry['command']);
  const parts = telling.replace(/@[\d.]+\S*$|:[\w.-]+$/, '').split(/[\\/]/);
  const stem = (part: string): string => part.replace(/\.([cm]?[jt]s|py|exe|sh)$/, '');
  // `weather/dist/index.js` is the weather's.
  const base = parts.map(stem).findLast((part) => !/^(index|main|dist|build|src|)$/.test(part)) ?? parts.at(-1);
  const plain = stem(base ?? '').replace(/^(mcp[-_])?server[-_]|([-_]mcp)?[-_]server$|^mcp[-_]|[-_]mcp$/g, '');
  return plain || 'server';
}

/** Flags of runners (docker, uv, npm …) whose value is no name. */
function followsFlag(flag: string | undefined): boolean {
  return (
    flag !== undefined &&
    /^(-[evwpu]|--(env|env-file|volume|mount|name|network|directory|project|from|with|python))$/.test(flag)
  );
}
