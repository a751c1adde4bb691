/** Brings the value of one key into the form that our field has. */
import { isObject, type JsonObject } from '../../base/json.ts';
import { readDuration } from '../schema.ts';
import type { KeyForm, KeyRule } from './dialect.ts';
import { splitCommand } from './split-command.ts';

/** A field of Tooltray and its value. */
export interface ReadValue {
  readonly field: string;
  readonly value: unknown;
}

interface ValueReading {
  readonly fields: readonly ReadValue[];
  /** Why the value was not read, as a sentence. */
  readonly problem?: string;
  readonly severity?: 'warning';
}

const lists: ReadonlySet<string> = new Set(['args', 'disabledTools', 'enabledTools', 'folders']);
const switches: ReadonlySet<string> = new Set(['enabled', 'lazy', 'quarantined', 'sandboxEnabled']);
const onWords: ReadonlySet<string> = new Set(['true', 'yes', 'on', '1', 'enabled']);
const offWords: ReadonlySet<string> = new Set(['false', 'no', 'off', '0', 'disabled', '']);

/** A value that cannot be understood is left as it is: the check of the fields says what is expected. */
export function readValue({ field, form }: KeyRule, value: unknown, key: string): ValueReading {
  if (form === 'seconds' || form === 'milliseconds' || form === 'nanoseconds') return readTime(field, form, value, key);
  const one = (read: unknown): ValueReading => ({ fields: [{ field, value: read }] });
  if (form === 'tools') return readTools(value);
  if (form === 'scopes') return one({ scopes: value });
  if (form === 'bearer')
    return typeof value === 'string' && !/^(?:oauth|none|)$/i.test(value) ? one(bearer(value)) : { fields: [] };
  if (form === 'bearerVariable') return one(bearer(`\${env:${String(value)}}`));
  if (form === 'headerVariables') return one(mapValues(value, (name) => `\${env:${String(name)}}`));
  if (switches.has(field)) return one(readSwitch(value, form === 'not'));
  if (field === 'env') return one(readVariables(value, form === 'secrets' ? 'secret' : 'env'));
  if (field === 'args' && typeof value === 'string') return one(splitCommand(value));
  // A single tool name is read as a list of one.
  if (lists.has(field) && typeof value === 'string') return one(value.split(',').map((item) => item.trim()));
  if (field === 'command' && isObject(value)) return { fields: [] };
  return one(value);
}

/** The truth of any way to write it, and the value itself where it is none. */
function readSwitch(value: unknown, isInverse: boolean): unknown {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : undefined;
  const read =
    typeof value === 'boolean'
      ? value
      : onWords.has(text ?? '?')
        ? true
        : offWords.has(text ?? '?')
          ? false
          : undefined;
  if (read === undefined) return value;
  return isInverse ? !read : read;
}

function readTime(field: string, form: KeyForm, value: unknown, key: string): ValueReading {
  const isOurs = key === field;
  const text = typeof value === 'string' ? value.trim() : undefined;
  const number = text === undefined ? value : /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
  const units = { seconds: 1, milliseconds: 1e-3, nanoseconds: 1e-9 } as const;
  const seconds = typeof number === 'number' ? number * units[form as keyof typeof units] : text && readDuration(text);
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) {
    return { fields: [], problem: 'A time such as 30 or "30s" is expected here.' };
  }
  if (seconds > 0 || isOurs) return { fields: [{ field, value: Math.round(seconds * 1e6) / 1e6 }] };
  return {
    fields: [],
    severity: 'warning',
    problem: 'A time of nothing has no effect: the default of Tooltray counts.',
  };
}

/**
 * A map of variables; also a list of names or of NAME=VALUE, or such a list in one text. `null` takes the variable of
 * the environment.
 */
function readVariables(value: unknown, source: 'env' | 'secret'): unknown {
  if (typeof value === 'string') return readVariables(splitCommand(value), source);
  if (!Array.isArray(value)) return mapValues(value, (item, name) => (item === null ? `\${env:${name}}` : item));
  const pairs = (value as unknown[]).map((item): [string, unknown] | undefined => {
    if (isObject(item) && typeof item['name'] === 'string')
      return [item['name'], item['value'] ?? `\${${source}:${item['name']}}`];
    const [, name, given] = /^([A-Za-z_][\w.-]*)(?:=(.*))?$/s.exec(String(item)) ?? [];
    return name === undefined ? undefined : [name, given ?? `\${${source}:${name}}`];
  });
  return pairs.includes(undefined) ? value : Object.fromEntries(pairs as [string, unknown][]);
}

/**
 * Copilot: a list of all that may be used, `["*"]` for every tool. MCPHub: a map of switches. Others: include and
 * exclude.
 */
function readTools(value: unknown): ValueReading {
  const field = (name: string, names: unknown): ReadValue[] =>
    names === undefined ? [] : [{ field: name, value: names }];
  if (!isObject(value)) {
    const names = typeof value === 'string' ? [value] : value;
    return { fields: Array.isArray(names) && names.includes('*') ? [] : field('enabledTools', names) };
  }
  const { include = value['allow'] ?? value['allowed'], exclude = value['deny'] ?? value['excluded'] } = value;
  const isMap = include === undefined && exclude === undefined;
  if (!isMap) return { fields: [...field('enabledTools', include), ...field('disabledTools', exclude)] };
  const off = Object.entries(value).filter(
    ([, tool]) => readSwitch(isObject(tool) ? tool['enabled'] : tool, false) === false,
  );
  return {
    fields:
      off.length === 0
        ? []
        : field(
            'disabledTools',
            off.map(([name]) => name),
          ),
  };
}

function bearer(token: string): JsonObject {
  return { Authorization: `Bearer ${token}` };
}

function mapValues(value: unknown, read: (item: unknown, key: string) => unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, read(item, key)]));
}
