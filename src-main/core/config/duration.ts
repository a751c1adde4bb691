/** Times as Go programs write them into their configs: `30s`, `2m`, `1h30m`, `1.5s`. */

const inMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const part = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/** In ms; undefined when it is no such time. A plain number counts nanoseconds, as Go's own JSON does. */
export function readDuration(written: string | number): number | undefined {
  if (typeof written === 'number') return written * 1e-6;
  const parts = [...written.trim().matchAll(part)];
  if (parts.length === 0 || parts.map(([text]) => text).join('') !== written.trim()) return undefined;
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (inMs[unit] ?? 0), 0);
}
