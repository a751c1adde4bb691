/** Times as Go programs write them into their configs: `30s`, `2m`, `1h30m`, `1.5s`. */
import { z } from 'zod';

const inSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};
const part = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/** Such a time, in seconds. A plain number counts nanoseconds, as Go's own JSON does. */
export const duration = z.union([z.string(), z.number().min(0)]).transform((written, context) => {
  const seconds = typeof written === 'number' ? written * 1e-9 : readDuration(written.trim());
  if (seconds !== undefined) return seconds;
  context.addIssue({ code: 'custom', message: 'A time such as "30s" or "2m" is expected here', input: written });
  return z.NEVER;
});

function readDuration(written: string): number | undefined {
  const parts = [...written.matchAll(part)];
  if (parts.length === 0 || parts.map(([text]) => text).join('') !== written) return undefined;
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (inSeconds[unit] ?? 0), 0);
}
