/** Kits: bundles of servers in files of their own, `kit.d/*.json` beside the config file, as Magg has them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../base/json.ts';

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

/** The kits in a folder, by name; what is no kit is left out. A folder that is not there has none. */
export async function readKits(folder: string): Promise<readonly Kit[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json')).sort();
  const kits = await Promise.all(files.map((file) => readKit(join(folder, file), file.slice(0, -'.json'.length))));
  return kits.filter((kit) => kit !== undefined);
}

async function readKit(path: string, fileName: string): Promise<Kit | undefined> {
  const value = await readFile(path, 'utf8').then(parsed, () => undefined);
  if (!isObject(value) || !isObject(value['servers'])) return undefined;
  const { name, description, author, version, keywords, links, servers } = value;
  return {
    name: text(name) ?? fileName,
    path,
    description: text(description),
    author: text(author),
    version: text(version),
    keywords: Array.isArray(keywords) ? (keywords as unknown[]).filter((word) => typeof word === 'string') : [],
    links: isObject(links) ? links : {},
    servers: Object.fromEntries(Object.entries(servers).filter(([, entry]) => isObject(entry))) as Kit['servers'],
  };
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
