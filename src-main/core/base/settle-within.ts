/** Waits for something, but not longer than a limit. */

/**
 * Resolves when the work has settled, or after `limitMs`, whichever comes first. Returns what the work resolved to;
 * undefined if it was late or rejected.
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
