/** Rules: a kind of attack each, with the sentence that the user reads about it and its weight by place. */

/**
 * The place of a text: `text` describes to the model (descriptions), `value` is no place for sentences (titles, enum,
 * default, output schema, _meta), `name` is the name of a tool or parameter, `guide` is there to instruct it (server
 * instructions, prompts), `result` is what came back.
 */
export type TextRole = 'text' | 'value' | 'name' | 'guide' | 'result';

/** In a text, what lies close together counts as one sum: see `reviewFrom` and `blockFrom`. */
export type Weights = Readonly<Record<Exclude<TextRole, 'name'>, number>> & {
  /** Equals `value` unless given. */
  readonly name?: number;
};

export interface Rule {
  readonly id: string;
  /** A few words, as a heading. */
  readonly name: string;
  /** The sentence that the user reads next to the words that were found. */
  readonly says: string;
  readonly weights: Weights;
  /** In the notation of pattern.ts; none where code finds it (hidden characters, decoded texts, names of tools). */
  readonly patterns: readonly string[];
  /** It finds what users also write about: in a sentence about detecting such texts it counts a quarter. */
  readonly isSpeech?: true;
}

/** The weight from which a text is for review, and a result is labeled. */
export const reviewThreshold: Readonly<Record<TextRole, number>> = {
  text: 0.75,
  value: 0.75,
  name: 0.9,
  guide: 0.75,
  result: 1,
};
/** The weight that no text has by accident. */
export const blockThreshold = 2;
