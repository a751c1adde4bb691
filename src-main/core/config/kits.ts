/** Kits: bundles of servers in files of their own, `kit.d/*.json`, beside the config file and where Magg has them. */
import { readdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { isObject, type JsonObject } from '../base/json.ts';
import { ConfigDocument } from './config-document.ts';
import { nodeValue } from './json-node.ts';
import type { Environment } from './replace-variables.ts';

export interface Kit {
  readonly name: string;
  readonly path: string;
  readonly description: string | undefined;
  readonly author: string | undefined;
  readonly version: string | undefined;
  readonly keywords: readonly string[];
  readonly links: JsonObject;
  /** Entries as they are written to the config file. */
  readonly servers: Readonly<Record<string, JsonObject>>;
}

/** A file among kits that is none, and why, in a sentence. */
export interface BrokenKit {
  /** What it would be called: after its file. */
  readonly name: string;
  readonly path: string;
  readonly reason: string;
}

export interface KitReading {
  readonly kits: readonly Kit[];
  readonly broken: readonly BrokenKit[];
}

/** Where kits lie, the folder that counts first: beside the config, in MAGG_PATH, in the folder that a person is in, at home. */
export function kitFolders(configFile: string, env: Environment, cwd?: string): readonly string[] {
  const home = env['HOME'] ?? env['USERPROFILE'];
  const magg = (env['MAGG_PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const folders = [
    dirname(configFile),
    ...magg.map((folder) => resolve(folder.replace(/^~(?=$|[/\\])/, home ?? '~'))),
    ...(cwd === undefined ? [] : [join(cwd, '.magg')]),
    ...(home === undefined ? [] : [join(home, '.magg')]),
  ];
  return [...new Set(folders)].map((folder) => join(folder, 'kit.d'));
}

/** The kits in these folders, by name; of two with one name the first counts. A folder that is not there has none. */
export async function readKits(folders: readonly string[]): Promise<KitReading> {
  const files = (await Promise.all(folders.map(kitFiles))).flat();
  const read = await Promise.all(files.map(readKit));
  const kits = read.flatMap((one) => ('servers' in one ? [one] : []));
  return {
    kits: kits.filter(({ name }, index) => kits.findIndex((other) => other.name === name) === index),
    broken: read.flatMap((one) => ('reason' in one ? [one] : [])),
  };
}

async function kitFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name));
}

async function readKit(path: string): Promise<Kit | BrokenKit> {
  const fileName = path.split(/[\\/]/).at(-1)?.slice(0, -'.json'.length) ?? path;
  const broken = (reason: string): BrokenKit => ({ name: fileName, path, reason });
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => error);
  if (typeof content !== 'string') return broken(`It cannot be read: ${content.code ?? content.message}.`);
  const { root, problems } = new ConfigDocument(content, path);
  const [problem] = problems;
  if (root === undefined)
    return broken(problem === undefined ? 'It is no JSON.' : `Line ${problem.line}: ${problem.reason}`);
  const value = nodeValue(root) as JsonObject;
  const { name, description, author, version, keywords, links, servers } = value;
  if (!isObject(servers)) return broken('It has no object "servers".');
  const wrong = Object.keys(servers).find((server) => !isObject(servers[server]));
  if (wrong !== undefined) return broken(`Its server ${JSON.stringify(wrong)} is no object.`);
  return {
    name: text(name) ?? fileName,
    path,
    description: text(description),
    author: text(author),
    version: text(version),
    keywords: Array.isArray(keywords) ? (keywords as unknown[]).filter((word) => typeof word === 'string') : [],
    links: isObject(links) ? links : {},
    servers: servers as Kit['servers'],
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
