/** Pins of the team's servers, one row each. A decision fails with an error if another replica decided meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  maxPinnedServers,
  parsePins,
  pinName,
  type PinnedServer,
  type PinStore,
  serializePins,
  type ServerPinStore,
} from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import { Emitter } from '../../core/base/emitter.ts';
import { type DocumentTable, type DocumentKey, topicOf } from './document-table.ts';

/** Interval of retries while the database is unavailable, in ms. */
const retryMs = 1000;

type Listen = (topic: string, look: () => void) => () => void;

export class TeamPins implements PinStore {
  readonly #rows: DocumentTable;
  readonly #listen: Listen;
  readonly #signal: AbortSignal;
  readonly #stores = new Map<string, TeamServerPins>();

  /** `signal`: aborts following changes. */
  constructor(rows: DocumentTable, listen: Listen, signal: AbortSignal) {
    this.#rows = rows;
    this.#listen = listen;
    this.#signal = signal;
  }

  forServer(server: string): ServerPinStore {
    const name = `pins/${pinName(server)}`;
    const known = this.#stores.get(name);
    if (known !== undefined) return known;
    const place = new TeamServerPins({ owner: '', name }, this.#rows);
    this.#stores.set(name, place);
    this.#listen(topicOf({ owner: '', name }), () => void place.refresh(this.#signal));
    return place;
  }

  async sweep(): Promise<void> {
    await this.#rows.sql`
      DELETE FROM tooltray.documents WHERE name IN (
        SELECT name FROM tooltray.documents WHERE owner = '' AND name LIKE 'pins/%'
        ORDER BY changed_at DESC OFFSET ${maxPinnedServers}
      )`.catch(() => undefined);
  }
}

class TeamServerPins implements ServerPinStore {
  readonly changed = new Emitter();
  readonly #place: DocumentKey;
  readonly #rows: DocumentTable;
  /** Version last read or written; the next write replaces it. */
  #version: string | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(place: DocumentKey, rows: DocumentTable) {
    this.#place = place;
    this.#rows = rows;
  }

  async read(): Promise<PinnedServer | undefined> {
    const row = await this.#rows.read(this.#place);
    this.#version = row?.version;
    return row && parsePins(row.text, this.#place.name);
  }

  /** Notifies if another replica wrote it, as soon as the database responds. Never rejects. */
  async refresh(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#saving;
        if ((await this.#rows.version(this.#place)) !== this.#version) this.changed.emit();
        return;
      } catch (error) {
        if (!(error instanceof AppError)) return;
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  write(pins: PinnedServer): Promise<void> {
    const saved = this.#saving.then(async () => {
      const version = await this.#rows.write(this.#place, serializePins(pins), this.#version);
      if (version === undefined) throw conflictError(pins.server);
      this.#version = version;
    });
    this.#saving = saved.catch(() => undefined);
    return saved;
  }
}

function conflictError(server: string): AppError {
  return new AppError('config_conflict', `The approvals of ${server} were changed by someone else.`, {
    fix: `Review them again: tooltray inbox show ${server}.`,
  });
}
