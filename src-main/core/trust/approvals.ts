/**
 * Approvals: questions that wait for a user, with their text and choices. The tray, the dashboard
 * and the command line show and answer them; a model cannot reach this store.
 *
 * submit ──► open ──decide────► answered
 * ├──time limit──► expired
 * └──withdraw────► withdrawn the reason is gone
 */
import { randomBytes } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import { truncateText, truncateName } from '../base/visible-text.ts';

/** One of the choices of an approval. */
export interface ApprovalChoice {
  /** Argument of `decide`: `once`, `always`, `no`. */
  readonly id: string;
  /** Button label: a verb and its object. */
  readonly label: string;
  /** Consequence, as a sentence; absent if the label is clear enough. */
  readonly meaning?: string;
  /** Whether the choice sends, starts or permits something; such a choice is never the default. */
  readonly risky: boolean;
  /** Who may decide, if several users share the core. */
  readonly authority?: DecisionAuthority;
}

/**
 * `theirs`: only the user whose call it is may decide, because no one else sees all of it. `admins`: only admins,
 * because it applies to all users. Absent: every user who sees it.
 */
export type DecisionAuthority = 'theirs' | 'admins';

/** Information that a user needs to decide, verbatim: data, never markup. */
export interface ApprovalDetail {
  readonly name: string;
  readonly text: string;
  /** Text from the user's app: only the owner of the call may see it. */
  readonly isPrivate?: true;
}

export interface ApprovalRequest {
  /** Id of the call's owner; undefined on a desktop. */
  readonly user?: string | undefined;
  /** Approvals of one user with the same cause form one inbox item and one notification. */
  readonly cause: string;
  /** Identifies the question. Submitting the same key again while it is open returns the same approval. */
  readonly key: string;
  readonly app: string;
  readonly sessionId: string;
  readonly server?: string | undefined;
  /** `server:tool` */
  readonly tool?: string | undefined;
  /** The question, as one sentence for the user. */
  readonly sentence: string;
  readonly details: readonly ApprovalDetail[];
  readonly choices: readonly ApprovalChoice[];
  /** How long the approval stays open, in ms. */
  readonly openMs: number;
}

export interface PendingApproval extends Omit<ApprovalRequest, 'openMs'> {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  /** When it expires, in ms since 1970. */
  readonly until: number;
}

/** How an approval ended. */
export type ApprovalOutcome =
  | { readonly how: 'answered'; readonly choice: string; readonly by: string; readonly at: number }
  | { readonly how: 'expired' | 'withdrawn'; readonly at: number };

export interface ClosedApproval {
  readonly question: PendingApproval;
  readonly answer: ApprovalOutcome;
}

export interface SubmittedApproval {
  readonly question: PendingApproval;
  /** Never rejects. */
  readonly answer: Promise<ApprovalOutcome>;
}

interface QuestionLimits {
  /** Limit per user, so that nobody uses up the whole queue. */
  readonly ofPerson: number;
  readonly ofApp: number;
  readonly ofAll: number;
  /** Maximum length of one question's details, in characters; users read no more before they decide. */
  readonly characters: number;
}

const defaults: QuestionLimits = { ofPerson: 200, ofApp: 40, ofAll: 2_000, characters: 64 * 1024 };

interface Held extends SubmittedApproval {
  readonly end: (answer: ApprovalOutcome) => void;
  readonly timer: NodeJS.Timeout;
}

export class ApprovalQueue {
  /** Emits when an approval was requested or has ended. */
  readonly changed = new Emitter();
  /** Emits the outcome for the audit log. */
  readonly ended = new Emitter<ClosedApproval>();
  readonly #limits: QuestionLimits;
  readonly #held = new Map<string, Held>();

  constructor(limits: Partial<QuestionLimits> = {}) {
    this.#limits = { ...defaults, ...limits };
  }

  /** Oldest first. */
  pending(): readonly PendingApproval[] {
    return [...this.#held.values()].map(({ question }) => question);
  }

  /**
   * Opens an approval, or returns the open one with the same key. Details over the limit are cut, and their last line
   * says so. Throws AppError `session_limit` if too many are open.
   */
  submit({ openMs, ...request }: ApprovalRequest): SubmittedApproval {
    const known = this.#find(request.key);
    if (known !== undefined) return known;
    this.#requireCapacity(request);
    const at = Date.now();
    const details = cutDetails(request.details, this.#limits.characters);
    const question: PendingApproval = { ...request, details, id: this.#newId(), at, until: at + openMs };
    const { promise, resolve } = Promise.withResolvers<ApprovalOutcome>();
    const timer = setTimeout(() => this.#end(question.id, { how: 'expired', at: Date.now() }), openMs);
    timer.unref();
    const held = { question, answer: promise, end: resolve, timer };
    this.#held.set(question.id, held);
    this.changed.emit();
    return held;
  }

  /**
   * Applies a user's decision. `by`: where it was made (`dashboard`, `tray`, `command line`, `client app`),
   * preceded by the user's name if there are several users. Throws AppError `not_found` if the approval is not open, `bad_request` for an unknown
   * choice.
   */
  decide(id: string, choice: string, by: string): PendingApproval {
    const held = this.#held.get(id);
    if (held === undefined) {
      throw new AppError('not_found', `No pending approval has the ID ${truncateName(id)}.`, {
        fix: 'It was already decided, or it expired and its action was not carried out.',
      });
    }
    const { question } = held;
    if (!question.choices.some((one) => one.id === choice)) {
      throw new AppError('bad_request', `${truncateName(choice)} is not a choice of approval ${id}.`, {
        fix: `Choices: ${question.choices.map((one) => one.id).join(', ')}.`,
      });
    }
    this.#end(id, { how: 'answered', choice, by, at: Date.now() });
    return question;
  }

  /** Withdraws a question whose subject is gone. Does nothing if it is no longer open. */
  withdraw(id: string): void {
    this.#end(id, { how: 'withdrawn', at: Date.now() });
  }

  /** Called when the core stops: rejects the pending requests and accepts no new ones. */
  close(): void {
    for (const id of [...this.#held.keys()]) this.withdraw(id);
  }

  #end(id: string, answer: ApprovalOutcome): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    clearTimeout(held.timer);
    held.end(answer);
    this.ended.emit({ question: held.question, answer });
    this.changed.emit();
  }

  #find(key: string): Held | undefined {
    return [...this.#held.values()].find(({ question }) => question.key === key);
  }

  #requireCapacity({ app, user }: Pick<ApprovalRequest, 'app' | 'user'>): void {
    const { ofAll, ofApp, ofPerson } = this.#limits;
    const theirs = this.pending().filter((question) => question.user === user);
    const ofThis = theirs.filter((question) => question.app === app);
    if (ofThis.length < ofApp && theirs.length < ofPerson && this.#held.size < ofAll) return;
    const all = theirs.length < ofPerson ? `${ofAll} approvals for all users` : `${ofPerson} approvals for all apps`;
    const subject = ofThis.length < ofApp ? all : `${ofApp} approvals for this app`;
    throw new AppError('session_limit', `${subject} are already pending, so no further approval is requested.`, {
      fix: 'Ask the user to decide them in Tooltray.',
    });
  }

  /** Short enough to be typed. */
  #newId(): string {
    for (;;) {
      const id = randomBytes(3).toString('hex');
      if (!this.#held.has(id)) return id;
    }
  }
}

function cutDetails(details: readonly ApprovalDetail[], most: number): readonly ApprovalDetail[] {
  let left = most;
  return details.map((detail) => {
    const { text } = detail;
    const available = left;
    left = Math.max(0, left - text.length);
    if (text.length <= available) return detail;
    return { ...detail, text: `${truncateText(text, Math.max(1, available))}\n(${text.length} characters in total)` };
  });
}
