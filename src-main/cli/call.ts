/** `tooltray call TOOL [JSON | - | KEY=VALUE …]`: calls a tool as the person, a server's or one of our own. */
import { text as readAll } from 'node:stream/consumers';
import { isObject, type JsonObject, parseJson } from '../core/base/json.ts';
import { intents } from '../core/calls/check-intent.ts';
import { contentText } from './content-text.ts';
import { withCore } from './core-access.ts';
import { printJson } from './print.ts';
import { commonFlags, readFlags, wrongUse } from './read-flags.ts';

const callFlags = {
  ...commonFlags,
  raw: { type: 'boolean' },
  read: { type: 'boolean' },
  write: { type: 'boolean' },
  destructive: { type: 'boolean' },
  reason: { type: 'string' },
} as const;

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values, positionals } = readFlags(args, callFlags, [1, Infinity], form);
  const [tool = '', ...given] = positionals;
  const input = await readInput(given, form);
  const declared = intents.filter((intent) => values[intent] === true);
  if (declared.length > 1) throw wrongUse('--read, --write and --destructive exclude each other', form);
  const [intent] = declared;
  const { reason } = values;
  const asked = { tool, arguments: input, ...(intent && { intent }), ...(reason !== undefined && { reason }) };
  const result = await withCore(values.config, (core) => core.ask('call', asked));
  const isError = result['isError'] === true;
  if (values.json === true) printJson(result);
  else (isError ? process.stderr : process.stdout).write(contentText(result, values.raw === true));
  return isError ? 1 : 0;
}

async function readInput(given: readonly string[], form: string): Promise<JsonObject> {
  const [first = ''] = given;
  if (/^[A-Za-z_][\w.-]*=/.test(first)) return Object.fromEntries(given.map((pair) => readPair(pair, form)));
  if (given.length > 1) throw wrongUse(`${JSON.stringify(given[1])} is too much`, form);
  return readJson(first === '-' ? await readAll(process.stdin) : first, form);
}

/** `count=3`, `tags=["a"]`: what is JSON counts as that, anything else as text. */
function readPair(pair: string, form: string): [string, unknown] {
  const [, key, value] = /^([A-Za-z_][\w.-]*)=(.*)$/s.exec(pair) ?? [];
  if (key === undefined || value === undefined) throw wrongUse(`${JSON.stringify(pair)} is not KEY=VALUE`, form);
  try {
    return [key, parseJson(value)];
  } catch {
    return [key, value];
  }
}

/** Nothing means no arguments. */
function readJson(text: string, form: string): JsonObject {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw wrongUse(`The arguments are not JSON (${(cause as Error).message})`, form, cause);
  }
  if (!isObject(value)) throw wrongUse('The arguments must be a JSON object, such as \'{"path": "a.txt"}\'', form);
  return value;
}
