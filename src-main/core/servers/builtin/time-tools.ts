/** The tools `current_time` and `convert_time`. */
import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { AppError } from '../../base/errors.ts';
import { answer, readOnly, textAnswer } from './tool-answer.ts';
import { formatZoned, localZone, readZoned, weekdayIn } from './zoned-time.ts';
import type { ZonedReading } from './zoned-time.ts';

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
      answer(() => {
        const instant = now().getTime();
        const time = formatZoned(instant, timezone);
        const weekday = weekdayIn(instant, timezone);
        return { ...textAnswer(`${time} ${timezone}, ${weekday}`), structuredContent: { time, timezone, weekday } };
      }),
  );
  server.registerTool(
    'convert_time',
    {
      title: 'Convert time',
      description: 'Converts a time between time zones; tells DST gaps and overlaps.',
      annotations: readOnly,
      inputSchema: z.object({
        time: z.string().max(100).describe('HH:MM (today) or ISO 8601'),
        from: zone.optional().describe('IANA name; default: local'),
        to: zone,
      }),
    },
    ({ time, from = localZone(), to }) =>
      answer(() => {
        const { instant, note } = readTime(time, from, now().getTime());
        const times = { from: formatZoned(instant, from), to: formatZoned(instant, to) };
        const text = `${times.from} ${from} = ${times.to} ${to}, ${weekdayIn(instant, to)}`;
        return { ...textAnswer(text, note ?? ''), structuredContent: note === undefined ? times : { ...times, note } };
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
  // Date.parse turns 2026-02-30 into 2 March.
  if (Number.isNaN(reading) || new Date(reading).toISOString().slice(0, 10) !== day) throw unreadable(text);
  if (offset === undefined) return readZoned(reading, from);
  const instant = Date.parse(iso + offset.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2'));
  if (Number.isNaN(instant)) throw unreadable(text);
  return { instant };
}

function unreadable(text: string): AppError {
  return new AppError('bad_request', `"${text}" is not a time that can be read.`, {
    fix: 'Use HH:MM, or ISO 8601 such as 2026-03-29T14:30 or 2026-03-29T14:30+02:00.',
  });
}
