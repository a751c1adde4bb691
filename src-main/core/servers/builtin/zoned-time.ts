/** Wall-clock time in IANA zones, by Intl: what a zone's clocks show, and which instant a clock reading means. */
import { AppError } from '../../base/errors.ts';

export interface ZonedReading {
  /** ms since 1970. */
  readonly instant: number;
  /** Set where the clocks showed this reading twice, or never. */
  readonly note?: string;
}

const dayMs = 86_400_000;

/** The zone of this computer. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** `2026-03-29T03:00:00+02:00`, as the clocks in `zone` show it. Throws AppError `bad_request` for an unknown zone. */
export function formatZoned(instant: number, zone: string): string {
  const offset = offsetAt(instant, zone);
  return new Date(instant + offset).toISOString().slice(0, 19) + formatOffset(offset);
}

/** The weekday in `zone`, in English. */
export function weekdayIn(instant: number, zone: string): string {
  return formatter(zone, { weekday: 'long' }).format(instant);
}

/**
 * The instant of a clock reading, given as if it were UTC. A reading that the clocks skip is read with the offset before
 * the change, one that they show twice is the first (both as RFC 5545 and Temporal's "compatible" do).
 */
export function readZoned(reading: number, zone: string): ZonedReading {
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
    throw new AppError('bad_request', `There is no time zone "${zone.slice(0, 100)}".`, { fix: suggest(zone), cause });
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
