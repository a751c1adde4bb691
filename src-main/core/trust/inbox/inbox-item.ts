/** Types of inbox items, as shown in the dashboard, the tray and the command line. Types only. */
import type { DecisionAuthority } from '../approvals.ts';

/**
 * `change`: a server's definitions changed; `review`: a server nobody has accepted yet; `settings`: another program
 * edited
 * the config file; `scopes`: a server requests more OAuth scopes than its sign-in granted.
 */
export type InboxKind = 'change' | 'review' | 'proposal' | 'settings' | 'data-flow' | 'heal' | 'scopes';

/** `unpinned`: the newest version of a package is fetched at each start. */
export type InboxRisk = 'runs-code' | 'disk' | 'network' | 'unpinned';

/**
 * One item to decide. Texts are unchanged, with invisible characters marked; they may come from a server, so they are
 * text and never markup.
 */
export interface InboxItem {
  /** Short, so that a user can type it. Identifies exactly what is shown: if that changes, so does the id. */
  readonly id: string;
  readonly kind: InboxKind;
  /** Items with the same cause share one notification. */
  readonly cause: string;
  /** ms since 1970; undefined if unknown. */
  readonly at: number | undefined;
  /** When it expires, in ms since 1970; undefined if it does not expire. */
  readonly until: number | undefined;
  readonly server: string | undefined;
  /** Id of the owner: only the owner and admins decide. Absent: everybody. */
  readonly user?: string | undefined;
  /** Who wants what, in a few words: `Cursor wants to add slack`. */
  readonly title: string;
  /** The question, as one sentence. */
  readonly sentence: string;
  /** The origin, as a sentence: `Cursor asked with manage_servers.` */
  readonly from: string;
  /** The risks that approval adds. */
  readonly risks: readonly InboxRisk[];
  /** The command line or address that approval starts or reaches, on one line, secrets masked; empty if there is none. */
  readonly command: string;
  /** Whether it looks like an attack; such items come first. */
  readonly isGrave: boolean;
  /** Consequences of approval, most severe first. */
  readonly meanings: readonly Consequence[];
  /** The parts that changed. */
  readonly parts: readonly InboxPart[];
  /** Number of parts left out for lack of space. */
  readonly moreParts: number;
  /** Possible decisions; a safe one first. */
  readonly actions: readonly InboxAction[];
}

/** The fields that lists show. */
export type InboxSummary = Pick<
  InboxItem,
  'id' | 'kind' | 'cause' | 'at' | 'until' | 'server' | 'user' | 'title' | 'sentence' | 'from' | 'risks' | 'isGrave'
>;

export interface Consequence {
  readonly text: string;
  readonly isGrave: boolean;
}

export interface InboxAction {
  readonly id: string;
  /** Button label: a verb. */
  readonly label: string;
  /** Consequence of the action, as a sentence; empty if the label is self-explanatory. */
  readonly meaning: string;
  /** Whether the action starts or permits something, or shows it to models; such an action is never the default. */
  readonly isRisky: boolean;
  /** Whether it can apply to some parts only. */
  readonly isByPart: boolean;
  /** Who may decide, if several users share the core. */
  readonly authority?: DecisionAuthority | undefined;
}

/** One change, or several identical ones. */
export interface InboxPart {
  /** Keys of the part in a partial decision; identical parts share one entry with all their keys. */
  readonly keys: readonly string[];
  /** For example `Tool draw`, `Tools draw, erase and 3 more`. */
  readonly title: string;
  /** Notes on the part, in sentences, most severe first. */
  readonly notes: readonly Consequence[];
  /** New sentences, with their positions. */
  readonly added: readonly AddedSentence[];
  readonly lines: readonly DiffLine[];
  /** Number of sentences and lines left out for lack of space. */
  readonly more: number;
  /** Whether secrets of the lines and the entry are shown as `***`; a request can reveal them. */
  readonly isMasked?: boolean | undefined;
  /** The whole resulting entry; undefined if there is none. */
  readonly entry?: Readonly<Record<string, unknown>> | undefined;
}

export interface AddedSentence {
  readonly place: string;
  readonly sentence: string;
}

/** A line of a change. `before` and `after` are verbatim, with invisible characters marked as `⟨U+200B⟩`. */
export interface DiffLine {
  /** The subject of the line in plain words: `Argument 2`, `Variable API_TOKEN`. */
  readonly what: string;
  readonly change: 'same' | 'new' | 'gone' | 'other';
  readonly before?: string;
  readonly after?: string;
  /** The whole line as one text. */
  readonly text: string;
  /** Only for the item's owner, if several users share the core. */
  readonly isPrivate?: true | undefined;
  /** For longer texts that changed in parts: `before` and `after` by sentences, with the differences marked. */
  readonly pieces?: { readonly before: readonly TextSegment[]; readonly after: readonly TextSegment[] };
}

export interface TextSegment {
  readonly text: string;
  readonly isOther: boolean;
}

/** Result of a decision. */
export interface DecisionResult {
  readonly sentence: string;
  /** False if it was attempted and failed. */
  readonly isDone: boolean;
  /** ID that undoes the decision, if it can be undone. */
  readonly undo?: string | undefined;
  /** Address to continue at, for a browser. */
  readonly goOn?: string | undefined;
  /** The new id of an item that is still pending with more to show. */
  readonly goesOnAs?: string | undefined;
}

/** A past decision, listed while it can be undone or is remembered. */
export interface PastDecision {
  readonly id: string;
  readonly kind: InboxKind;
  readonly at: number;
  /** Origin of the decision: `dashboard`, `command line`. */
  readonly by: string;
  readonly server: string | undefined;
  /** The decision, as one sentence. */
  readonly sentence: string;
  /** Effect of undoing it, as a sentence; undefined if it cannot be undone. */
  readonly undo: string | undefined;
}
