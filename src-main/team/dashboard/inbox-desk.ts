/**
 * What of all that waits in a team is one viewer's to see and to decide: a call that wants to send something is its person's, all else is for
 * admins. Whichever replica a page came to, the one where it waits shows it and takes the decision.
 */
import { AppError } from '../../core/base/errors.ts';
import { objectOf, textOr } from '../../core/base/json.ts';
import { shortName } from '../../core/base/shown-text.ts';
import type { Inbox } from '../../core/trust/inbox/inbox.ts';
import type { InboxItem, Outcome } from '../../core/trust/inbox/inbox-item.ts';
import { inboxSummary } from '../../rpc/handlers/inbox.ts';
import type { InboxSummary, RpcMethods } from '../../rpc/contract.ts';
import type { People } from '../people/people.ts';
import type { AnswerQuestion } from '../replicas/inner-questions.ts';
import type { OpenReplicas } from '../replicas/open-replicas.ts';
import type { SharedInbox, WaitingItem } from '../replicas/shared-inbox.ts';
import { isAdmin, type Viewer } from './viewer.ts';

export interface InboxDeskParts {
  /** Of this replica. */
  readonly inbox: Inbox;
  /** There as soon as somebody asks, as the core is. */
  readonly shared: () => SharedInbox;
  /** undefined: it is the only one. */
  readonly replicas: Pick<OpenReplicas, 'registry' | 'questions'> | undefined;
  /** Names of users, by id. Rejects with AppError store_unreachable. */
  readonly namesOf: (users: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

type Decides = Pick<Viewer, 'user' | 'name' | 'role'>;

/** Of questions between replicas. */
export const inboxQuestion = 'inbox';

/** Answers what another replica asks of this one, for a page of this person's. */
export function answerOfInbox(inbox: () => Inbox, people: Pick<People, 'byId'>): AnswerQuestion {
  return async (asked, { user }) => {
    const found = (await people.byId([user])).get(user);
    if (found === undefined || found.isOff)
      throw new AppError('not_allowed', 'Whoever asks is not of the team any more.');
    const here = new OwnInbox(inbox(), { user, ...found });
    const { method, input } = { method: textOr(asked['method']), input: objectOf(asked['input']) };
    if (method === 'item') return here.item(textOr(input['id']));
    if (method === 'decide') return here.decide(input as unknown as RpcMethods['decide']['input']);
    throw new AppError('unsupported', 'Replicas do not ask each other this.');
  };
}

/** All reject with AppError: not_found for what is not theirs to see, as for what never was; store_unreachable. */
export class InboxDesk {
  readonly #parts: InboxDeskParts;
  readonly #viewer: Viewer;
  readonly #here: OwnInbox;

  constructor(parts: InboxDeskParts, viewer: Viewer) {
    this.#parts = parts;
    this.#viewer = viewer;
    this.#here = new OwnInbox(parts.inbox, viewer);
  }

  /** The most urgent first. */
  async waiting(): Promise<readonly InboxSummary[]> {
    const all = (await this.#all()).filter((item) => sees(this.#viewer, item));
    return this.#named(all.map(({ replica: _replica, ...item }) => item));
  }

  async inbox(): Promise<RpcMethods['inbox']['output']> {
    const [items, decided] = await Promise.all([
      this.waiting(),
      // What is remembered of decisions counts for everybody.
      isAdmin(this.#viewer) ? this.#parts.inbox.decided() : [],
    ]);
    return { items, decided };
  }

  async item(id: string, signal: AbortSignal): Promise<InboxItem> {
    const item = await this.#where(id, {
      here: () => this.#here.item(id),
      there: async (replica) => (await this.#ask(replica, 'item', { id }, signal)) as InboxItem,
    });
    const [{ sentence, from } = item] = await this.#named([inboxSummary(item)]);
    return { ...item, sentence, from };
  }

  async decide(input: RpcMethods['decide']['input'], signal: AbortSignal): Promise<Outcome> {
    return this.#where(input.id, {
      here: () => this.#here.decide(input),
      there: async (replica) => {
        const outcome = (await this.#ask(replica, 'decide', input, signal)) as Outcome;
        if (outcome.isDone) this.#parts.shared().leaveOut({ replica, id: input.id });
        return outcome;
      },
    });
  }

  #all(): Promise<readonly WaitingItem[]> {
    return this.#parts.shared().waiting();
  }

  async #where<T>(
    id: string,
    { here, there }: { readonly here: () => Promise<T>; readonly there: (replica: string) => Promise<T> },
  ): Promise<T> {
    const { registry } = this.#parts.replicas ?? {};
    const found = (await this.#all()).find((item) => item.id === id && sees(this.#viewer, item));
    if (found === undefined) throw nothingWaits(id);
    return registry === undefined || found.replica === registry.id ? here() : there(found.replica);
  }

  async #ask(id: string, method: 'item' | 'decide', input: object, signal: AbortSignal): Promise<unknown> {
    const { replicas } = this.#parts;
    const replica = replicas?.registry.find(id);
    const { tenant, user } = this.#viewer;
    if (replicas === undefined || replica === undefined) throw nothingWaits(id);
    return replicas.questions.ask(replica, inboxQuestion, { method, input }, { tenant, user }, signal);
  }

  /** Of whom it is, where that is somebody else. */
  async #named<Item extends InboxSummary>(items: readonly Item[]): Promise<readonly Item[]> {
    const others = items.flatMap(({ person }) => (person === undefined || person === this.#viewer.user ? [] : person));
    const names = others.length === 0 ? new Map<string, string>() : await this.#parts.namesOf(others);
    return items.map((item) => {
      const name = names.get(item.person ?? '');
      if (name === undefined) return item;
      return { ...item, sentence: `${name}’s ${item.sentence}`, from: `${name}’s ${item.from}` };
    });
  }
}

/** What waits at one replica, as somebody may see it and decide on it. */
class OwnInbox {
  readonly #inbox: Inbox;
  readonly #viewer: Decides;

  constructor(inbox: Inbox, viewer: Decides) {
    this.#inbox = inbox;
    this.#viewer = viewer;
  }

  async item(id: string): Promise<InboxItem> {
    const item = await this.#inbox.item(id).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'not_found' ? nothingWaits(id) : error;
    });
    if (!sees(this.#viewer, item)) throw nothingWaits(id);
    return forViewer(this.#viewer, item);
  }

  async decide({ id, action, parts }: RpcMethods['decide']['input']): Promise<Outcome> {
    const { actions } = await this.item(id);
    if (!actions.some((one) => one.id === action)) {
      throw new AppError('bad_request', `${shortName(action)} is no answer of yours to ${shortName(id)}.`, {
        fix: `Answers: ${actions.map((one) => one.id).join(', ')}.`,
      });
    }
    return this.#inbox.decide(id, { action, parts, by: `${this.#viewer.name}, dashboard` });
  }
}

function sees({ user, role }: Pick<Viewer, 'user' | 'role'>, { person }: Pick<InboxSummary, 'person'>): boolean {
  return person === user || role === 'admin';
}

/** Whoever decides was shown what they decide on: what somebody’s app wrote is nobody else's to read, so they cannot let it go as it is. */
function forViewer({ user, role }: Decides, item: InboxItem): InboxItem {
  const { person } = item;
  if (person === undefined) return item;
  const isTheirs = person === user;
  return {
    ...item,
    parts: item.parts.map((part) => ({ ...part, lines: part.lines.filter((line) => isTheirs || !line.isPrivate) })),
    actions: item.actions.filter(
      ({ whose }) => whose === undefined || (whose === 'theirs' ? isTheirs : role === 'admin'),
    ),
  };
}

function nothingWaits(id: string): AppError {
  return new AppError('not_found', `Nothing waits for you under ${shortName(id)}.`, {
    fix: 'It was decided already, is another one now, or its time is over: look at what waits.',
  });
}
