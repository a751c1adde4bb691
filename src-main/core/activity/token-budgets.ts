/** Budget of tokens per client app and day. The model is told; nothing is refused. */
import { formatCount } from '../base/text-format.ts';
import type { ActivityLog } from './activity-log.ts';
import { startOfDay } from './local-time.ts';

interface TokenBudgetsOptions {
  /** Tokens per day by client app; `*` for all others. */
  readonly budgets: () => Readonly<Record<string, number>>;
  readonly activity: Pick<ActivityLog, 'ask'>;
  /** ms since the epoch. */
  readonly now: () => number;
}

interface DayOfApp {
  /** Start of the day, in ms since the epoch. */
  readonly day: number;
  /** Tokens sent to the app on that day, as of `requestedAt`. */
  tokens: number;
  requestedAt: number;
  /** The largest of `noticedShares` that the model was told. */
  notified: number;
}

/** Shares of a budget at which the model is told, once each. */
const noticedShares = [1, 0.8];

/** How long a sum is used before it is queried again, in ms. */
const refreshMs = 2000;

/** Maximum number of apps, because client apps choose their names themselves. Beyond it, all are told again. */
const maxApps = 1000;

export class TokenBudgets {
  readonly #options: TokenBudgetsOptions;
  readonly #days = new Map<string, DayOfApp>();

  constructor(options: TokenBudgetsOptions) {
    this.#options = options;
  }

  /**
   * Returns the text for the model when a share of the budget is reached; otherwise undefined. Never waits: a pending
   * sum counts at the next call.
   */
  notice(app: string, user: string | undefined): string | undefined {
    const { budgets, now } = this.#options;
    const all = budgets();
    const budget = Object.hasOwn(all, app) ? all[app] : all['*'];
    if (budget === undefined) return undefined;
    const day = startOfDay(now());
    const key = JSON.stringify([app, user]);
    const known = this.#days.get(key);
    const own = known?.day === day ? known : { day, tokens: 0, requestedAt: -Infinity, notified: 0 };
    if (this.#days.size >= maxApps) this.#days.clear();
    this.#days.set(key, own);
    void this.#refresh(own, app, user);
    const reached = noticedShares.find((share) => own.tokens >= share * budget);
    if (reached === undefined || own.notified >= reached) return undefined;
    own.notified = reached;
    const used = `${formatCount(own.tokens, 'token')} of a budget of ${budget.toLocaleString('en')} for today are used.`;
    return reached === 1
      ? `The token budget of this app is used up: ${used} Tell the user before you call more tools.`
      : `${used} Ask for less: narrow searches, and let programs filter results.`;
  }

  async #refresh(own: DayOfApp, app: string, user: string | undefined): Promise<void> {
    const { activity, now } = this.#options;
    if (now() - own.requestedAt < refreshMs) return;
    own.requestedAt = now();
    own.tokens = (await activity.ask('tokensSent', app, user, own.day).catch(() => undefined)) ?? own.tokens;
  }
}
