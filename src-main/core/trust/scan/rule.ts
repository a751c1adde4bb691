/** What a rule is: a kind of attack, the sentence a person reads about it, and how much it weighs where. */

/**
 * Where a text stands: `text` describes to the model (descriptions), `value` is no place for sentences (titles, enum, default,
 * output schema, _meta), `name` is the name of a tool or parameter, `guide` is there to instruct it (server instructions, prompts), `result` is what came back.
 */
export type Place = 'text' | 'value' | 'name' | 'guide' | 'result';

/** 1 alone is a review, 2 a block; of a text all that lies close together counts as one sum. */
export type Weights = Readonly<Record<Exclude<Place, 'name'>, number>> & {
  /** As `value` where nothing else is said. */
  readonly name?: number;
};

export interface Rule {
  readonly id: string;
  /** A few words, as a heading. */
  readonly name: string;
  /** What a person reads beside the words that were found: a sentence. */
  readonly says: string;
  readonly weights: Weights;
  /** In the notation of pattern.ts; none where code finds it (hidden characters, decoded texts, names of tools). */
  readonly patterns: readonly string[];
  /** It finds what people also write about or quote: a quotation, or a sentence about detecting such texts, does not count. */
  readonly isSpeech?: true;
}

export const reviewFrom = 1;
export const blockFrom = 2;
