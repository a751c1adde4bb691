/** `tooltray kit`: the kits beside the config file, and servers written as one. */
import { access } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { writeFileAtomic } from '../core/base/atomic-file.ts';
import { AppError } from '../core/base/errors.ts';
import { type EntryNotes, readEntryNotes } from '../core/config/entry-notes.ts';
import { exportKit, type KitExport } from '../core/config/export-kit.ts';
import { type Kit, readKits } from '../core/config/kits.ts';
import { readConfigText } from '../core/config/read-config-text.ts';
import { columns } from './columns.ts';
import { count } from './count.ts';
import { openCliConfig } from './open-cli-config.ts';
import { oneLine } from './plain-text.ts';
import { paint, printJson, printLines } from './print.ts';
import { commonFlags, readFlags, wrongUse } from './read-flags.ts';

interface KitHome {
  readonly text: string;
  readonly notes: ReadonlyMap<string, EntryNotes>;
  readonly kits: readonly Kit[];
}

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values, positionals } = readFlags(args, { ...commonFlags, output: { type: 'string' } }, [1, 2], form);
  const [action, name] = positionals;
  const home = await readHome(values.config);
  if (action === 'list' && name === undefined) return list(home, values.json === true);
  if (action !== 'export') throw wrongUse(`"${action}" is not understood`, form);
  const exported = exportFrom(home, name);
  return values.output === undefined ? print(exported) : write(exported, values.output, values.json === true);
}

async function readHome(config: string | undefined): Promise<KitHome> {
  const { path } = await openCliConfig(config);
  const [text, kits] = await Promise.all([readConfigText(path), readKits(join(dirname(path), 'kit.d'))]);
  return { text, kits, notes: readEntryNotes(text) };
}

function list({ kits, notes }: KitHome, json: boolean): number {
  const rows = kits.map(({ name, description = '', servers }) => {
    return { name, loaded: taggedWith(name, notes).length > 0, servers: Object.keys(servers), description };
  });
  if (json) printJson({ kits: rows });
  else if (rows.length === 0) printLines(['No kits. They are files in the folder kit.d beside the config file.']);
  else {
    const head = ['NAME', 'STATE', 'SERVERS', 'ABOUT'].map((word) => paint('head', word));
    const lines = rows.map(({ name, loaded, servers, description }) => [
      oneLine(name),
      loaded ? paint('good', 'loaded') : 'not loaded',
      oneLine(servers.join(', ')),
      oneLine(description),
    ]);
    printLines(columns([head, ...lines]));
  }
  return 0;
}

/** A loaded kit with its servers as they are now, or all servers. Throws AppError not_found. */
function exportFrom({ text, notes, kits }: KitHome, name: string | undefined): KitExport {
  if (name === undefined) return exportKit(text, [...notes.keys()], {});
  const tagged = taggedWith(name, notes);
  if (tagged.length === 0) {
    throw new AppError('not_found', `No kit called ${JSON.stringify(name)} is loaded.`, {
      fix: 'See tooltray kit list.',
    });
  }
  return exportKit(text, tagged, kits.find((kit) => kit.name === name) ?? { name });
}

function taggedWith(kit: string, notes: ReadonlyMap<string, EntryNotes>): string[] {
  return [...notes].flatMap(([server, { kits }]) => (kits.includes(kit) ? [server] : []));
}

/** Stdout is the kit file and nothing else, so that it can be redirected. */
function print({ kit }: KitExport): number {
  printJson(kit);
  return 0;
}

async function write({ kit, secrets }: KitExport, output: string, json: boolean): Promise<number> {
  const file = resolve(output);
  if (await exists(file)) {
    throw new AppError('config_conflict', `${file} is there already.`, {
      fix: 'Name another file, or remove it first.',
    });
  }
  await writeFileAtomic(file, `${JSON.stringify(kit, null, 2)}\n`, { mode: 0o600 });
  const servers = Object.keys(kit['servers'] as object);
  if (json) printJson({ file, servers, secrets });
  else {
    const left = Object.entries(secrets).map(
      ([server, what]) => `Not written of ${oneLine(server)}: ${oneLine(what.join(', '))}`,
    );
    printLines([`Wrote ${count(servers.length, 'server')} to ${file}.`, ...left]);
  }
  return 0;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
