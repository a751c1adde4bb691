/** `tooltray kit`: the kits there are, their servers added and taken out again, and servers written as one. */
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { brokenKit, kitNotFound, loadKitChanges, taggedWith, unloadKitChanges } from '../../core/admin/kit-changes.ts';
import { explainEntry } from '../../core/admin/explain-change.ts';
import { editConfig, forReview, type ServerChange } from '../../core/admin/server-change.ts';
import { writeFileAtomic } from '../../core/base/atomic-file.ts';
import { AppError } from '../../core/base/errors.ts';
import { markHidden, markHiddenIn } from '../../core/base/shown-text.ts';
import { count } from '../../core/base/wording.ts';
import type { ConfigStore } from '../../core/config/config-store.ts';
import {
  type EntryNotes,
  exportKit,
  type KitExport,
  kitFolders,
  type KitReading,
  readEntryNotes,
  readKits,
} from '../../core/config/kits.ts';
import { readConfigText } from '../../core/config/update-config-file.ts';
import { openCliConfig } from '../cli-config.ts';
import { command, commonFlags } from '../command.ts';
import { confirm, notDone, oneLine, paint, printAnswer, printJson, printLines, table } from '../terminal.ts';

interface KitHome extends KitReading {
  readonly store: ConfigStore;
  readonly text: string;
  readonly notes: ReadonlyMap<string, EntryNotes>;
}

export const kit = command({
  actions: {
    list: { help: 'the kits in kit.d beside the config file, and where Magg has them' },
    info: { words: 'NAME', help: 'one kit with its servers' },
    load: { words: 'NAME', help: 'add its servers, once you have seen what they would run' },
    unload: { words: 'NAME', help: 'take out those that only it brought' },
    export: { words: '[NAME]', help: 'a loaded kit, or all servers, as a kit file; secrets are left out' },
  },
  flags: {
    output: { value: 'F', help: 'export into this file instead of printing it' },
    yes: { help: 'load it without being asked' },
    ...commonFlags,
  },
  notes: ['Where nobody can be asked, and without --yes, what load adds waits for your review: tooltray review NAME.'],
  async run({ output, config, json, yes }, [name], action) {
    const home = await readHome(config);
    if (action === 'list') list(home, json);
    else if (action === 'export') await write(exportFrom(home, name), output, json);
    else if (action === 'info') info(home, name ?? '', json);
    else if (action === 'load') return load(home, name ?? '', { yes, json });
    else await change(home, name ?? '', unloadKitChanges(name ?? '', home.notes), json);
    return 0;
  },
});

async function readHome(config: string | undefined): Promise<KitHome> {
  const store = await openCliConfig(config);
  const folders = kitFolders(store.path, process.env, process.cwd());
  const [text, reading] = await Promise.all([readConfigText(store.path), readKits(folders)]);
  return { store, text, ...reading, notes: readEntryNotes(text) };
}

/** A kit with its servers, verbatim: who loads it agrees to what stands here. Throws AppError not_found, config_invalid. */
function info({ kits, broken, notes }: KitHome, name: string, json: boolean): void {
  const kit = kits.find((one) => one.name === name);
  const file = broken.find((one) => one.name === name);
  if (kit === undefined) throw file === undefined ? kitNotFound(name, kits) : brokenKit(file);
  const loaded = taggedWith(name, notes).length > 0;
  const shown = { ...kit, servers: markHiddenIn(kit.servers), loaded };
  const { description = '', author = '', version = '' } = kit;
  printAnswer(json, shown, () => [
    `${paint('head', oneLine(name))}  ${stateText(loaded)}`,
    ...[description, [author, version].filter(Boolean).join(', ')].filter(Boolean).map(oneLine),
    oneLine(kit.path),
    ...Object.entries(kit.servers).flatMap(([server, entry]) => [
      `  ${oneLine(markHidden(server))}`,
      ...explainEntry(entry).map(({ text }) => `    ${text}`),
    ]),
  ]);
}

function stateText(isLoaded: boolean): string {
  return isLoaded ? paint('good', 'loaded') : 'not loaded';
}

/** What is seen and agreed to is accepted by that; what nobody saw is added for the review. Resolves to the exit code. */
async function load(home: KitHome, kit: string, { yes, json }: { yes: boolean; json: boolean }): Promise<number> {
  const changes = loadKitChanges(kit, home, home.notes);
  const added = changes.flatMap((one) => (one.kind === 'add' ? one : []));
  if (!json) {
    const lines = added.flatMap(({ server, entry }) => [
      `${oneLine(markHidden(server))}:`,
      ...explainEntry(entry).map(({ text }) => `  ${text}`),
    ]);
    if (lines.length > 0) printLines([`Servers of the kit ${oneLine(kit)}, and what they would run:`, ...lines, '']);
  }
  const agreed = added.length === 0 || (await confirm('Add them?', yes));
  if (agreed === false) {
    if (json) printJson({ kit, file: home.store.path, changes: [] });
    else printLines([notDone(agreed)]);
    return 1;
  }
  await change(home, kit, agreed === true ? changes : changes.map(forReview), json);
  return 0;
}

/** All of it in one edit, as the person's own. */
async function change({ store }: KitHome, kit: string, changes: readonly ServerChange[], json: boolean): Promise<void> {
  if (changes.length > 0) await store.update((text) => changes.reduce((edited, one) => editConfig(edited, one), text));
  const lines = changes.map((one) => {
    const server = oneLine(markHidden(one.server));
    return `${waits(one) ? 'Added for your review' : (done[one.kind] ?? 'Tagged')}: ${server}`;
  });
  const inReview = changes.flatMap((one) => (waits(one) ? one.server : []));
  const data = { kit, file: store.path, changes: changes.map(({ kind, server }) => ({ kind, server })), inReview };
  const after =
    inReview.length === 0 ? [] : ['', 'They are not started before you have accepted them: tooltray review.'];
  printAnswer(json, data, () => (lines.length === 0 ? ['Nothing to change.'] : [...lines, ...after]));
}

const done: Readonly<Partial<Record<ServerChange['kind'], string>>> = { add: 'Added', remove: 'Removed' };

function waits(change: ServerChange): boolean {
  return change.kind === 'add' && change.entry['quarantined'] === true;
}

function list({ kits, broken, notes }: KitHome, json: boolean): void {
  const rows = kits.map(({ name, description = '', servers }) => {
    return { name, loaded: taggedWith(name, notes).length > 0, servers: Object.keys(servers), description };
  });
  printAnswer(json, { kits: rows, broken }, () => {
    const lines = rows.map(({ name, loaded, servers, description }) => [
      oneLine(name),
      stateText(loaded),
      oneLine(servers.join(', ')),
      oneLine(description),
    ]);
    const faults = broken.map(({ path, reason }) => paint('bad', oneLine(`${path}: ${reason}`)));
    const none = ['No kits. They are files in the folder kit.d beside the config file.'];
    return [...(rows.length === 0 ? none : table(['NAME', 'STATE', 'SERVERS', 'ABOUT'], lines)), ...faults];
  });
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

async function write({ kit, secrets }: KitExport, output: string | undefined, json: boolean): Promise<void> {
  // Stdout is the kit file and nothing else, so that it can be redirected.
  if (output === undefined) return printJson(kit);
  const file = resolve(output);
  if (await exists(file)) {
    throw new AppError('config_conflict', `${file} is there already.`, {
      fix: 'Name another file, or remove it first.',
    });
  }
  await writeFileAtomic(file, `${JSON.stringify(kit, null, 2)}\n`, { mode: 0o600 });
  const servers = Object.keys(kit['servers'] as object);
  printAnswer(json, { file, servers, secrets }, () => [
    `Wrote ${count(servers.length, 'server')} to ${file}.`,
    ...Object.entries(secrets).map(
      ([server, what]) => `Not written of ${oneLine(server)}: ${oneLine(what.join(', '))}`,
    ),
  ]);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
