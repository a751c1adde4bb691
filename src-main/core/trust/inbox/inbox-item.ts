/** What waits for a person: types only, as every place shows them that asks (dashboard, tray, command line). */
import type { DecisionAuthority } from '../questions.ts';

/**
 * `change`: a server says something else; `review`: nobody has accepted it yet; `settings`: another program wrote into the config file;
 * `rights`: a server asks for more than signing in gave it.
 */
export type InboxKind = 'change' | 'review' | 'proposal' | 'settings' | 'flow' | 'heal' | 'rights';

/** One thing to decide. All texts are as they were said, what cannot be seen marked; they may come from a server: text, never markup. */
export interface InboxItem {
  /** Short, so that a person can type it. Stands for just what is shown: where that changes, it is another id. */
  readonly id: string;
  readonly kind: InboxKind;
  /** Items with the same cause are told of once. */
  readonly cause: string;
  /** ms since 1970; undefined: not known. */
  readonly at: number | undefined;
  /** Until then it can be answered, in ms since 1970; undefined: as long as it stands there. */
  readonly until: number | undefined;
  readonly server: string | undefined;
  /** Of a team whose it is, by their id: nobody else decides on it, but for admins. Absent: of everybody. */
  readonly person?: string | undefined;
  /** What is asked, as one sentence. */
  readonly sentence: string;
  /** Who wants it, as a sentence: `Cursor asked with manage_servers.` */
  readonly from: string;
  /** It looks like an attack: first of all. */
  readonly isGrave: boolean;
  /** What a yes would mean, gravest first. */
  readonly meanings: readonly Consequence[];
  /** What is another than before. */
  readonly parts: readonly InboxPart[];
  /** Parts that there was no room for. */
  readonly moreParts: number;
  /** What can be answered; a safe one first. */
  readonly actions: readonly InboxAction[];
}

/** What lists show. */
export type InboxSummary = Pick<
  InboxItem,
  'id' | 'kind' | 'cause' | 'at' | 'until' | 'server' | 'person' | 'sentence' | 'from' | 'isGrave'
>;

export interface Consequence {
  readonly text: string;
  readonly isGrave: boolean;
}

export interface InboxAction {
  readonly id: string;
  /** On the button: a verb. */
  readonly label: string;
  /** What it would do, as a sentence; empty where the label says it all. */
  readonly meaning: string;
  /** Something starts, is allowed or is told to models by it: never the easy button. */
  readonly isRisky: boolean;
  /** It may be said of some parts alone. */
  readonly isByPart: boolean;
  /** In a team, whose word it takes. */
  readonly whose?: DecisionAuthority | undefined;
}

/** One change, or several that are the same. */
export interface InboxPart {
  /** What it stands for in an answer about some parts alone; of parts that are the same, all of them. */
  readonly keys: readonly string[];
  /** `Tool draw`, `Tools draw, erase and 3 more`. */
  readonly title: string;
  /** What is to be known of it, in sentences, gravest first. */
  readonly notes: readonly Consequence[];
  /** Sentences that were not there before, and where they stand now. */
  readonly added: readonly AddedSentence[];
  readonly lines: readonly DiffLine[];
  /** Sentences and lines that there was no room for. */
  readonly more: number;
  /** Secrets of the lines and the entry are shown as `***`; the item can be asked for with them. */
  readonly isMasked?: boolean | undefined;
  /** The whole entry as it would stand; undefined where there is none. */
  readonly entry?: Readonly<Record<string, unknown>> | undefined;
}

export interface AddedSentence {
  readonly place: string;
  readonly sentence: string;
}

/** A line of a change; `before` and `after` are verbatim, what cannot be seen marked as `⟨U+200B⟩`. */
export interface DiffLine {
  /** In plain words what the line is about: `Argument 2`, `Variable API_TOKEN`. */
  readonly what: string;
  readonly change: 'same' | 'new' | 'gone' | 'other';
  readonly before?: string;
  readonly after?: string;
  /** All of it as one text. */
  readonly text: string;
  /** In a team for whoever's item it is, and nobody else. */
  readonly isPrivate?: true | undefined;
  /** Of longer texts that changed in parts: `before` and `after` by sentences, with what the other side does not have. */
  readonly pieces?: { readonly before: readonly TextSegment[]; readonly after: readonly TextSegment[] };
}

export interface TextSegment {
  readonly text: string;
  readonly isOther: boolean;
}

/** What came of an answer. */
export interface DecisionResult {
  readonly sentence: string;
  /** false: it was tried, and did not work. */
  readonly isDone: boolean;
  /** The decision, where it can be taken back. */
  readonly undo?: string | undefined;
  /** Where it goes on, for a browser. */
  readonly goOn?: string | undefined;
  /** It still waits, with more to be seen: its id now. */
  readonly goesOnAs?: string | undefined;
}

/** What a person decided, for as long as it can be taken back or is remembered. */
export interface PastDecision {
  readonly id: string;
  readonly kind: InboxKind;
  readonly at: number;
  /** Where it was said: `dashboard`, `command line`. */
  readonly by: string;
  readonly server: string | undefined;
  /** What was decided, as one sentence. */
  readonly sentence: string;
  /** What taking it back would do, as a sentence; undefined: it cannot be taken back. */
  readonly undo: string | undefined;
}
