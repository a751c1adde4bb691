/** Notifies users of items that need attention while the dashboard is not visible. */
import { Notification } from 'electron';
import type { AttentionAction, AttentionItem } from '../rpc/contract.ts';

interface AttentionNotificationsDeps {
  readonly items: () => readonly AttentionItem[];
  /** The user wants notifications and the dashboard is not visible. */
  readonly mayTell: () => boolean;
  readonly tell: (item: AttentionItem) => void;
}

const pollIntervalMs = 5_000;

/** Returns a function that stops it. */
export function watchAttention({ items, mayTell, tell }: AttentionNotificationsDeps): () => void {
  const news = new NotificationFilter();
  // On a timer, because new items must persist for a while first.
  const timer = setInterval(() => {
    const fresh = news.next(items(), Date.now());
    if (mayTell()) for (const item of fresh) tell(item);
  }, pollIntervalMs).unref();
  return () => clearInterval(timer);
}

// Selects the items worth a notification: each cause once, and none that resolves itself.

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

/** Items that resolve within this time are not reported, in ms. */
const settleMs = 10_000;
/** Minimum interval between notifications for the same cause, in ms. */
const dedupeMs = 60 * 60_000;

interface Known {
  readonly since: number;
  seenAt: number;
  isNotified: boolean;
}

export class NotificationFilter {
  readonly #known = new Map<string, Known>();

  /** Returns the notifications due now. Call it at every change and again later for items that must persist first. */
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

// System notifications.

/** A notification button, where supported; a click elsewhere calls `onClick`. */
export interface NoticeAction {
  readonly text: string;
  readonly onClick: () => void;
}

interface NoticeOptions {
  readonly actions?: readonly NoticeAction[];
  readonly onClick: () => void;
  /** Called if the system has no notifications, or refused this one. */
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
