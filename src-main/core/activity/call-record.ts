/** What is kept of every call: times, sizes and outcome, never its arguments or its answer. */

export const callOutcomes = ['ok', 'tool_error', 'failed', 'cancelled', 'blocked'] as const;
/** `tool_error`: the tool answered with isError; `failed`: no answer came; `blocked`: not allowed. */
export type CallOutcome = (typeof callOutcomes)[number];

export interface CallRecord {
  /** ms since the epoch. */
  readonly startedAt: number;
  readonly sessionId: string;
  /** The client app's name. */
  readonly app: string;
  readonly mode: string;
  readonly server: string;
  readonly tool: string;
  /** The helper tool it came through: `call_tool`, `execute`. */
  readonly via?: string | undefined;
  /** What the model said it calls for. */
  readonly why?: string | undefined;
  /** How sensitive the model said the data is: `public`, `internal`, `private` or `unknown`. */
  readonly sensitivity?: string | undefined;
  /** The answer was kept on disk under this id. */
  readonly spillId?: string | undefined;
  /** The whole time and its stages, in ms. */
  readonly durationMs: number;
  readonly resolveMs: number;
  readonly allowMs: number;
  readonly callMs: number;
  readonly shapeMs: number;
  readonly argumentBytes: number;
  /** What the server answered, and what of it the model was given. */
  readonly resultBytes: number;
  readonly givenBytes: number;
  /** Tokens of the arguments and of what was given; missing until counted. */
  readonly tokensIn?: number | undefined;
  readonly tokensOut?: number | undefined;
  readonly outcome: CallOutcome;
  readonly errorCode?: string | undefined;
  readonly errorText?: string | undefined;
}

/** A record as it comes back from the database. */
export interface ActivityEntry extends CallRecord {
  /** Grows with every record; pages are asked for with it. */
  readonly id: number;
  /** The token counts are estimates: the texts were too large or too many to be counted. */
  readonly tokensEstimated: boolean;
}

/** The texts whose tokens are counted. A function is called later, off the call's way. */
export interface CallTexts {
  readonly arguments: string;
  readonly given: string | (() => string);
}

export interface ActivityFilter {
  readonly app?: string;
  readonly mode?: string;
  readonly outcome?: CallOutcome;
  readonly server?: string;
  readonly sessionId?: string;
  readonly tool?: string;
  /** Only records older than this one. */
  readonly beforeId?: number;
  /** Only calls begun at this time or later, in ms since the epoch. */
  readonly since?: number;
}

export interface ToolActivity {
  readonly server: string;
  readonly tool: string;
  readonly calls: number;
  /** Calls that did not end `ok`. */
  readonly failures: number;
  readonly averageMs: number;
  readonly longestMs: number;
  /** Start of its newest call, in ms since the epoch. */
  readonly lastUsedAt: number;
  readonly resultBytes: number;
  readonly givenBytes: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** Sums over the records still kept. */
export interface ActivityStats {
  readonly calls: number;
  readonly outcomes: Readonly<Record<CallOutcome, number>>;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly resultBytes: number;
  readonly givenBytes: number;
  /** Start of the oldest kept call, in ms since the epoch. */
  readonly since: number | undefined;
  /** Most called first. */
  readonly tools: readonly ToolActivity[];
}
