/** What the Python code gave a function, by place or by name, as the JSON of a question. */
import { isObject } from '../../base/json.ts';
import { fromJson, toJson } from './python-values.ts';
import { Raise } from './raise.ts';

type Given = readonly unknown[];
type Named = Readonly<Record<string, unknown>>;

const mostRequests = 100;
const nameWords = ['name', 'tool_name', 'tool'];
const argumentWords = ['params', 'args', 'arguments'];

/** `(name, arguments)`, with the arguments as a dictionary, as JSON text, or by their own names. */
export function readCall(given: Given, named: Named): string {
  if (typeof given[1] === 'string' && !/^\s*\{/.test(given[1])) {
    return callText(`${textOf(given[0])}:${given[1]}`, given[2] ?? pick(named, argumentWords));
  }
  const name = given[0] ?? pick(named, nameWords);
  const own = Object.entries(named).filter(([word]) => given.length > 0 || !nameWords.includes(word));
  const args = given[1] ?? pick(named, argumentWords);
  return callText(name, args ?? new Map(own));
}

/** `[{"name": …, "args": …}]`, or with `server` and `tool`. */
export function readBatch(given: Given, named: Named): string[] {
  const requests = given[0] ?? pick(named, ['calls', 'requests']);
  if (!Array.isArray(requests)) throw wrong('call_tools', 'give it a list of {"name": …, "args": …}.');
  if (requests.length > mostRequests) {
    throw wrong('call_tools', `${requests.length} requests are more than ${mostRequests}.`);
  }
  return requests.map((request: unknown) => {
    const { server, ...call } = Object.fromEntries(request instanceof Map ? request : []) as Named;
    const name = pick(call, nameWords);
    return callText(typeof server === 'string' ? `${server}:${textOf(name)}` : name, pick(call, argumentWords));
  });
}

export function readQuery(given: Given, named: Named): string {
  const limit = given[1] ?? named['limit'];
  return JSON.stringify({
    query: textOf(given[0] ?? named['query']),
    limit: typeof limit === 'number' ? limit : undefined,
  });
}

export function readNames(given: Given, named: Named): string {
  const names = given[0] ?? pick(named, ['names', 'tools', 'name']) ?? [];
  return JSON.stringify({ names: Array.isArray(names) ? names.map(textOf) : [textOf(names)] });
}

function callText(name: unknown, given: unknown): string {
  if (typeof name !== 'string' || name === '') throw wrong('call_tool', 'the name of the tool must be a text.');
  return `{"name":${JSON.stringify(name)},"args":${argumentsText(given ?? new Map())}}`;
}

function argumentsText(given: unknown): string {
  if (given instanceof Map) return toJson(given);
  // Handed on as it was written, so that no digit is lost.
  if (typeof given === 'string' && isObject(parsed(given))) return given;
  throw wrong('call_tool', 'the arguments must be a dictionary.');
}

function parsed(text: string): unknown {
  try {
    return fromJson(text);
  } catch {
    throw wrong('call_tool', 'the arguments are a text that is not JSON.');
  }
}

function pick(named: Named, words: readonly string[]): unknown {
  return words.map((word) => named[word]).find((value) => value !== undefined && value !== null);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function wrong(name: string, words: string): Raise {
  return new Raise('TypeError', `${name}: ${words}`, 'INVALID_ARGS');
}
