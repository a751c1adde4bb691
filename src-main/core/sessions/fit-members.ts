/** Members of an object made to fit where a strict reader would refuse them; what fits already is handed back as it is. */
import { isObject, type JsonObject } from '../base/json.ts';

/** Gives back the value, one that fits in its place, or undefined to leave it out. */
export type Fit = (value: unknown) => unknown;
export type Fits = ReadonlyMap<string, Fit>;

export function fitMembers(value: JsonObject, fits: Fits): JsonObject {
  const changed = new Map<string, unknown>();
  for (const [key, fit] of fits) {
    const member = value[key];
    const fitted = member === undefined ? undefined : fit(member);
    if (fitted !== member) changed.set(key, fitted);
  }
  return changed.size === 0 ? value : replaceMembers(value, changed);
}

/** Every member by the same measure. */
export function fitAll(value: JsonObject, fit: Fit): JsonObject {
  return fitMembers(value, new Map(Object.keys(value).map((key) => [key, fit])));
}

export const text: Fit = (value) => (typeof value === 'string' ? value : undefined);
export const flag: Fit = (value) => (typeof value === 'boolean' ? value : undefined);
export const object: Fit = (value) => (isObject(value) ? value : undefined);

export function oneOf(...words: string[]): Fit {
  return (value) => (words.includes(value as string) ? value : undefined);
}

export function objectWith(fits: Fits): Fit {
  return (value) => (isObject(value) ? fitMembers(value, fits) : undefined);
}

/** Items that cannot be made to fit are left out. */
export function listOf(fit: Fit): Fit {
  return (value) => (Array.isArray(value) ? fitItems(value, fit) : undefined);
}

function fitItems(items: readonly unknown[], fit: Fit): readonly unknown[] {
  const fitted = items.map(fit);
  return fitted.every((item, i) => item === items[i]) ? items : fitted.filter((item) => item !== undefined);
}

/** By entries, so that a property called `__proto__` stays one. */
function replaceMembers(value: JsonObject, changed: ReadonlyMap<string, unknown>): JsonObject {
  const entries = Object.entries(value).map(([key, member]) => [key, changed.has(key) ? changed.get(key) : member]);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined)) as JsonObject;
}
