/** The folder of kept answers with its index, opened and put in order. */
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../base/log.ts';
import { isBroken, setAside } from '../base/private-database.ts';
import { openSpillDatabase } from './spill-database.ts';
import { SpillIndex } from './spill-index.ts';
import { sweep } from './spill-sweep.ts';

/** Throws AppError, or what the file system and SQLite throw. */
export async function openSpills(folder: string, log: Log): Promise<SpillIndex> {
  const { database, isNew } = openDatabase(join(folder, 'index.db'), log);
  const index = new SpillIndex(database, folder);
  try {
    const swept = await sweep(folder, index, isNew);
    if (swept.files + swept.rows + swept.adopted > 0) log.info('The store of answers was put in order.', { ...swept });
    return index;
  } catch (error) {
    index.close();
    throw error;
  }
}

/** `isNew`: what lies in the folder is not in the index although it may be whole. */
function openDatabase(file: string, log: Log): { database: DatabaseSync; isNew: boolean } {
  try {
    return { database: checked(openSpillDatabase(file)), isNew: false };
  } catch (error) {
    if (!isBroken(error)) throw error;
    const aside = setAside(file);
    log.warn('The index of kept answers could not be read; it was set aside and a new one begun.', { aside, error });
    return { database: openSpillDatabase(file), isNew: true };
  }
}

/** Damage in the middle of the file shows only when it is read. */
function checked(database: DatabaseSync): DatabaseSync {
  try {
    database.prepare('SELECT * FROM spills').all();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
