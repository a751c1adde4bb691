/** `tooltray kit`: the kits there are, their servers added and taken out again, and servers written as one. */
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { brokenKit, kitNotFound, loadKitChanges, taggedWith, unloadKitChanges } from '../core/admin/kit-changes.ts';
import { editConfig, type ServerChange } from '../core/admin/server-change.ts';
import { writeFileAtomic } from '../core/base/atomic-file.ts';
import { AppError } from '../core/base/errors.ts';
import { maskObject } from '../core/base/mask-secrets.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { type EntryNotes, readEntryNotes } from '../core/config/entry-notes.ts';
import { exportKit, type KitExport } from '../core/config/export-kit.ts';
import { kitFolders, type KitReading, readKits } from '../core/config/kits.ts';
import { readConfigText } from '../core/config/read-config-text.ts';
import { columns } from './columns.ts';
import { count } from './count.ts';
import { openCliConfig } from './open-cli-config.ts';
import { oneLine } from './plain-text.ts';
import { paint, printJson, printLines } from './print.ts';
import { commonFlags, readFlags, wrongUse } from './read-flags.ts';

interface KitHome extends KitReading {
  readonly store: ConfigStore;
  readonly text: string;
  readonly notes: ReadonlyMap<string, EntryNotes>;
}

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values, positionals } = readFlags(args, { ...commonFlags, output: { type: 'string' } }, [1, 2], form);
  const [action, name] = positionals;
  const home = await readHome(values.config);
  const json = values.json === true;
  if (action === 'list' && name === undefined) return list(home, json);
  if (name !== undefined && action === 'info') return info(home, name, json);
  if (name !== undefined && action === 'load') return change(home, loadKitChanges(name, home, home.notes), name, json);
  if (name !== undefined && action === 'unload') return change(home, unloadKitChanges(name, home.notes), name, json);
  if (action !== 'export') throw wrongUse(`"${action}" is not understood`, form);
  const exported = exportFrom(home, name);
  return values.output === undefined ? print(exported) : write(exported, values.output, values.json === true);
}

async function readHome(config: string | undefined): Promise<KitHome> {
  const store = await openCliConfig(config);
  const folders = kitFolders(store.path, process.env, process.cwd());
  const [text, reading] = await Promise.all([readConfigText(store.path), readKits(folders)]);
  return { store, text, ...reading, notes: readEntryNotes(text) };
}

/** A kit with its servers, secrets masked. Throws AppError not_found, config_invalid. */
function info({ kits, broken, notes }: KitHome, name: string, json: boolean): number {
  const kit = kits.find((one) => one.name === name);
  const file = broken.find((one) => one.name === name);
  if (kit === undefined) throw file === undefined ? kitNotFound(name, kits) : brokenKit(file);
  const loaded = taggedWith(name, notes).length > 0;
  const shown = { ...kit, servers: maskObject(kit.servers), loaded };
  if (json) printJson(shown);
  else {
    const { description = '', author = '', version = '' } = kit;
    printLines([
      `${paint('head', oneLine(name))}  ${loaded ? paint('good', 'loaded') : 'not loaded'}`,
      ...[description, [author, version].filter(Boolean).join(', ')].filter(Boolean).map(oneLine),
      oneLine(kit.path),
      ...Object.entries(shown.servers as object).map(
        ([server, entry]) => `  ${oneLine(server)}: ${oneLine(JSON.stringify(entry))}`,
      ),
    ]);
  }
  return 0;
}

/** All of it in one edit, as the person's own. */
async function change(
  { store }: KitHome,
  changes: readonly ServerChange[],
  kit: string,
  json: boolean,
): Promise<number> {
  const { isolateCommands } = store.current;
  if (changes.length > 0)
    await store.update((text) => changes.reduce((edited, one) => editConfig(edited, one, isolateCommands), text));
  const done: Readonly<Partial<Record<ServerChange['kind'], string>>> = { add: 'Added', remove: 'Removed' };
  const lines = changes.map(({ kind, server }) => `${done[kind] ?? 'Tagged'}: ${oneLine(server)}`);
  if (json) printJson({ kit, file: store.path, changes: changes.map(({ kind, server }) => ({ kind, server })) });
  else printLines(lines.length === 0 ? ['Nothing to change.'] : lines);
  return 0;
}

function list({ kits, broken, notes }: KitHome, json: boolean): number {
  const rows = kits.map(({ name, description = '', servers }) => {
    return { name, loaded: taggedWith(name, notes).length > 0, servers: Object.keys(servers), description };
  });
  const faults = broken.map(({ path, reason }) => `${path}: ${reason}`);
  if (json) printJson({ kits: rows, broken });
  else if (rows.length === 0)
    printLines([
      'No kits. They are files in the folder kit.d beside the config file.',
      ...faults.map((fault) => paint('bad', oneLine(fault))),
    ]);
  else {
    const head = ['NAME', 'STATE', 'SERVERS', 'ABOUT'].map((word) => paint('head', word));
    const lines = rows.map(({ name, loaded, servers, description }) => [
      oneLine(name),
      loaded ? paint('good', 'loaded') : 'not loaded',
      oneLine(servers.join(', ')),
      oneLine(description),
    ]);
    printLines([...columns([head, ...lines]), ...faults.map((fault) => paint('bad', oneLine(fault)))]);
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
