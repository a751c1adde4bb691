/** Stores each change of an app's file with the file's previous content, so that it can be reverted byte for byte. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { RecordFolder } from '../security/record-folder.ts';

export interface AppChange {
  readonly id: string;
  readonly app: string;
  readonly file: string;
  readonly action: 'install' | 'uninstall' | 'repair' | 'import';
  /** In ms since 1970. */
  readonly at: number;
  /** Revisions of the file (`none`: no file). */
  readonly before: string;
  readonly after: string;
  /** A copy of the previous file; empty if there was none. */
  readonly backup: string;
  readonly madeFolder: string | undefined;
  /** Id of the change with which this one is undone; undefined: on its own. */
  readonly partOf?: string | undefined;
}

/** Maximum number of changes; older ones are deleted with their backups. */
const maxChanges = 100;

export class ChangeJournal {
  readonly #folder: string;
  readonly #records: RecordFolder<AppChange>;
  readonly #now: () => number;

  /** `folder`: inside the data folder, private because the files may contain secrets. */
  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#records = new RecordFolder(folder, 'change');
    this.#now = now;
  }

  /** Returns the backup path of a file at that revision. */
  backupPath(app: string, file: string, revision: string): string {
    return join(this.#folder, 'backups', app, `${revision}-${basename(file)}`);
  }

  /** Stores the text, then the change; a change that then fails does no harm. */
  async record(change: Omit<AppChange, 'id' | 'at' | 'backup'>, before: string | undefined): Promise<AppChange> {
    const backup = before === undefined ? '' : this.backupPath(change.app, change.file, change.before);
    const at = this.#now();
    const noted = { ...change, id: `${change.app}-${at.toString(36)}-${randomUUID().slice(0, 4)}`, at, backup };
    if (before !== undefined) {
      await mkdir(dirname(backup), { recursive: true, mode: 0o700 });
      await writeFileAtomic(backup, before);
    }
    await this.#records.write(noted);
    await this.#prune();
    return noted;
  }

  /** Newest first. */
  changes(): Promise<readonly AppChange[]> {
    return this.#records.all();
  }

  /** Rejects with AppError `not_found`. */
  change(id: string): Promise<AppChange> {
    return this.#records.get(id);
  }

  /** The file before a change; undefined if there was none. */
  async contentBefore(change: AppChange): Promise<string | undefined> {
    return change.backup === '' ? undefined : readFile(change.backup, 'utf8');
  }

  /** Deletes it with its copy, unless another change needs that: it may contain secrets. */
  async forget(id: string): Promise<void> {
    const backup = (await this.#records.find(id))?.backup ?? '';
    await this.#records.remove(id);
    const isNeeded = (await this.changes()).some((change) => change.backup === backup);
    if (backup !== '' && !isNeeded) await rm(backup, { force: true });
  }

  async #prune(): Promise<void> {
    for (const { id } of (await this.changes()).slice(maxChanges)) await this.forget(id);
  }
}
