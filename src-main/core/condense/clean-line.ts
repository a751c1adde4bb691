/** A text from outside as one plain line: nothing invisible, nothing that reorders or hides what stands beside it. */

/** Controls, format characters (zero width, bidirectional, tags) and variation selectors, which can carry hidden text. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/gu;

/** @param max most characters (code points) of the answer; what is longer ends in "…" */
export function cleanLine(text: string, max: number): string {
  // Far more than can be shown, and cut before the work: a text may be megabytes long.
  const start = text.slice(0, max * 20).toWellFormed();
  const line = start.replace(/\s+/g, ' ').replace(invisible, '').replace(/ {2,}/g, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= max
    ? line
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}
