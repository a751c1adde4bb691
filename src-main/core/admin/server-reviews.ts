/**
 * Servers that a person has to look at before they start, or before another launch takes the place of the accepted one. A server is
 * accepted, in review or blocked; who writes its entry through Tooltray has accepted it by that. No MCP tool leads here.
 */
import { createHash } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { markHidden } from '../base/shown-text.ts';
import type { ServerConfig } from '../config/app-config.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { hasServer, writtenEntry } from '../config/edit-config.ts';
import { readConfigText } from '../config/update-config-file.ts';
import { entryMeanings } from '../trust/inbox/entry-meanings.ts';
import type { DiffLine, Meaning } from '../trust/inbox/inbox-item.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import { explainEntries } from './explain-change.ts';
import { takeBack } from './take-back.ts';

export interface ServerReview {
  readonly server: string;
  /** `changed`: the accepted launch stays in use until the person has decided on another one. */
  readonly standing: 'accepted' | 'changed' | 'in-review' | 'blocked';
  /** Stands for this entry and no other. */
  readonly id: string;
  /** Every line of the entry, verbatim, beside what was accepted before. */
  readonly lines: readonly DiffLine[];
  /** What accepting it would mean, gravest first. */
  readonly meanings: readonly Meaning[];
}

/** `refuse` takes the entry out of the config file, or puts back what was accepted before. */
export type ReviewChoice = 'accept' | 'refuse' | 'block';

interface ReviewParts {
  readonly config: ConfigStore;
  readonly servers: ServerManager;
  /** For the record. */
  readonly note: (choice: ReviewChoice, what: string, id: string) => void;
}

export class ServerReviews {
  readonly #parts: ReviewParts;

  constructor(parts: ReviewParts) {
    this.#parts = parts;
  }

  /** Those that are not simply accepted, those that wait first. */
  async waiting(): Promise<readonly ServerReview[]> {
    const { config } = this.#parts;
    const changed = config.waiting.flatMap((edit) => (edit.kind === 'entry' ? edit.server : []));
    const held = config.current.servers.flatMap(({ name, held }) =>
      held === 'review' || held === 'blocked' ? name : [],
    );
    const reviews = await Promise.all([...new Set([...changed, ...held])].map((name) => this.find(name)));
    return reviews.toSorted((one, other) => Number(one.standing === 'blocked') - Number(other.standing === 'blocked'));
  }

  /** One server, whatever its standing. Rejects with AppError server_not_found. */
  async find(name: string): Promise<ServerReview> {
    const { config, servers } = this.#parts;
    const text = await readConfigText(config.path);
    if (!hasServer(text, name)) servers.get(name);
    const entry = writtenEntry(text, name);
    const before = this.#before(name);
    const standing = this.#standingOf(name, before);
    return {
      ...{ server: markHidden(name), standing, id: idOf(name, standing, entry, before) },
      lines: explainEntries(standing === 'changed' ? before : undefined, entry),
      meanings: entryMeanings(before, entry),
    };
  }

  /**
   * The person's word; resolves with what was done. `id`: of what they saw; an entry may be changed at any time. Rejects with AppError server_not_found, config_conflict
   * where it is another one now.
   */
  async decide(name: string, choice: ReviewChoice, id: string): Promise<string> {
    const { config, servers, note } = this.#parts;
    const text = await readConfigText(config.path);
    const seen = await this.find(name);
    if (seen.id !== id) throw changedMeanwhile(name);
    const before = this.#before(name);
    const entry = writtenEntry(text, name);
    if (choice !== 'refuse') await config.decideOn(name, choice, entry);
    else
      await config.update((now) => {
        if (idOf(name, seen.standing, writtenEntry(now, name), before) !== id) throw changedMeanwhile(name);
        return takeBack(now, { kind: 'entry', server: name, entry, before });
      });
    await servers.apply(config.current.servers);
    const sentence = markHidden(`${said[choice]} the server "${name}".`);
    note(choice, sentence, id);
    return sentence;
  }

  #before(name: string): JsonObject | undefined {
    const edit = this.#parts.config.waiting.find((one) => one.kind === 'entry' && one.server === name);
    return edit?.kind === 'entry' ? edit.before : undefined;
  }

  #standingOf(name: string, before: JsonObject | undefined): ServerReview['standing'] {
    const server: ServerConfig | undefined = this.#parts.config.current.servers.find((one) => one.name === name);
    if (server?.held === 'blocked') return 'blocked';
    if (before !== undefined) return 'changed';
    return server?.held === 'review' ? 'in-review' : 'accepted';
  }
}

const said: Readonly<Record<ReviewChoice, string>> = { accept: 'Accepted', refuse: 'Refused', block: 'Blocked' };

/** Short, so that a person can type it. */
function idOf(name: string, standing: string, entry: JsonObject, before: JsonObject | undefined): string {
  const text = JSON.stringify([name, standing, entry, before ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, 6);
}

function changedMeanwhile(name: string): AppError {
  return new AppError('config_conflict', `The entry of ${name} is not what was shown.`, {
    fix: `Look at it as it is now: tooltray review ${name}.`,
  });
}
