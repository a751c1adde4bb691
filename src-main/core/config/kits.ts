/** Kits: bundles of servers in files of their own, `kit.d/*.json`, beside the config file and where Magg has them. */
import { readdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { isObject, type JsonObject, objectOf } from '../base/json.ts';
import { maskObject } from '../base/mask.ts';
import { ConfigDocument } from './config-document.ts';
import { nodeValue } from './json-text.ts';
import { findContainers } from './read-entry.ts';
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
interface BrokenKit {
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
    links: objectOf(links),
    servers: servers as Kit['servers'],
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Servers of a config file as a kit file: entries as they are written, without what is secret. */
export interface KitExport {
  /** To be written to a kit file. */
  readonly kit: JsonObject;
  /** What was not written, by server: variables that are asked of the environment instead, `***` for other secrets. */
  readonly secrets: Readonly<Record<string, readonly string[]>>;
}

/** `about`: what a kit file says besides its servers. `names`: the servers that belong to it. */
export function exportKit(
  text: string,
  names: readonly string[],
  about: Partial<Omit<Kit, 'servers' | 'path'>>,
): KitExport {
  const entries = entriesIn(text);
  const exported = names.flatMap((name) => {
    const entry = entries.get(name);
    return entry === undefined ? [] : [[name, withoutSecrets(entry)] as const];
  });
  const { name, description, author, version, keywords, links } = about;
  const said = { name, description, author, version, keywords, links };
  const given = Object.entries(said).filter(([, value]) => value !== undefined);
  const servers = Object.fromEntries(exported.map(([server, { entry }]) => [server, entry]));
  const secrets = exported.flatMap(([server, { left }]) => (left.length === 0 ? [] : [[server, left] as const]));
  return { kit: { ...Object.fromEntries(given), servers }, secrets: Object.fromEntries(secrets) };
}

function entriesIn(text: string): ReadonlyMap<string, JsonObject> {
  const { root } = new ConfigDocument(text, '');
  const found = root === undefined ? [] : findContainers(root).flatMap((container) => container.entries);
  // The first wins on a clash, as in the config.
  return new Map(
    found.reverse().flatMap(({ name, valueNode }): [string, JsonObject][] => {
      const entry = nodeValue(valueNode);
      return name !== undefined && isObject(entry) ? [[name, entry]] : [];
    }),
  );
}

/** A secret of the environment becomes a reference to the environment of whoever loads the kit; any other is masked. */
function withoutSecrets({ name: _name, kits: _kits, env, ...entry }: JsonObject): {
  entry: JsonObject;
  left: string[];
} {
  const masked = maskObject(entry) as JsonObject;
  const others = JSON.stringify(masked) === JSON.stringify(entry) ? [] : ['***'];
  if (!isObject(env)) return { entry: masked, left: others };
  const shown = maskObject(env) as JsonObject;
  const secret = Object.keys(env).filter((key) => shown[key] !== env[key]);
  const references = Object.fromEntries(secret.map((key) => [key, `\${env:${key}}`]));
  return { entry: { ...masked, env: { ...env, ...references } }, left: [...secret, ...others] };
}

/** What a server's entry in the config file says for people and for kits, and the core itself does not use. */
export interface EntryNotes {
  /** Where the server comes from, as Magg has it. */
  readonly source: string | undefined;
  readonly notes: string | undefined;
  /** Kits that brought the server. */
  readonly kits: readonly string[];
}

/** By server name; empty where the text cannot be read. */
export function readEntryNotes(text: string): ReadonlyMap<string, EntryNotes> {
  const { root } = new ConfigDocument(text, '');
  const entries = root === undefined ? [] : findContainers(root).flatMap((container) => container.entries);
  return new Map(entries.map(({ name = '', valueNode }) => [name, notesOf(nodeValue(valueNode))]));
}

function notesOf(entry: unknown): EntryNotes {
  const { source, notes, description, kits } = objectOf(entry);
  return {
    source: textOf(source),
    notes: textOf(notes) ?? textOf(description),
    kits: Array.isArray(kits) ? (kits as unknown[]).filter((kit) => typeof kit === 'string') : [],
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
