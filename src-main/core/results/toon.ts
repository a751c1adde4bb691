/** TOON: the data of JSON in fewer tokens, lists of alike objects as tables. Source: toonformat.dev. */
import { decode, encode, rawString } from '@toon-format/toon';
import { isObject } from '../base/json.ts';

/** Throws where the value has no form in TOON: nested too deep, half a surrogate pair. */
export function toToon(value: unknown): string {
  return encode(encodable(value));
}

/** Throws SyntaxError for what is no TOON, and for an integer that would lose digits. */
export function fromToon(text: string): unknown {
  const value: unknown = decode(text);
  refuseRounded(value);
  return value;
}

/** As JSON.stringify would write it: without members that are undefined, numbers in their own spelling. */
function encodable(value: unknown): unknown {
  if (JSON.isRawJSON(value)) return rawString((value as { rawJSON: string }).rawJSON);
  if (Array.isArray(value)) return value.map(encodable);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [[key, encodable(member)]])),
  );
}

/** The library reads every number as a double; a call with another id than was written must not happen. */
function refuseRounded(value: unknown): void {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new SyntaxError('It has an integer of more digits than can be read from TOON; JSON can say it');
  }
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(refuseRounded);
}
