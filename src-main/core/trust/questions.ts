/**
 * Questions that wait for a person: what is asked, in which words, and what can be answered. The tray, the dashboard and the
 * command line show them and answer them; nothing that a model reaches holds this store.
 *
 *   ask ──► open ──answer──► answered
 *             ├──time over──► expired
 *             └──withdraw───► withdrawn      its reason is gone
 */
import { randomBytes } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import { Event } from '../base/events.ts';
import { cutText, shortName } from '../base/shown-text.ts';

/** One of the answers there are to a question. */
export interface Choice {
  /** What is handed to `answer`: `once`, `always`, `no`. */
  readonly id: string;
  /** On the button: a verb and what it is about. */
  readonly label: string;
  /** What it would mean, as a sentence; absent where the label says it all. */
  readonly meaning?: string;
  /** Something leaves, starts or is allowed by it: never the easy button. */
  readonly risky: boolean;
}

/** Something a person needs in order to decide, letter by letter as it was said: data, never markup. */
export interface QuestionDetail {
  readonly name: string;
  readonly text: string;
}

export interface NewQuestion {
  /** Questions with the same cause are one item and one notification. */
  readonly cause: string;
  /** What is asked again under the same key while it is open is the same question. */
  readonly key: string;
  readonly app: string;
  readonly sessionId: string;
  readonly server?: string | undefined;
  /** `server:tool` */
  readonly tool?: string | undefined;
  /** What is asked, as one sentence for a person. */
  readonly sentence: string;
  readonly details: readonly QuestionDetail[];
  readonly choices: readonly Choice[];
  /** How long it may wait for an answer, in ms. */
  readonly openMs: number;
}

export interface OpenQuestion extends Omit<NewQuestion, 'openMs'> {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  /** Until then it can be answered, in ms since 1970. */
  readonly until: number;
}

/** How a question ended. */
export type Answer =
  | { readonly how: 'answered'; readonly choice: string; readonly by: AnsweredBy; readonly at: number }
  | { readonly how: 'expired' | 'withdrawn'; readonly at: number };

/** Where a person answered. */
export type AnsweredBy = 'dashboard' | 'tray' | 'command line' | 'client app';

export interface EndedQuestion {
  readonly question: OpenQuestion;
  readonly answer: Answer;
}

export interface AskedQuestion {
  readonly question: OpenQuestion;
  /** Never rejects. */
  readonly answer: Promise<Answer>;
}

interface QuestionLimits {
  /** All apps share one person, so none may take all there is room for. */
  readonly ofAll: number;
  readonly ofApp: number;
  /** Of the details of one question, in characters: nobody reads more before they decide. */
  readonly characters: number;
}

const defaults: QuestionLimits = { ofAll: 200, ofApp: 40, characters: 64 * 1024 };

interface Held extends AskedQuestion {
  readonly end: (answer: Answer) => void;
  readonly timer: NodeJS.Timeout;
}

export class Questions {
  /** One was asked or has ended. */
  readonly changed = new Event();
  /** For the record of what was decided. */
  readonly ended = new Event<EndedQuestion>();
  readonly #limits: QuestionLimits;
  readonly #held = new Map<string, Held>();

  constructor(limits: Partial<QuestionLimits> = {}) {
    this.#limits = { ...defaults, ...limits };
  }

  /** Oldest first. */
  open(): readonly OpenQuestion[] {
    return [...this.#held.values()].map(({ question }) => question);
  }

  /**
   * Puts a question, or finds the one that is open under its key. Details that are too long are cut, which their last lines say.
   * Throws AppError session_limit where too many wait already.
   */
  ask({ openMs, ...asked }: NewQuestion): AskedQuestion {
    const known = this.#find(asked.key);
    if (known !== undefined) return known;
    this.#requireRoom(asked.app);
    const at = Date.now();
    const details = cutDetails(asked.details, this.#limits.characters);
    const question: OpenQuestion = { ...asked, details, id: this.#newId(), at, until: at + openMs };
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const timer = setTimeout(() => this.#end(question.id, { how: 'expired', at: Date.now() }), openMs);
    timer.unref();
    const held = { question, answer: promise, end: resolve, timer };
    this.#held.set(question.id, held);
    this.changed.emit();
    return held;
  }

  /** A person's word. Throws AppError not_found where it is open no more, bad_request for a choice that it does not have. */
  answer(id: string, choice: string, by: AnsweredBy): OpenQuestion {
    const held = this.#held.get(id);
    if (held === undefined) {
      throw new AppError('not_found', `No question waits under ${shortName(id)}.`, {
        fix: 'It was answered already, or its time was over: what it was about was not done.',
      });
    }
    const { question } = held;
    if (!question.choices.some((one) => one.id === choice)) {
      throw new AppError('bad_request', `${shortName(choice)} is no answer to question ${id}.`, {
        fix: `Answers: ${question.choices.map((one) => one.id).join(', ')}.`,
      });
    }
    this.#end(id, { how: 'answered', choice, by, at: Date.now() });
    return question;
  }

  /** What it was about is gone. Nothing where it is open no more. */
  withdraw(id: string): void {
    this.#end(id, { how: 'withdrawn', at: Date.now() });
  }

  /** The core stops: whoever waits is told, nobody is asked any more. */
  close(): void {
    for (const id of [...this.#held.keys()]) this.withdraw(id);
  }

  #end(id: string, answer: Answer): void {
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

  #requireRoom(app: string): void {
    const { ofAll, ofApp } = this.#limits;
    const own = this.open().filter((question) => question.app === app).length;
    if (own < ofApp && this.#held.size < ofAll) return;
    const whose = own < ofApp ? `${ofAll} questions of all apps` : `${ofApp} questions of this app`;
    throw new AppError('session_limit', `${whose} wait for the person already, so nothing more is asked.`, {
      fix: 'Ask the person to answer them in Tooltray.',
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

function cutDetails(details: readonly QuestionDetail[], most: number): readonly QuestionDetail[] {
  let left = most;
  return details.map(({ name, text }) => {
    const room = left;
    left = Math.max(0, left - text.length);
    if (text.length <= room) return { name, text };
    return { name, text: `${cutText(text, Math.max(1, room))}\n(${text.length} characters in all)` };
  });
}
