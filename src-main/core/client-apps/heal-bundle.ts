/** Reads one place where a launch may be found: a folder of bundles, or a file of servers. What is malformed holds nothing. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../base/json.ts';
import { readAppServers } from './app-servers.ts';
import type { HealSource } from './heal-sources.ts';
import { importEntry } from './import-entry.ts';
import { type ImportedServer, serversOfText } from './import-text.ts';
import type { KnownApp } from './known-app.ts';

/** A server that another place knows, and the file that says so. */
export interface FoundLaunch extends ImportedServer {
  readonly source: HealSource;
  readonly file: string;
}

/** No launch needs a file this big, and no bundle folder this many. */
const maxBytes = 32 * 1024 * 1024;
const maxBundles = 2000;

/** Everything a place defines. Never rejects. */
export async function readHealSource(source: HealSource, home: string): Promise<readonly FoundLaunch[]> {
  if (source.kind === 'servers') {
    const found =
      source.app === undefined ? await serversIn(source.path, home) : await ofApp(source.app, source.path, home);
    return found.map((server) => ({ ...server, source, file: source.path }));
  }
  const names = (await readdir(source.path).catch(() => [])).filter((name) => name.endsWith('.json'));
  const bundles = await Promise.all(
    names
      .sort()
      .slice(0, maxBundles)
      .map((name) => readBundle(source, name, home)),
  );
  return bundles.filter((bundle) => bundle !== undefined);
}

/** The servers of an app's own file, in the order it has them; what launches nothing is left out. */
async function ofApp(app: KnownApp, file: string, home: string): Promise<readonly ImportedServer[]> {
  const { servers } = await readAppServers({ app, file });
  return servers.flatMap(({ name, entry: theirs }) => {
    const entry = importEntry(theirs, { home });
    return entry === undefined ? [] : [{ name, entry }];
  });
}

async function serversIn(file: string, home: string): Promise<readonly ImportedServer[]> {
  const text = await readSmallFile(file);
  try {
    return text === undefined ? [] : serversOfText(text, file, home);
  } catch {
    return [];
  }
}

/** `{"genericBundle": {"run": {"executable", "args", "env", "cwd"}}}`; a url in it is taken as one. */
async function readBundle(source: HealSource, fileName: string, home: string): Promise<FoundLaunch | undefined> {
  const file = join(source.path, fileName);
  const text = await readSmallFile(file);
  const value = text === undefined ? undefined : parsed(text);
  const bundle = isObject(value) ? value['genericBundle'] : undefined;
  const run = isObject(bundle) ? bundle['run'] : undefined;
  if (!isObject(run)) return undefined;
  const entry = importEntry({ ...run, command: run['executable'] ?? run['command'] }, { home });
  return entry && { name: fileName.slice(0, -'.json'.length), entry, source, file };
}

async function readSmallFile(file: string): Promise<string | undefined> {
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined || !stats.isFile() || stats.size > maxBytes) return undefined;
  return readFile(file, 'utf8').catch(() => undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
