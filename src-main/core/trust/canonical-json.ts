/** One text and one hash for a JSON value, whatever the order of its members. */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../base/json.ts';

/**
 * Members sorted by key in UTF-16 units, no white space; numbers keep their spelling. Source: RFC 8785, without its
 * number serialization.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .toSorted(byUnits)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of the canonical text, hex. */
export function canonicalHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** Hashes of objects that never change, each computed once. */
export class HashMemo {
  readonly #known = new WeakMap<JsonObject, string>();

  of(value: JsonObject | undefined): string {
    if (value === undefined) return canonicalHash(value);
    const known = this.#known.get(value) ?? canonicalHash(value);
    this.#known.set(value, known);
    return known;
  }
}

/** Whether two values are the same JSON, compared without serializing them. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one)) return Array.isArray(other) && isSameList(one, other);
  if (Array.isArray(other)) return false;
  // A number with preserved spelling is an object with one member.
  return isSameObject(one as JsonObject, other as JsonObject);
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (!isSameJson(one[at], other[at])) return false;
  return true;
}

function isSameObject(one: JsonObject, other: JsonObject): boolean {
  let members = 0;
  for (const key in one) {
    // A key like `constructor` exists on every object.
    if (!Object.hasOwn(other, key) || !isSameJson(one[key], other[key])) return false;
    members++;
  }
  for (const _ in other) members--;
  return members === 0 && JSON.isRawJSON(one) === JSON.isRawJSON(other);
}

function byUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
