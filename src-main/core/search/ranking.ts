/** The fields of a document and what a word in each of them weighs (BM25F). */

/** Order matters: it is that of every list by field, and the bit order of field masks. */
export const fieldNames = ['name', 'server', 'title', 'summary', 'description', 'parameter', 'parameter text'] as const;

export interface Ranking {
  /** By field, in the order of `fieldNames`. */
  readonly weights: readonly number[];
  /** How much a long field dilutes its words (0: not at all, 1: fully), by field. */
  readonly lengthPenalty: readonly number[];
  /**
   * Words in a field of an ordinary tool, as the listings of real servers have them. Lengths are compared with these and
   * not with the catalog's own: a tool weighs the same whatever else is there, so a change of one server touches no other.
   */
  readonly typicalLengths: readonly number[];
  /** Saturation: how soon more of the same word stops counting. */
  readonly k1: number;
  /** Weight of a word's exact form beside its stem (1). */
  readonly exactForm: number;
}

export const defaultRanking: Ranking = {
  weights: [6, 2.5, 1, 1.5, 0.6, 0.3, 0.35],
  lengthPenalty: [0.4, 0, 0.3, 0.5, 0.6, 0.5, 0.7],
  typicalLengths: [3, 2.5, 1, 12, 20, 5, 40],
  k1: 1.2,
  exactForm: 0.5,
};
