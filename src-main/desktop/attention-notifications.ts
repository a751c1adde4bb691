/** Turns what waits for a user into notifications, while they are not looking at the dashboard. */
import { Notification } from 'electron';
import type { AttentionAction, AttentionItem } from '../rpc/contract.ts';

interface AttentionNotificationsDeps {
  readonly items: () => readonly AttentionItem[];
  /** The user wants notifications and does not see the dashboard. */
  readonly mayTell: () => boolean;
  readonly tell: (item: AttentionItem) => void;
}

const pollIntervalMs = 5_000;

/** Returns how to stop. */
export function watchAttention({ items, mayTell, tell }: AttentionNotificationsDeps): () => void {
  const news = new NotificationFilter();
  // By the clock, not by changes: what is new has to stand for a while first.
  const timer = setInterval(() => {
    const fresh = news.next(items(), Date.now());
    if (mayTell()) for (const item of fresh) tell(item);
  }, pollIntervalMs).unref();
  return () => clearInterval(timer);
}

// Which of the things that wait for a user are worth a notification: each cause once, and none that fixes itself.

/** Actions that only the user can take; a retrying server may recover without them. */
const needsPerson: ReadonlySet<AttentionAction['kind']> = new Set([
  'sign-in',
  'edit-config',
  'add-secret',
  'unlock',
  'open-config',
  'restore-config',
  'open-spills',
  'decide',
  'heal',
]);

/** Something that goes away within this long was not worth a word, in ms. */
const settleMs = 10_000;
/** Interval in which a recurring cause is not reported again, in ms. */
const dedupeMs = 60 * 60_000;

interface Known {
  readonly since: number;
  seenAt: number;
  isNotified: boolean;
}

export class NotificationFilter {
  readonly #known = new Map<string, Known>();

  /** Returns the notices due now. Call it at every change and, for items that must settle, a while later. */
  next(items: readonly AttentionItem[], now: number): readonly AttentionItem[] {
    for (const [id, known] of this.#known) {
      const isGone = !items.some((item) => causeOf(item) === id);
      if (isGone && (!known.isNotified || now - known.seenAt > dedupeMs)) this.#known.delete(id);
    }
    return items.filter(
      (item) => needsPerson.has(item.action.kind) && this.#isNew(causeOf(item), item.action.kind, now),
    );
  }

  #isNew(cause: string, action: AttentionAction['kind'], now: number): boolean {
    const known = this.#known.get(cause) ?? { since: now, seenAt: now, isNotified: false };
    this.#known.set(cause, known);
    known.seenAt = now;
    // A pending decision does not resolve itself, so it is reported at once.
    const wait = action === 'decide' ? 0 : settleMs;
    if (known.isNotified || now - known.since < wait) return false;
    known.isNotified = true;
    return true;
  }
}

function causeOf({ id, action, cause = id }: AttentionItem): string {
  return `${cause} ${action.kind}`;
}

// Notifications of the system.

/** A button of a notification, where the system has them; a click on the rest of it does what `onClick` says. */
export interface NoticeAction {
  readonly text: string;
  readonly onClick: () => void;
}

interface NoticeOptions {
  readonly actions?: readonly NoticeAction[];
  readonly onClick: () => void;
  /** The system has no notifications, or refused this one. */
  readonly onFailed?: () => void;
}

export class Notices {
  /**
   * Electron drops the listeners of a notification that is collected, so each is referenced until it is clicked, closed
   * or failed.
   */
  readonly #open = new Set<Notification>();

  show(title: string, body: string, { onClick, onFailed, actions = [] }: NoticeOptions): void {
    if (!Notification.isSupported()) {
      onFailed?.();
      return;
    }
    const buttons = actions.map(({ text }) => ({ type: 'button' as const, text }));
    const notification = new Notification({ title, body, actions: buttons });
    this.#open.add(notification);
    const end = (then?: () => void) => (): void => {
      if (this.#open.delete(notification)) then?.();
    };
    notification.on('click', end(onClick));
    notification.on('action', ({ actionIndex }) => end(actions[actionIndex]?.onClick)());
    notification.on('close', end());
    notification.on('failed', end(onFailed));
    notification.show();
  }
}
