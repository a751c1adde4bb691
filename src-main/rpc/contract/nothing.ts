/** The input or output of a request that has none. */
export type Nothing = Record<string, never>;
