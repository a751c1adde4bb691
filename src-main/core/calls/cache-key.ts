/** What makes two calls of a tool the same call: its server's entry, its name, its arguments whatever the order of their members. */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../base/json.ts';
import { metaOf } from '../wire/eras.ts';

/** Members of a request that say nothing about the answer; `_meta` tells who asks and how progress is reported. */
const plain: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);

/** `of`: what the answer depends on besides. undefined where a call is more than its arguments: a task, a further try, or something unknown. */
export function cacheKey(of: readonly string[], params: JsonObject): string | undefined {
  if (Object.keys(params).some((key) => !plain.has(key)) || asksForTask(params)) return undefined;
  const call = JSON.stringify([of, sorted(params['arguments'] ?? {})]);
  return createHash('sha256').update(call).digest('base64');
}

function asksForTask(params: JsonObject): boolean {
  return Object.keys(metaOf(params)).some((key) => /(^|[/-])tasks?$/.test(key));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const);
  // Pairs, as an object would put names like 2 before names like 10 by itself, and lose one called __proto__.
  return { members: members.sort(([a], [b]) => (a < b ? -1 : Number(a > b))) };
}
