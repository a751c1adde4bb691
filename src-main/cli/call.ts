/** `tooltray call TOOL [JSON | -]`: calls a tool as the person. */
import { text as readAll } from 'node:stream/consumers';
import { isObject, type JsonObject, parseJson } from '../core/base/json.ts';
import { contentText } from './content-text.ts';
import { withCore } from './core-access.ts';
import { printJson } from './print.ts';
import { commonFlags, readFlags, wrongUse } from './read-flags.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values, positionals } = readFlags(args, { ...commonFlags, raw: { type: 'boolean' } }, [1, 2], form);
  const [tool = '', given] = positionals;
  const input = readInput(given === '-' ? await readAll(process.stdin) : (given ?? ''), form);
  const result = await withCore(values.config, (core) => core.ask('call', { tool, arguments: input }));
  const isError = result['isError'] === true;
  if (values.json === true) printJson(result);
  else (isError ? process.stderr : process.stdout).write(contentText(result, values.raw === true));
  return isError ? 1 : 0;
}

/** Nothing means no arguments. */
function readInput(text: string, form: string): JsonObject {
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
