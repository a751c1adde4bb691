/** Waits for something, but not longer than a limit. */

/** Resolves when the work has settled, either way, or after `limitMs`, whichever comes first. */
export async function settleWithin(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
