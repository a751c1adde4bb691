/** The tools `current_time` and `convert_time`. */
import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { AppError } from '../../base/errors.ts';
import { runTool, readOnly, textResult } from './file-content.ts';

const zone = z.string().max(100);

/** `14:30`, `2026-03-29`, `2026-03-29T14:30:15.5`, each with `Z` or an offset if it has a date. */
const timePattern = /^(?:(\d{4}-\d\d-\d\d)(?:[T ]|$))?(?:(\d\d?:\d\d)(:\d\d)?(?:\.\d{1,9})?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;

export function registerTimeTools(server: McpServer, now: () => Date): void {
  server.registerTool(
    'current_time',
    {
      title: 'Current time',
      description: 'Date, time and weekday now.',
      annotations: readOnly,
      inputSchema: z.object({ timezone: zone.optional().describe('IANA name; default: local') }),
    },
    ({ timezone = localZone() }) =>
      runTool(() => {
        const instant = now().getTime();
        const time = formatZoned(instant, timezone);
        const weekday = weekdayIn(instant, timezone);
        return { ...textResult(`${time} ${timezone}, ${weekday}`), structuredContent: { time, timezone, weekday } };
      }),
  );
  server.registerTool(
    'convert_time',
    {
      title: 'Convert time',
      description: 'Converts a time between time zones; reports DST gaps and overlaps.',
      annotations: readOnly,
      inputSchema: z.object({
        time: z.string().max(100).describe('HH:MM (today) or ISO 8601'),
        from: zone.optional().describe('IANA name; default: local'),
        to: zone,
      }),
    },
    ({ time, from = localZone(), to }) =>
      runTool(() => {
        const { instant, note } = readTime(time, from, now().getTime());
        const times = { from: formatZoned(instant, from), to: formatZoned(instant, to) };
        const text = `${times.from} ${from} = ${times.to} ${to}, ${weekdayIn(instant, to)}`;
        return { ...textResult(text, note ?? ''), structuredContent: note === undefined ? times : { ...times, note } };
      }),
  );
}

function readTime(text: string, from: string, now: number): ZonedReading {
  const match = timePattern.exec(text.trim());
  const [, date, minutes, seconds = ':00', offset] = match ?? [];
  if (date === undefined && minutes === undefined) throw unreadable(text);
  if (date === undefined && offset !== undefined) throw unreadable(text);
  const day = date ?? formatZoned(now, from).slice(0, 10);
  const iso = `${day}T${(minutes ?? '00:00').padStart(5, '0')}${seconds}`;
  const reading = Date.parse(`${iso}Z`);
  // Date.parse turns 2026-02-30 into March 2.
  if (Number.isNaN(reading) || new Date(reading).toISOString().slice(0, 10) !== day) throw unreadable(text);
  if (offset === undefined) return readZoned(reading, from);
  const instant = Date.parse(iso + offset.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2'));
  if (Number.isNaN(instant)) throw unreadable(text);
  return { instant };
}

function unreadable(text: string): AppError {
  return new AppError('bad_request', `"${text}" is not a valid time.`, {
    fix: 'Use HH:MM, or ISO 8601 such as 2026-03-29T14:30 or 2026-03-29T14:30+02:00.',
  });
}

// Wall-clock time in IANA zones by Intl: the local time of an instant, and the instant of a local time.

interface ZonedReading {
  /** ms since 1970. */
  readonly instant: number;
  /** Set if the local time occurred twice or never. */
  readonly note?: string;
}

const dayMs = 86_400_000;

/** The time zone of this computer. */
function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Local time in `zone`, like `2026-03-29T03:00:00+02:00`. Throws AppError `bad_request` for an unknown zone. */
function formatZoned(instant: number, zone: string): string {
  const offset = offsetAt(instant, zone);
  return new Date(instant + offset).toISOString().slice(0, 19) + formatOffset(offset);
}

/** The weekday in `zone`, in English. */
function weekdayIn(instant: number, zone: string): string {
  return formatter(zone, { weekday: 'long' }).format(instant);
}

/**
 * The instant of a local time, which is given as if it were UTC. A skipped time uses the offset before the change, an
 * ambiguous one is the first (as in RFC 5545 and Temporal's "compatible").
 */
function readZoned(reading: number, zone: string): ZonedReading {
  const before = offsetAt(reading - dayMs, zone);
  const after = offsetAt(reading + dayMs, zone);
  const instants = [...new Set([reading - before, reading - after])]
    .filter((instant) => instant + offsetAt(instant, zone) === reading)
    .sort((left, right) => left - right);
  const [first, second] = instants;
  if (first === undefined) {
    const instant = reading - before;
    const note = `The clocks in ${zone} skip this time (they go forward); read as ${formatZoned(instant, zone)}.`;
    return { instant, note };
  }
  if (second === undefined) return { instant: first };
  const both = `${formatZoned(first, zone)} (used) and ${formatZoned(second, zone)}`;
  return { instant: first, note: `The clocks in ${zone} show this time twice: ${both}.` };
}

/** Offset from UTC in ms at an instant. */
function offsetAt(instant: number, zone: string): number {
  const parts = new Map(
    formatter(zone, {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
      .formatToParts(instant)
      .map((part) => [part.type, Number(part.value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const clock = new Date(0);
  clock.setUTCFullYear(part('year'), part('month') - 1, part('day'));
  clock.setUTCHours(part('hour'), part('minute'), part('second'));
  return clock.getTime() - Math.floor(instant / 1000) * 1000;
}

function formatter(zone: string, fields: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    const locale = 'en-US-u-ca-iso8601-nu-latn-hc-h23';
    return new Intl.DateTimeFormat(locale, { ...fields, timeZone: zone });
  } catch (cause) {
    throw new AppError('bad_request', `Unknown time zone "${zone.slice(0, 100)}".`, { fix: suggest(zone), cause });
  }
}

function suggest(zone: string): string {
  const wanted = zone.trim().toLowerCase().replaceAll(' ', '_');
  const near = Intl.supportedValuesOf('timeZone').filter(
    (name) => wanted !== '' && name.toLowerCase().includes(wanted),
  );
  return near.length > 0 ? `Did you mean ${near.slice(0, 3).join(', ')}?` : 'Use an IANA name such as Europe/Berlin.';
}

function formatOffset(offset: number): string {
  const size = Math.abs(offset);
  const text = new Date(size).toISOString();
  const seconds = size % 60_000 === 0 ? '' : text.slice(16, 19);
  return `${offset < 0 ? '-' : '+'}${text.slice(11, 16)}${seconds}`;
}
