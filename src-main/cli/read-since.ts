/** Reads a point in the past as people write it: `7d`, `12h`, `30m` ago, or a date. */

const units: ReadonlyMap<string, number> = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 7 * 86_400_000],
]);

/** In ms since the epoch; undefined for what is neither. A date without a time begins at midnight here. */
export function readSince(text: string, now: number): number | undefined {
  const [, amount, unit] = /^(\d{1,6})([mhdw])$/.exec(text.trim()) ?? [];
  if (amount !== undefined && unit !== undefined) return Math.max(0, now - Number(amount) * (units.get(unit) ?? 0));
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return undefined;
  const time = Date.parse(text.length === 10 ? `${text}T00:00:00` : text);
  return Number.isNaN(time) ? undefined : Math.max(0, time);
}
