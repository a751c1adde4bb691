/** Converts the value of a key to the form of our field. */
import { isObject, tryParsePlainJson } from '../../base/json.ts';
import { readDuration } from '../schema.ts';
import type { KeyRule } from './dialect.ts';
import { offWords, onWords } from './key-table.ts';
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

const lists: ReadonlySet<string> = new Set(['disabledTools', 'enabledTools', 'folders']);
const switches: ReadonlySet<string> = new Set(['enabled', 'lazy', 'quarantined', 'sandboxEnabled']);

/** A value that cannot be understood is passed unchanged, so that validation reports it. */
export function readValue(rule: KeyRule, value: unknown, key: string): ValueReading {
  const { field, form } = rule;
  if (form === 'seconds' || form === 'milliseconds' || form === 'nanoseconds') return readTime(rule, value, key);
  const one = (read: unknown): ValueReading => ({ fields: [{ field, value: read }] });
  if (form === 'tools') return { fields: readTools(value) };
  if (form === 'toolsIfAny') return Array.isArray(value) && value.length === 0 ? { fields: [] } : one(value);
  if (form === 'scopes') return one({ scopes: value });
  if (form === 'bearer') return { fields: bearer(isObject(value) ? value['token'] : value) };
  if (form === 'bearerVariable') return { fields: bearer(`\${env:${String(value)}}`) };
  if (form === 'headerVariables') return one(mapValues(value, (name) => `\${env:${String(name)}}`));
  if (switches.has(field)) return one(readSwitch(value, form === 'not'));
  if (field === 'env')
    return one(readPairs(value, '=', (name) => `\${${form === 'secrets' ? 'secret' : 'env'}:${name}}`));
  if (field === 'headers') return one(readPairs(value, ':', () => undefined));
  if (field === 'args') return one(Array.isArray(value) ? value.flat() : readList(value, splitCommand));
  // A single tool name is read as a list of one.
  if (lists.has(field)) return one(readList(value, splitNames));
  if (field === 'command' && isObject(value)) return { fields: [] };
  return one(value);
}

/** A text as the list that it is: in JSON, or as `split` reads it. */
function readList(value: unknown, split: (text: string) => unknown): unknown {
  if (typeof value !== 'string') return value;
  const json = /^\s*[[{]/.test(value) ? tryParsePlainJson(value) : undefined;
  return Array.isArray(json) || isObject(json) ? json : split(value);
}

function splitNames(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

/** A switch in any notation as a boolean; other values unchanged. */
function readSwitch(value: unknown, isInverse: boolean): unknown {
  const isPlain = typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string';
  const word = isPlain ? String(value).trim().toLowerCase() : '?';
  if (onWords.has(word)) return !isInverse;
  return offWords.has(word) ? isInverse : value;
}

function readTime({ field, also, form }: KeyRule, value: unknown, key: string): ValueReading {
  const text = typeof value === 'string' ? plainDuration(value) : undefined;
  const number = text === undefined ? value : /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
  const units = { seconds: 1, milliseconds: 1e-3, nanoseconds: 1e-9 } as const;
  const seconds = typeof number === 'number' ? number * units[form as keyof typeof units] : text && readDuration(text);
  if (typeof seconds === 'number' && (seconds > 0 || key === field))
    return { fields: [field, also ?? field].map((one) => ({ field: one, value: Math.round(seconds * 1e6) / 1e6 })) };
  if (text === '') return { fields: [] };
  return typeof seconds === 'number'
    ? {
        fields: [],
        severity: 'warning',
        problem: 'A duration of 0 has no effect; Tooltray’s default applies.',
      }
    : { fields: [], problem: 'A time such as 30 or "30s" is expected here.' };
}

/** `1 minute 30 seconds` as `1m30s`, and so `PT1M30S` of ISO 8601. */
function plainDuration(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s|^pt/g, '')
    .replace(/mil[a-z]*/g, 'ms')
    .replace(/(\d)(ms|[smh])[a-z]*/g, '$1$2');
}

/**
 * A map of names and values; also a list of names, of NAME=VALUE or of objects, or one text of them. `whole` is the
 * value of a name alone.
 */
function readPairs(value: unknown, sign: '=' | ':', whole: (name: string) => string | undefined): unknown {
  if (typeof value === 'string')
    return readPairs(
      readList(value, (text) => splitPairs(text, sign)),
      sign,
      whole,
    );
  if (!Array.isArray(value)) return mapValues(value, (item, name) => (item === null ? whole(name) : item));
  const pairs = (value as unknown[]).flatMap((item): readonly (readonly [string, unknown] | undefined)[] => {
    if (isObject(item)) {
      const name = item['name'] ?? item['key'];
      return typeof name === 'string' ? [[name, item['value'] ?? whole(name)]] : Object.entries(item);
    }
    const [, name, given] = (sign === '=' ? variable : header).exec(String(item)) ?? [];
    return [name === undefined ? undefined : [name, given ?? whole(name)]];
  });
  return pairs.includes(undefined) ? value : Object.fromEntries(pairs as (readonly [string, unknown])[]);
}

const variable = /^([A-Za-z_][\w.-]*)(?:\s*=(.*))?$/s;
const header = /^([\w-]+)\s*[:=]\s*(.*)$/s;

/** One a line; variables also with blanks, commas or semicolons between. */
function splitPairs(text: string, sign: '=' | ':'): readonly string[] {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  if (sign === ':' || lines.length > 1) return lines.map((line) => line.trim());
  const parts = text.split(/[,;]\s*(?=[A-Za-z_]\w*=)/);
  return parts.length > 1 ? parts : splitCommand(text);
}

/** Copilot: a list of permitted tools, `["*"]` for all. MCPHub: a map of switches. Others: include and exclude. */
function readTools(value: unknown): readonly ReadValue[] {
  const field = (name: string, names: unknown): ReadValue[] =>
    names === undefined ? [] : [{ field: name, value: names }];
  if (!isObject(value)) {
    const names = readList(value, splitNames);
    return Array.isArray(names) && names.includes('*') ? [] : field('enabledTools', names);
  }
  const listed = (words: readonly string[]): unknown => words.map((word) => value[word]).find(Array.isArray);
  const include = listed(['include', 'allow', 'allowed', 'enabled']);
  const exclude = listed(['exclude', 'deny', 'denied', 'excluded', 'disabled']);
  if (include !== undefined || exclude !== undefined)
    return [...field('enabledTools', include), ...field('disabledTools', exclude)];
  const tools = Object.entries(value).map(([name, tool]) => [name, isToolOn(tool)] as const);
  const named = (isOn: boolean): readonly string[] => tools.flatMap(([name, on]) => (on === isOn ? [name] : []));
  const off = named(false);
  if (off.includes('*')) return field('enabledTools', named(true));
  return field('disabledTools', off.length === 0 ? undefined : off);
}

function isToolOn(tool: unknown): unknown {
  if (!isObject(tool)) return readSwitch(tool, false);
  return tool['enabled'] === undefined ? readSwitch(tool['disabled'], true) : readSwitch(tool['enabled'], false);
}

/** None for a word that says how to sign in. */
function bearer(token: unknown): readonly ReadValue[] {
  if (typeof token !== 'string' || /^(?:oauth|none|)$/i.test(token)) return [];
  const isWhole = /^(?:bearer|basic|token) /i.test(token);
  return [{ field: 'headers', value: { Authorization: isWhole ? token : `Bearer ${token}` } }];
}

function mapValues(value: unknown, read: (item: unknown, key: string) => unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, read(item, key)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}
