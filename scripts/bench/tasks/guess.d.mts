/** Types of guess.mjs, for tests. */
export function guessed(value: unknown, isShown: (name: string) => boolean): unknown;
