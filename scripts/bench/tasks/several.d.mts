/** Types of several.mjs, for tests. */
export function severalIn(
  properties: object,
  introduction: string,
): ((queries: readonly string[]) => { queries: readonly string[] } | { query: readonly string[] | string }) | undefined;
