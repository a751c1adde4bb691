/** Imports servers into our config and, if requested, removes them from their apps; undone as a whole. */
import { AppError, errorText } from '../base/errors.ts';
import { type JsonObject, objectOrEmpty, textOrEmpty } from '../base/json.ts';
import { Masker, opaqueSecrets, secretValues } from '../base/mask.ts';
import type { FoundSecret } from '../secrets/find-plaintext-secrets.ts';
import type { SecretService } from '../secrets/secret-service.ts';
import { type AppConfigFile, changeAppFile, readAppFile, revisionOf } from './update-app-file.ts';
import type { AppChange, ChangeJournal } from './change-journal.ts';
import { configFormatFor } from './app-files.ts';
import type { ImportedServer } from '../config/dialects/read-servers.ts';
import type { ImportOffer, OfferSource } from './import-offers.ts';
import type { KnownApp } from './known-app.ts';
import type { ImportHistory } from './import-history.ts';
import { type ChangedLine, changedLines } from './text-diff.ts';
import { undoChange } from './undo-app-change.ts';

export interface ImportDeps {
  readonly journal: ChangeJournal;
  readonly records: ImportHistory;
  /** Names in use in our config. */
  readonly names: () => Promise<readonly string[]>;
  readonly add: (servers: readonly ImportedServer[]) => Promise<void>;
  /** Resolves to those that existed. */
  readonly remove: (servers: readonly string[]) => Promise<readonly string[]>;
  /** Moves likely secrets into the vault. */
  readonly secrets: Pick<SecretService, 'sealEntry' | 'importKeyring' | 'copies'>;
  /** Gives the app access to Tooltray. */
  readonly grant: (app: KnownApp) => Promise<void>;
  /** Returns the text of an app's file with our entry in it. */
  readonly connect: (text: string, place: AppConfigFile) => string | Promise<string>;
}

export interface ImportRequest {
  readonly offer: ImportOffer;
  /** The server's name here. */
  readonly name: string;
}

/** How servers are imported. */
export interface ImportOptions {
  /** Also removes the servers from the apps they came from. */
  readonly move: boolean;
  /** Whether likely secrets move into the vault and our config gets references. */
  readonly seal: boolean;
  /** With `move`: the only files that change. Tooltray's entry is added to each, even if no server is removed. */
  readonly places?: readonly AppConfigFile[];
}

export interface ImportOutcome {
  readonly added: readonly string[];
  readonly sealed: readonly FoundSecret[];
  /** Files that still contain a value that was encrypted. */
  readonly copies: readonly string[];
  readonly sentence: string;
  /** For `undoImport`; undefined if nothing was done. */
  readonly undo: string | undefined;
}

/**
 * Existing servers are not added twice, but still moved. Rejects with AppError
 * `config_conflict`, and with `secret_locked` and nothing changed.
 */
export async function importServers(
  wishes: readonly ImportRequest[],
  { move, seal, places: only }: ImportOptions,
  deps: ImportDeps,
): Promise<ImportOutcome> {
  const asWritten = newServers(wishes, await deps.names());
  const encrypted = seal
    ? await sealAll(asWritten, deps)
    : { servers: asWritten, sealed: [], values: [], problems: [] };
  const { servers, sealed, values } = encrypted;
  if (servers.length > 0) await deps.add(servers);
  const added = servers.map(({ name }) => name);
  const moved = move ? await moveAll(filesToChange(wishes, only), deps) : { changes: [], problems: [] };
  const { changes, problems } = moved;
  const undo =
    added.length + changes.length === 0
      ? undefined
      : (
          await deps.records.record({
            added,
            offers: asWritten.map(({ offer }) => offer),
            changes: changes.map(({ id }) => id),
            sealed: [...new Set(sealed.map(({ name }) => name))],
          })
        ).id;
  const places = wishes.flatMap(({ offer }) => offer.places.map(({ file }) => file));
  const copies = values.length === 0 ? [] : await deps.secrets.copies(values, places);
  const said = [
    listed('Added:', added) || 'No new servers.',
    listed(
      'Stored in the vault:',
      sealed.map(({ name }) => name),
    ),
    listed(
      'Replaced by Tooltray in',
      changes.map(({ file }) => file),
    ),
  ];
  const sentence = [...said, ...encrypted.problems, ...problems].filter(Boolean).join(' ');
  return { added, sealed, copies, undo, sentence };
}

/**
 * Undoes an import. Rejects with AppError `not_found`, or with `config_conflict` and nothing changed if an app's file
 * has changed since.
 */
export async function undoImport(id: string, deps: ImportDeps): Promise<string> {
  const { added, changes, sealed = [] } = await deps.records.get(id);
  const noted = await Promise.all(changes.map((change) => deps.journal.change(change)));
  for (const change of noted) await requireUnchanged(change);
  for (const { id: change } of [...noted].reverse()) await undoChange(change, deps.journal);
  // Compared with the file, not with the running servers, because an invalid entry is removed, too.
  const gone = added.length === 0 ? [] : await deps.remove(added);
  await deps.records.forget(id);
  const files = list(noted.map(({ file }) => file));
  const isBack = files === '' ? '' : `${files} ${noted.length === 1 ? 'was' : 'were'} restored.`;
  // The vault may hold the only copy, for example of a pasted text.
  return [listed('Removed:', gone), isBack, listed('Secrets that stay in the vault:', sealed)]
    .filter(Boolean)
    .join(' ');
}

/** Each value is stored in the vault, and read back, before anything else is written. */
async function sealAll(servers: readonly ImportedServer[], { secrets }: ImportDeps) {
  const all = {
    servers: [] as ImportedServer[],
    sealed: [] as FoundSecret[],
    values: [] as string[],
    problems: [] as string[],
  };
  for (const server of servers) {
    const { entry, moved, values } = await secrets.sealEntry(server.name, server.entry);
    const keyring = await secrets.importKeyring(server.name, server.entry);
    all.servers.push({ ...server, entry });
    all.sealed.push(...moved, ...keyring.moved);
    all.values.push(...values);
    all.problems.push(...keyring.problems);
  }
  return all;
}

interface NewServer extends ImportedServer {
  /** Id of the offer. */
  readonly offer: string;
}

function newServers(wishes: readonly ImportRequest[], names: readonly string[]): NewServer[] {
  const servers: NewServer[] = [];
  for (const { offer, name } of wishes) {
    if (offer.already !== undefined) continue;
    const wanted = name.trim();
    const taken = [...names, ...servers.map((server) => server.name)];
    // A name that the user chose must be free; any other may get a number.
    const isChosen = wanted !== offer.name;
    if (wanted === '' || (isChosen && taken.includes(wanted))) throw nameTaken(wanted);
    servers.push({ name: freeName(wanted, taken), entry: offer.entry, offer: offer.id });
  }
  return servers;
}

/** A config file in which our entry replaces these entries. */
interface FileToChange {
  readonly place: AppConfigFile;
  readonly entries: readonly OfferSource[];
}

function filesToChange(wishes: readonly ImportRequest[], only?: readonly AppConfigFile[]): readonly FileToChange[] {
  const byFile = Map.groupBy(
    wishes.flatMap(({ offer }) => offer.places),
    ({ file }) => file,
  );
  if (only !== undefined) return only.map((place) => ({ place, entries: byFile.get(place.file) ?? [] }));
  return [...byFile.values()].flatMap((entries) => (entries[0] === undefined ? [] : [{ place: entries[0], entries }]));
}

async function moveAll(
  files: readonly FileToChange[],
  deps: ImportDeps,
): Promise<{ changes: readonly AppChange[]; problems: readonly string[] }> {
  const changes: AppChange[] = [];
  const problems: string[] = [];
  for (const one of files) {
    const { place } = one;
    try {
      // One change per file, so that it is undone as a whole.
      const edit = async (text: string | undefined): Promise<string | undefined> => {
        const edited = await replaceEntries(text, one, deps);
        if (edited !== undefined) await deps.grant(place.app);
        return edited;
      };
      const change = await changeAppFile(place, { action: 'import', edit }, deps.journal);
      if (change !== undefined) changes.push(change);
    } catch (error) {
      problems.push(`${place.file} was not changed: ${errorText(error)}`);
    }
  }
  return { changes, problems };
}

async function replaceEntries(
  text: string | undefined,
  { place, entries }: FileToChange,
  { connect }: Pick<ImportDeps, 'connect'>,
): Promise<string | undefined> {
  if (text === undefined && entries.length > 0) return undefined;
  const { remove } = configFormatFor(place.app);
  return connect(
    entries.reduce((edited, { path }) => remove(edited, path), text ?? ''),
    place,
  );
}

/** The planned change of one config file. */
export interface FileChange {
  readonly app: string;
  readonly file: string;
  /** Path of the backup; empty if there is no file yet. */
  readonly backup: string;
  /** Number of removed entries. */
  readonly removed: number;
  readonly diff: readonly ChangedLine[];
  /** Why the file cannot be changed; undefined if it can. */
  readonly problem?: string;
}

/** Plans what `importServers` would change in these files; writes nothing. Secrets are masked. */
export function planImport(
  wishes: readonly ImportRequest[],
  places: readonly AppConfigFile[],
  deps: Pick<ImportDeps, 'connect' | 'journal'>,
): Promise<readonly FileChange[]> {
  const masker = new Masker(wishes.flatMap(({ offer }) => secretTexts(offer.entry)));
  const plan = async (one: FileToChange): Promise<FileChange> => {
    const { app, file } = one.place;
    const facts = { app: app.id, file, removed: one.entries.length };
    try {
      const before = await readAppFile(file);
      const after = await replaceEntries(before, one, deps);
      const backup = before === undefined ? '' : deps.journal.backupPath(app.id, file, revisionOf(before));
      const diff = changedLines(before ?? '', after ?? '').map((line) => ({
        ...line,
        text: masker.maskText(line.text),
      }));
      return { ...facts, backup, diff };
    } catch (error) {
      return { ...facts, backup: '', diff: [], problem: errorText(error) };
    }
  };
  return Promise.all(filesToChange(wishes, places).map(plan));
}

/** Values of an entry's variables and headers that are likely secrets. */
function secretTexts(entry: JsonObject): readonly string[] {
  const { env, headers } = entry;
  const texts = Object.entries({ ...objectOrEmpty(env), ...objectOrEmpty(headers) });
  const named = secretValues(Object.fromEntries(texts.map(([name, value]) => [name, textOrEmpty(value)])));
  return [...named, ...opaqueSecrets(entry)];
}

async function requireUnchanged({ file, after, before }: AppChange): Promise<void> {
  const revision = revisionOf(await readAppFile(file));
  if (revision === after || revision === before) return;
  throw new AppError('config_conflict', `${file} was changed by another program since then, so nothing was undone.`, {
    fix: 'Correct the file manually, or remove the servers one by one.',
  });
}

function nameTaken(name: string): AppError {
  const what = name === '' ? 'The server name is missing.' : `A server named "${name}" already exists.`;
  return new AppError('config_conflict', what, { fix: 'Choose another name.' });
}

/** Empty for no items. */
function listed(what: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${what} ${list(items)}.`;
}

function list(items: readonly string[]): string {
  return [...new Set(items)].join(', ');
}

// Finds free names for imported servers: a name in use gets a number.

/** A name like `wanted` that is not in `taken`, ignoring case. */
function freeName(wanted: string, taken: Iterable<string>): string {
  const used = new Set([...taken].map((name) => name.toLowerCase()));
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!used.has(name.toLowerCase())) return name;
  }
}
