/** The text of a detailed answer. One place decides how it is written. */

export function toDetailText(value: unknown): string {
  return JSON.stringify(value);
}
