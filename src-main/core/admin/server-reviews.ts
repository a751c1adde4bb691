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
import { entryMeanings, secretMeanings } from '../trust/inbox/entry-meanings.ts';
import type { DiffLine, Meaning, Outcome } from '../trust/inbox/inbox-item.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import type { DecisionHistory } from './decision-history.ts';
import { explainEntries } from './explain-change.ts';
import { takeBack, type WrittenEdit } from './take-back.ts';

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
  /** Those of them that tell which secrets it would get. */
  readonly secrets: readonly Meaning[];
}

/** `refuse` takes the entry out of the config file, or puts back what was accepted before. */
export type ReviewChoice = 'accept' | 'refuse' | 'block';

interface ReviewParts {
  readonly config: ConfigStore;
  readonly servers: ServerManager;
  /** For the record. */
  readonly note: (choice: ReviewChoice, what: string, id: string) => void;
  readonly history: Pick<DecisionHistory, 'add'>;
}

interface Reviewed {
  readonly review: ServerReview;
  readonly entry: JsonObject;
  /** What was accepted, where another program has written something else in its place. */
  readonly before: JsonObject | undefined;
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
    const names = [...new Set([...changed, ...held])];
    const text = names.length === 0 ? '' : await readConfigText(config.path);
    // One that was taken out of the file a moment ago waits for nothing.
    const reviews = names.filter((name) => hasServer(text, name)).map((name) => this.#reviewOf(name, text).review);
    return reviews.toSorted((one, other) => Number(one.standing === 'blocked') - Number(other.standing === 'blocked'));
  }

  /** One server, whatever its standing. Rejects with AppError server_not_found. */
  async find(name: string): Promise<ServerReview> {
    return this.#reviewOf(name, await readConfigText(this.#parts.config.path)).review;
  }

  /**
   * The person's word, kept in the history. `id`: of what they saw; an entry may be changed at any time. Rejects with AppError
   * server_not_found, or config_conflict where it is another one now.
   */
  async decide(name: string, choice: ReviewChoice, id: string, by: string): Promise<Outcome> {
    const { config, servers, note, history } = this.#parts;
    const requireSeen = (text: string): Reviewed => {
      const seen = this.#reviewOf(name, text);
      if (seen.review.id === id) return seen;
      throw new AppError('config_conflict', `The entry of ${name} is not what was shown.`, {
        fix: `Look at it as it is now: tooltray review ${name}.`,
      });
    };
    const { entry, before } = requireSeen(await readConfigText(config.path));
    if (choice !== 'refuse') await config.decideOn(name, choice, entry);
    else
      await config.update((text) => {
        requireSeen(text);
        return takeBack(text, { kind: 'entry', server: name, entry, before });
      });
    await servers.apply(config.current.servers);
    const sentence = markHidden(`${said[choice]} the server "${name}".`);
    note(choice, sentence, id);
    const written = await this.#wayBack(name, choice, entry);
    const undo = written && 'What stood in the config file before is put back, and waits for your review.';
    const back = written && { written: [written] };
    const kept = await history.add({ kind: 'review', by, server: name, sentence, undo, back });
    return { sentence, isDone: true, undo: undo && kept };
  }

  /**
   * Only what says itself that nobody has accepted it may be written back: anything else would count as accepted by that. A block is
   * lifted by another review.
   */
  async #wayBack(name: string, choice: ReviewChoice, before: JsonObject): Promise<WrittenEdit | undefined> {
    if (choice === 'block' || before['quarantined'] !== true) return undefined;
    const text = await readConfigText(this.#parts.config.path);
    const entry = hasServer(text, name) ? writtenEntry(text, name) : undefined;
    return { kind: 'entry', server: name, entry, before };
  }

  /** Throws AppError server_not_found. */
  #reviewOf(name: string, text: string): Reviewed {
    if (!hasServer(text, name)) this.#parts.servers.get(name);
    const entry = writtenEntry(text, name);
    const before = this.#before(name);
    const standing = this.#standingOf(name, before);
    const review: ServerReview = {
      ...{ server: name, standing, id: idOf(name, standing, entry, before) },
      lines: explainEntries(standing === 'changed' ? before : undefined, entry),
      meanings: entryMeanings(before, entry),
      secrets: secretMeanings(before, entry),
    };
    return { review, entry, before };
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
