/** The savings ledger: compares what client apps were sent with what they would have loaded without Tooltray. */
import type { Result } from '../../wire/message.ts';
import type { ActivityLog } from '../activity-log.ts';
import type { TokenCount } from '../call-record.ts';
import type { ListedServer } from './baseline.ts';
import type { StepRecorder } from './client-request.ts';
import { type KindOfHelper, type ResultIntake, zeroTokens } from './ledger-entry.ts';
import { LedgerSession, type LedgerSessionOptions } from './ledger-session.ts';
import {
  totalSavings,
  computeBreakEven,
  type CauseSum,
  type SavingsKey,
  type SavingsQuery,
  type SavingsReport,
  toRows,
} from './ledger-table.ts';

export interface LedgerOptions {
  readonly activity: Pick<ActivityLog, 'ask' | 'defer' | 'post' | 'share' | 'shareText'>;
  /** The servers that apps would have without Tooltray, in their current state. */
  readonly servers: () => readonly ListedServer[];
  /** Whether the app loads tools on demand. */
  readonly defersTools: (app: string) => boolean;
  /** Whether a model reads what the app is sent; nothing is booked if none does. */
  readonly hasModel: (app: string) => boolean;
  readonly acceptsResults: (app: string) => ResultIntake;
  readonly now: () => number;
  /** Receives every request and its end. */
  readonly steps: StepRecorder;
  readonly kindOf: KindOfHelper;
}

export class Ledger {
  readonly #options: LedgerOptions;
  readonly #sessions = new Set<LedgerSession>();
  #lastNumber = 0;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** Records the frames of one client app until its `end`. */
  open(facts: LedgerSessionOptions): LedgerSession {
    const session = new LedgerSession(facts, ++this.#lastNumber, {
      ...this.#options,
      ended: () => this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  }

  /** The tokens of a result, counted as in the record of its call. Rejects if the counting thread has ended. */
  async count(payload: Result): Promise<TokenCount> {
    const { activity } = this.#options;
    const shared = activity.share(payload);
    return shared === undefined ? zeroTokens : activity.ask('countResult', shared);
  }

  /** Called when the tools, resources or prompts of the servers have changed. */
  serversChanged(): void {
    for (const session of this.#sessions) session.serversChanged();
  }

  /** Waits briefly for pending token counts. Rejects with the error of SQLite. */
  async savings(question: SavingsQuery = {}): Promise<SavingsReport> {
    const { activity, now } = this.#options;
    const { by = 'cause' } = question;
    return buildReport(await activity.ask('sumLedger', { ...question, by }, now()), by);
  }
}

/** Builds a report from sums, wherever they are stored. */
export function buildReport(sums: readonly CauseSum[], by: SavingsKey): SavingsReport {
  const causes = sums.map((sum) => ({ ...sum, key: sum.cause, app: undefined }));
  const total = totalSavings(sums);
  return {
    by,
    rows: toRows(sums, by),
    causes: toRows(causes, 'cause'),
    total,
    breakEven: computeBreakEven(sums, total.net),
    tokenizer,
    assumptions,
  };
}

// The ledger's assumptions, in sentences for users.

const tokenizer = 'o200k_base';

const assumptions: readonly string[] = [
  `Tokens are counted with ${tokenizer} over the JSON text of each result, error and notification. Other models count slightly differently.`,
  'Without Tooltray, an app would load the instructions of every enabled server once per session, and all lists as often as it requests them. Tooltray’s lists are counted each time they are sent.',
  'Spilled images, audio and files count as 0, because their cost depends on the model.',
  'For an app that loads tools on demand, both sides count the name and first line of each tool, and the full definition from its first call on.',
  'A list counts once when it is sent, although an app shows it to its model again with every request.',
  'Results that a model’s program processed count as if each had been returned to the model.',
  'A result counts at most as much as its app accepts: the app’s own limit if known, else its context window. The size that servers sent is shown next to it.',
  'What an answer says both as text and as structured content counts once, since apps hand one of them to the model.',
  'Resources, prompts, errors and notifications would be the same without Tooltray, so they are not part of the savings.',
  'A connection to a single server saves nothing: its lists count the same on both sides.',
  'Manual calls (dashboard, command line, MCP Inspector, mcporter) are not counted, because no model reads them.',
  'The stateless HTTP protocol (2026-07-28) has no sessions. There, a session ends when an app sends no requests for 30 minutes.',
  'Results over 1 MB, and results that arrived while the token counter was busy, are estimated.',
];
