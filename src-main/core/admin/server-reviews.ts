/**
 * Servers that a user has to review before they start, or before another launch replaces the accepted one. A server is
 * accepted, in review or blocked; writing its entry through Tooltray accepts it. No MCP tool can access this.
 */
import { createHash } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import type { JsonDocument } from '../base/json-document.ts';
import { markInvisible } from '../base/visible-text.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { hasServer, rawEntry } from '../config/edit-config.ts';
import { formatCount } from '../base/text-format.ts';
import type { Showing } from '../trust/inbox/inbox.ts';
import type { DiffLine, Consequence, DecisionResult, InboxRisk } from '../trust/inbox/inbox-item.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import type { DecisionHistory } from './decision-history.ts';
import { diffEntries, explainMeanings, launchFacts } from './explain-change.ts';
import type { ServerPreview, ServerPreviewer } from './server-preview.ts';
import { revertEdit, type AppliedEdit } from './revert-edit.ts';

export interface ServerReview {
  readonly server: string;
  /** `changed`: the accepted launch stays in use until the user has decided on the new one. */
  readonly status: 'accepted' | 'changed' | 'in-review' | 'blocked';
  /** Identifies exactly this entry. */
  readonly id: string;
  /** Every line of the entry, verbatim, next to what was accepted before. */
  readonly lines: readonly DiffLine[];
  /** Whether secrets of the lines are shown as `***`. */
  readonly isMasked: boolean;
  /** The consequences of accepting it, most severe first. */
  readonly meanings: readonly Consequence[];
  /** The consequences that concern secrets it would receive. */
  readonly secrets: readonly Consequence[];
  /** The risks that accepting it adds. */
  readonly risks: readonly InboxRisk[];
  /** Its command line or address, with secrets masked. */
  readonly command: string;
  /** Its lists, if the user requested a preview; otherwise undefined. */
  readonly look: ServerPreview | undefined;
}

/** `refuse` removes the entry from the config file, or restores what was accepted before. */
export type ReviewChoice = 'accept' | 'refuse' | 'block';

interface ReviewParts {
  readonly config: ConfigStore;
  readonly servers: ServerManager;
  readonly looks: Pick<ServerPreviewer, 'preview'>;
  /** Records the decision in the audit log. */
  readonly note: (choice: ReviewChoice | 'look', what: string, id: string) => void;
  readonly history: Pick<DecisionHistory, 'add'>;
  /** The latest previews, shared so that a decision applies to what was previewed anywhere. */
  readonly document: JsonDocument;
}

interface Reviewed {
  readonly review: ServerReview;
  readonly entry: JsonObject;
  /** The accepted entry, if another program has replaced it. */
  readonly before: JsonObject | undefined;
}

/** The latest preview of an entry. */
interface Looked {
  readonly entry: string;
  readonly look: ServerPreview;
}

type Looks = ReadonlyMap<string, Looked>;

/** Maximum number of stored previews. */
const maxStoredPreviews = 50;

export class ServerReviews {
  /** Emits after a user has previewed a server. */
  readonly previewed = new Emitter();
  readonly #parts: ReviewParts;

  constructor(parts: ReviewParts) {
    this.#parts = parts;
    parts.document.changed.on(() => this.previewed.emit());
  }

  /** Returns the changed, held and blocked servers, blocked ones last. */
  async pending(showing: Showing = {}): Promise<readonly ServerReview[]> {
    const { config } = this.#parts;
    const changed = config.pendingEdits.flatMap((edit) => (edit.kind === 'entry' ? edit.server : []));
    const held = config.current.servers.flatMap(({ name, held }) =>
      held === 'review' || held === 'blocked' ? name : [],
    );
    const names = [...new Set([...changed, ...held])];
    const text = names.length === 0 ? '' : await config.text();
    // An entry that was just removed from the file needs no review.
    const looks = await this.#looks();
    const reviews = names
      .filter((name) => hasServer(text, name))
      .map((name) => this.#reviewOf(name, text, looks, showing).review);
    return reviews.toSorted((one, other) => Number(one.status === 'blocked') - Number(other.status === 'blocked'));
  }

  /** The review of one server, whatever its status. Rejects with AppError `server_not_found`. */
  async find(name: string): Promise<ServerReview> {
    return this.#reviewOf(name, await this.#parts.config.text(), await this.#looks()).review;
  }

  /**
   * Starts the server once in a sandbox, at the user's request, to see what it lists; the findings are part of the
   * review from then on. `id`: the version that the user saw. Rejects with AppError `server_not_found`,
   * `config_conflict`, or `bad_request` for an accepted server.
   */
  async preview(name: string, id: string): Promise<ServerReview> {
    const { config, looks, note } = this.#parts;
    const { review, entry } = this.#seen(name, id, await config.text(), await this.#looks());
    if (review.status === 'accepted') {
      throw new AppError('bad_request', `${markInvisible(name)} is accepted, so it does not need a preview.`, {
        fix: `Test it: tooltray test ${name}`,
      });
    }
    const look = await looks.preview(name, entry);
    await this.#keep(name, { entry: JSON.stringify(entry), look });
    // Without texts of the server, because the audit log has other readers.
    const came = look.isDone ? `it lists ${formatCount(look.tools, 'tool')}` : 'which failed';
    note('look', markInvisible(`Previewed the server "${name}": ${came}.`), id);
    this.previewed.emit();
    return this.find(name);
  }

  /**
   * The user's decision, stored in the history. `id`: of what they saw, because an entry may change at any time.
   * Rejects with AppError `server_not_found`, or `config_conflict` if the entry has changed.
   */
  async decide(name: string, choice: ReviewChoice, id: string, by: string): Promise<DecisionResult> {
    const { config, servers, note, history } = this.#parts;
    const looks = await this.#looks();
    const { entry, before } = this.#seen(name, id, await config.text(), looks);
    if (choice !== 'refuse') await config.decideServer(name, choice, entry);
    else
      await config.update((text) => {
        this.#seen(name, id, text, looks);
        return revertEdit(text, { kind: 'entry', server: name, entry, before });
      });
    await servers.apply(config.current.servers);
    // A remaining preview belongs to an entry that no longer exists.
    await this.#keep(name, undefined).catch(() => undefined);
    const sentence = markInvisible(`${said[choice]} the server "${name}".`);
    note(choice, sentence, id);
    const written = await this.#wayBack(name, choice, entry);
    const undo = written && 'The previous entry is restored and waits for your review.';
    const back = written && { written: [written] };
    const stored = await history.add({ kind: 'review', by, server: name, sentence, undo, back });
    return { sentence, isDone: true, undo: undo && stored };
  }

  /**
   * The edit that undo writes. Only an entry that is marked as unaccepted may be written back, because any other would
   * count as accepted. A block is lifted by another review.
   */
  async #wayBack(name: string, choice: ReviewChoice, before: JsonObject): Promise<AppliedEdit | undefined> {
    if (choice === 'block' || before['quarantined'] !== true) return undefined;
    const text = await this.#parts.config.text();
    const entry = hasServer(text, name) ? rawEntry(text, name) : undefined;
    return { kind: 'entry', server: name, entry, before };
  }

  /** Throws AppError `config_conflict` if something else was shown. */
  #seen(name: string, id: string, text: string, looks: Looks): Reviewed {
    const seen = this.#reviewOf(name, text, looks);
    if (seen.review.id === id) return seen;
    throw new AppError('config_conflict', `The entry of ${markInvisible(name)} has changed since it was shown.`, {
      fix: `Review the current entry: tooltray inbox show ${name}.`,
    });
  }

  /** Throws AppError `server_not_found`. */
  #reviewOf(name: string, text: string, looks: Looks, showing: Showing = {}): Reviewed {
    if (!hasServer(text, name)) this.#parts.servers.get(name);
    const entry = rawEntry(text, name);
    const before = this.#before(name);
    const status = this.#statusOf(name, before);
    const looked = looks.get(name);
    const look = looked?.entry === JSON.stringify(entry) ? looked.look : undefined;
    const review: ServerReview = {
      server: name,
      status: status,
      id: idOf(name, status, entry, before, look),
      look,
      ...explainMeanings(before, entry, showing),
      ...launchFacts(before, entry),
      ...diffEntries(status === 'changed' ? before : undefined, entry, showing),
    };
    return { review, entry, before };
  }

  async #looks(): Promise<Looks> {
    return looksIn(await this.#parts.document.read());
  }

  /** Newest last. */
  #keep(name: string, looked: Looked | undefined): Promise<void> {
    return this.#parts.document.change((value) => {
      const others = [...looksIn(value)].filter(([other]) => other !== name);
      const next = looked === undefined ? others : [...others, [name, looked] as const];
      return [Object.fromEntries(next.slice(-maxStoredPreviews)), undefined];
    });
  }

  #before(name: string): JsonObject | undefined {
    const edit = this.#parts.config.pendingEdits.find((one) => one.kind === 'entry' && one.server === name);
    return edit?.kind === 'entry' ? edit.before : undefined;
  }

  #statusOf(name: string, before: JsonObject | undefined): ServerReview['status'] {
    const server: ServerConfig | undefined = this.#parts.config.current.servers.find((one) => one.name === name);
    if (server?.held === 'blocked') return 'blocked';
    if (before !== undefined) return 'changed';
    return server?.held === 'review' ? 'in-review' : 'accepted';
  }
}

function looksIn(value: unknown): Looks {
  const looks = Object.entries(objectOrEmpty(value)).filter(([, looked]) => isObject(looked));
  return new Map(looks as unknown as [string, Looked][]);
}

const said: Readonly<Record<ReviewChoice, string>> = { accept: 'Accepted', refuse: 'Refused', block: 'Blocked' };

/** Short, so that a user can type it. */
function idOf(...shown: [name: string, standing: string, JsonObject, JsonObject?, ServerPreview?]): string {
  const text = JSON.stringify(shown);
  return createHash('sha256').update(text).digest('hex').slice(0, 6);
}
