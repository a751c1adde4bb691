/** Values between JSON and Python, as the engine takes and gives them: dictionaries are Maps, long integers BigInts. */
import { isNestedTooDeep } from '../../base/json-nesting.ts';
import { Raise } from './raise.ts';

/** Throws SyntaxError, RangeError for what is nested too deep. */
export function fromJson(text: string): unknown {
  if (isNestedTooDeep(text)) throw new RangeError('The JSON is nested too deep.');
  return JSON.parse(text, keepDigits);
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? '';
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** A plain object could pose as one of the engine's marked values; a Map is always a dictionary. */
export function toPython(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPython);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return new Map(Object.entries(value).map(([key, member]) => [key, toPython(member)]));
}

/** Throws Raise SERIALIZATION_ERROR for what JSON has no words for. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(plain(value));
  } catch (error) {
    if (error instanceof RangeError) throw fault('It is nested too deep.');
    throw error;
  }
}

function plain(value: unknown): unknown {
  if (typeof value === 'string') return checkText(value);
  if (typeof value === 'bigint') return JSON.rawJSON(String(value));
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [keyOf(key), plain(member)]));
  if (value instanceof Set || value instanceof Uint8Array) return Array.from(value, plain);
  return Array.isArray(value) ? value.map(plain) : unmarked(value as Marked);
}

/** What the engine gives for functions and coroutines. */
function checkText(text: string): string {
  if (/^<coroutine object \w+>$/.test(text)) throw fault('It holds a coroutine; write await before it.');
  if (/^<function '[^']*' at 0x\w+>$/.test(text)) throw fault('It holds a function; call it.');
  return text;
}

function keyOf(key: unknown): string {
  if (typeof key === 'object' && key !== null) throw fault('A dictionary has a key that is neither text nor number.');
  return String(key);
}

/** A value of a type that JavaScript has not, as the engine marks it. */
interface Marked {
  readonly __monty_type__?: unknown;
  readonly [part: string]: unknown;
}

function unmarked({ __monty_type__: type, ...parts }: Marked): unknown {
  if (type === 'Date') return dateText(parts);
  if (type === 'DateTime') return `${dateText(parts)}T${timeText(parts)}${zoneText(parts['offsetSeconds'])}`;
  if (type === 'Ellipsis') return '...';
  return Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, plain(part)]));
}

function dateText(parts: Marked): string {
  return [padded(parts['year'], 4), padded(parts['month']), padded(parts['day'])].join('-');
}

function timeText(parts: Marked): string {
  const time = [padded(parts['hour']), padded(parts['minute']), padded(parts['second'])].join(':');
  return parts['microsecond'] === 0 ? time : `${time}.${padded(parts['microsecond'], 6)}`;
}

function zoneText(seconds: unknown): string {
  if (typeof seconds !== 'number') return '';
  const minutes = Math.abs(Math.trunc(seconds / 60));
  return `${seconds < 0 ? '-' : '+'}${padded(Math.trunc(minutes / 60))}:${padded(minutes % 60)}`;
}

function padded(value: unknown, length = 2): string {
  return String(value).padStart(length, '0');
}

function fault(message: string): Raise {
  return new Raise('TypeError', `The value cannot be written as JSON: ${message}`, 'SERIALIZATION_ERROR');
}
