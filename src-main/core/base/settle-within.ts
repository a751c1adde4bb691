/** Waits for a promise to settle, up to a time limit. */

/**
 * Resolves when the work has settled, or after `limitMs`. Returns the result of the work; undefined if it was late or
 * rejected.
 */
export async function settleWithin<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  const result = await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
  return result;
}
