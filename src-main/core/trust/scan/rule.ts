/** Rules: one kind of attack each, with the sentence for the user and its weight by place. */

/**
 * The role of a text: `text` is a description for the model, `value` usually has no sentences (titles, enum, default,
 * output schema, _meta), `name` is the name of a tool or parameter, `guide` instructs the model (server instructions,
 * prompts), `result` is a result.
 */
export type TextRole = 'text' | 'value' | 'name' | 'guide' | 'result';

/** Hits that are close together in a text are added up: see `reviewThreshold` and `blockThreshold`. */
export type Weights = Readonly<Record<Exclude<TextRole, 'name'>, number>> & {
  /** Default: `value`. */
  readonly name?: number;
};

export interface Rule {
  readonly id: string;
  /** A short heading. */
  readonly name: string;
  /** The sentence that the user reads next to the matching words. */
  readonly says: string;
  readonly weights: Weights;
  /** In the notation of pattern.ts; empty if code finds it (hidden characters, decoded texts, names of tools). */
  readonly patterns: readonly string[];
  /** Users write about these topics too: in a sentence about detecting such texts it counts a quarter. */
  readonly isSpeech?: true;
}

/** From this weight on a text needs review, and a result is labeled. */
export const reviewThreshold: Readonly<Record<TextRole, number>> = {
  text: 0.75,
  value: 0.75,
  name: 0.9,
  guide: 0.75,
  result: 1,
};
/** A weight that no text reaches by accident. */
export const blockThreshold = 2;
