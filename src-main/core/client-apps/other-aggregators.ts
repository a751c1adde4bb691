/**
 * Similar products whose config files contain servers to import: the location of the files, and the entries that start
 * them.
 */
import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { isObject } from '../base/json.ts';
import { fileExists, type Machine } from './app-files.ts';
import { type ReadServer, readServersOfText } from '../config/dialects/read-servers.ts';

interface OtherAggregator {
  /** The display name. */
  readonly name: string;
  /** Matches its program in a command line. */
  readonly program: RegExp;
  /** Variables that name its config file, or folders with one. */
  readonly fileVariable?: string;
  readonly folderVariable?: string;
  /** Relative to the current folder of the user, then to their home. */
  readonly here: readonly string[];
  readonly atHome: readonly string[];
}

const otherAggregators: readonly OtherAggregator[] = [
  {
    name: 'ToolMux',
    program: /^toolmux(==.*|@.*)?$/,
    here: ['mcp.json'],
    atHome: ['shared/toolmux/mcp.json', 'toolmux/mcp.json'],
  },
  {
    name: 'Magg',
    program: /^magg(==.*|@.*)?$/,
    fileVariable: 'MAGG_CONFIG_PATH',
    folderVariable: 'MAGG_PATH',
    here: ['.magg/config.json'],
    atHome: ['.magg/config.json'],
  },
  { name: 'MCPProxy', program: /^mcpproxy$/, here: [], atHome: ['.mcpproxy/mcp_config.json'] },
];

/** The contents of a config file. */
export interface AggregatorFile {
  readonly name: string;
  readonly file: string;
  readonly servers: readonly ReadServer[];
  /** About the whole file, one sentence each. */
  readonly notes: readonly string[];
}

/** Possible config paths, most likely first. Without `cwd` the working directory is not searched. */
function configFiles(aggregator: OtherAggregator, { env, home }: Machine, cwd: string | undefined): string[] {
  const { fileVariable = '', folderVariable = '', here, atHome } = aggregator;
  const named = env[fileVariable] ?? '';
  const folders = (env[folderVariable] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return [
    ...(named === '' ? [] : [named]),
    ...folders.map((folder) => path.join(folder, 'config.json')),
    ...(cwd === undefined ? [] : here.map((file) => path.join(cwd, file))),
    ...atHome.map((file) => path.join(home, file)),
  ].map((file) => path.resolve(home, file.replace(/^~(?=[/\\])/, home)));
}

/** All existing configs; unreadable ones are skipped. */
export async function findAggregators(machine: Machine, cwd: string | undefined): Promise<readonly AggregatorFile[]> {
  const all = otherAggregators.flatMap((aggregator) =>
    configFiles(aggregator, machine, cwd).map((file) => ({ aggregator, file })),
  );
  const once = all.filter(({ file }, index) => all.findIndex((other) => other.file === file) === index);
  const read = await Promise.all(once.map(({ aggregator, file }) => readAggregator(aggregator, file, machine)));
  return read.filter((one) => one !== undefined);
}

/** The config of an entry that starts such a product; undefined for other entries, or if there is none. */
export async function resolveAggregator(
  entry: unknown,
  machine: Machine,
): Promise<AggregatorFile | 'without a config' | undefined> {
  if (!isObject(entry)) return undefined;
  const words = [entry['command'], entry['args']].flat().filter((word): word is string => typeof word === 'string');
  const aggregator = otherAggregators.find(({ program }) => isStartedBy(words, program));
  if (aggregator === undefined) return undefined;
  const env = { ...machine.env, ...(isObject(entry['env']) ? (entry['env'] as Machine['env']) : {}) };
  const named = configFlag(words);
  const files = named === undefined ? configFiles(aggregator, { ...machine, env }, undefined) : [named];
  for (const file of files) {
    const found = (await fileExists(file)) ? await readAggregator(aggregator, file, machine) : undefined;
    if (found !== undefined) return found;
  }
  return 'without a config';
}

/** Whether the command starts the program, directly or through `uvx`, `uv run`, `pipx run` or `python -m`. */
function isStartedBy([command = '', ...args]: readonly string[], program: RegExp): boolean {
  const nameOf = (word: string): string => (word.split(/[\\/]/).at(-1) ?? '').replace(/\.exe$/i, '').toLowerCase();
  if (program.test(nameOf(command))) return true;
  const subject = args.find((word) => !word.startsWith('-') && !['run', 'tool'].includes(word));
  return /^(uvx?|pipx|python3?)$/.test(nameOf(command)) && subject !== undefined && program.test(nameOf(subject));
}

function configFlag(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--config' || word === '-c');
  return at >= 0 ? words[at + 1] : words.find((word) => word.startsWith('--config='))?.slice('--config='.length);
}

async function readAggregator(
  { name }: OtherAggregator,
  file: string,
  { home }: Machine,
): Promise<AggregatorFile | undefined> {
  try {
    return { name, file, ...readServersOfText(await readFile(file, 'utf8'), file, { home }) };
  } catch {
    return undefined;
  }
}
