/**
 * The inbox as one viewer may see and decide it: a held call belongs to its user, everything else to administrators. A
 * user's calls run on the replica that serves their page, so no other replica is asked.
 */
import type { DecisionResult, Inbox, InboxItem } from '../../core/edition.ts';
import { inboxSummary } from '../../rpc/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import { truncateName } from '../../core/base/visible-text.ts';
import type { InboxSummary, RpcMethods } from '../../rpc/contract.ts';
import { isAdmin, type Viewer } from './viewer.ts';

export interface InboxServiceDeps {
  readonly inbox: Inbox;
  /** Names of users, by ID. Rejects with AppError `store_unreachable`. */
  readonly namesOf: (users: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

type Decides = Pick<Viewer, 'user' | 'name' | 'role'>;

/**
 * All methods reject with AppError `store_unreachable`, or `not_found` if the item does not exist or the viewer may
 * not see it.
 */
export class InboxService {
  readonly #parts: InboxServiceDeps;
  readonly #viewer: Decides;

  constructor(parts: InboxServiceDeps, viewer: Decides) {
    this.#parts = parts;
    this.#viewer = viewer;
  }

  /** Most urgent first. */
  async waiting(): Promise<readonly InboxSummary[]> {
    const all = (await this.#parts.inbox.items()).map(inboxSummary);
    return this.#named(all.filter((item) => sees(this.#viewer, item)));
  }

  async inbox(): Promise<RpcMethods['inbox']['output']> {
    const [items, decided] = await Promise.all([
      this.waiting(),
      // Remembered decisions apply to everybody.
      isAdmin(this.#viewer) ? this.#parts.inbox.decided() : [],
    ]);
    return { items, decided };
  }

  async item(id: string): Promise<InboxItem> {
    const item = await this.#find(id);
    const [{ title, sentence, from } = item] = await this.#named([inboxSummary(item)]);
    return { ...item, title, sentence, from };
  }

  async decide({ id, action, parts }: RpcMethods['decide']['input']): Promise<DecisionResult> {
    const { actions } = await this.#find(id);
    if (!actions.some((one) => one.id === action)) {
      throw new AppError('bad_request', `${truncateName(action)} is not a valid decision for ${truncateName(id)}.`, {
        fix: `Answers: ${actions.map((one) => one.id).join(', ')}.`,
      });
    }
    return this.#parts.inbox.decide(id, { action, parts, by: `${this.#viewer.name}, dashboard` });
  }

  async #find(id: string): Promise<InboxItem> {
    const item = await this.#parts.inbox.item(id).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'not_found' ? itemNotFound(id) : error;
    });
    if (!sees(this.#viewer, item)) throw itemNotFound(id);
    return forViewer(this.#viewer, item);
  }

  /** Adds the owner if it is another user. */
  async #named<Item extends InboxSummary>(items: readonly Item[]): Promise<readonly Item[]> {
    const others = items.flatMap(({ user }) => (user === undefined || user === this.#viewer.user ? [] : user));
    const names = others.length === 0 ? new Map<string, string>() : await this.#parts.namesOf(others);
    return items.map((item) => {
      const name = names.get(item.user ?? '');
      if (name === undefined) return item;
      const [title, sentence, from] = [item.title, item.sentence, item.from].map((text) => `${name}’s ${text}`);
      return { ...item, title, sentence, from };
    });
  }
}

function sees({ user, role }: Pick<Viewer, 'user' | 'role'>, item: Pick<InboxSummary, 'user'>): boolean {
  return item.user === user || role === 'admin';
}

/** Adapts an item for the viewer. Another user's payload is hidden, so the viewer cannot approve it unseen. */
function forViewer({ user, role }: Decides, item: InboxItem): InboxItem {
  if (item.user === undefined) return item;
  const isTheirs = item.user === user;
  return {
    ...item,
    parts: item.parts.map((part) => ({ ...part, lines: part.lines.filter((line) => isTheirs || !line.isPrivate) })),
    actions: item.actions.filter(
      ({ authority }) => authority === undefined || (authority === 'theirs' ? isTheirs : role === 'admin'),
    ),
  };
}

function itemNotFound(id: string): AppError {
  return new AppError('not_found', `No pending item with the ID ${truncateName(id)}.`, {
    fix: 'It was already decided, has changed, or has expired. Reload the inbox.',
  });
}
