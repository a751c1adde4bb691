/**
 * `tooltray call TOOL [JSON
 * -
 * KEY=VALUE …]`: calls a tool as the local user, either a server's or a helper tool.
 */
import { text as readAll } from 'node:stream/consumers';
import { isObject, type JsonObject, parseJson } from '../../core/base/json.ts';
import { formatBytes } from '../../core/base/text-format.ts';
import { intents } from '../../core/calls/call-tool.ts';
import { command, commonFlags, usageError } from '../command.ts';
import { withCore } from '../core-access.ts';
import { oneLine, plainText, printJson } from '../terminal.ts';

export const call = command({
  words: 'TOOL [JSON | - | KEY=VALUE …]',
  flags: {
    maxEffect: { value: 'EFFECT', help: 'Reject tools that may do more: read, write, or destructive (default)' },
    reason: { value: 'TEXT', help: 'Reason to record with the call' },
    raw: { help: 'Print text exactly as sent by the server' },
    ...commonFlags,
    json: { help: 'Output the full result as JSON' },
  },
  notes: [
    '  tooltray call utils:current_time \'{"timezone": "Europe/Paris"}\'',
    '  tooltray call utils:current_time timezone=Europe/Paris',
    '  tooltray call search_tools query="read a file"',
    'Exits with 1 if the tool returns an error.',
  ],
  async run({ reason, raw, config, json, maxEffect }, [tool = '', ...given]) {
    const input = await readInput(given);
    const intent = intents.find((one) => one === maxEffect);
    if (maxEffect !== undefined && intent === undefined) throw usageError(`--max-effect takes ${intents.join(', ')}`);
    const request = { tool, arguments: input, ...(intent && { intent }), ...(reason !== undefined && { reason }) };
    const result = await withCore(config, (core) => core.ask('call', request));
    const isError = result['isError'] === true;
    if (json) printJson(result);
    else (isError ? process.stderr : process.stdout).write(contentText(result, raw));
    return isError ? 1 : 0;
  },
});

async function readInput(given: readonly string[]): Promise<JsonObject> {
  const [first = ''] = given;
  if (/^[A-Za-z_][\w.-]*=/.test(first)) return Object.fromEntries(given.map((pair) => readPair(pair)));
  if (given.length > 1) throw usageError(`Unexpected argument ${JSON.stringify(given[1])}`);
  return readJson(first === '-' ? await readAll(process.stdin) : first);
}

/** `count=3`, `tags=["a"]`: parses the value as JSON; if that fails, the value is a string. */
function readPair(pair: string): [string, unknown] {
  const [, key, value] = /^([A-Za-z_][\w.-]*)=(.*)$/s.exec(pair) ?? [];
  if (key === undefined || value === undefined) throw usageError(`${JSON.stringify(pair)} is not KEY=VALUE`);
  try {
    return [key, parseJson(value)];
  } catch {
    return [key, value];
  }
}

/** Parses a JSON object; empty input means no arguments. */
function readJson(text: string): JsonObject {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw usageError(`Invalid JSON arguments (${(cause as Error).message})`, cause);
  }
  if (!isObject(value)) throw usageError('Arguments must be a JSON object, e.g. \'{"path": "a.txt"}\'');
  return value;
}

/**
 * Formats a tool result for the terminal: prints text and summarizes other content. Ends with a line feed unless it is
 * empty. `raw` leaves text unescaped, as the server sent it.
 */
export function contentText(result: JsonObject, raw: boolean): string {
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const clean = raw ? (text: string) => text : plainText;
  const blocks = content.map((block) => (isObject(block) ? blockText(block, clean) : clean(JSON.stringify(block))));
  if (content.length === 0 && result['structuredContent'] !== undefined)
    blocks.push(clean(JSON.stringify(result['structuredContent'], null, 2)));
  const text = blocks.join('\n');
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function blockText(block: JsonObject, clean: (text: string) => string): string {
  const { type, text, data, mimeType, uri, name, resource } = block;
  if (type === 'text' && typeof text === 'string') return clean(text);
  if (type === 'resource' && isObject(resource)) {
    return typeof resource['text'] === 'string'
      ? clean(resource['text'])
      : describeBlock('resource', resource['uri'], resource['mimeType'], resource['blob']);
  }
  if (type === 'resource_link')
    return describeBlock('link', [name, uri].filter(Boolean).join(' '), mimeType, undefined);
  return describeBlock(typeof type === 'string' ? type : 'content', undefined, mimeType, data);
}

/** Returns a summary such as `[image, image/png, 12 kB]`; `--json` prints the full content. */
function describeBlock(kind: string, label: unknown, mimeType: unknown, base64: unknown): string {
  const size = typeof base64 === 'string' ? formatBytes(Math.floor((base64.length * 3) / 4)) : '';
  const parts = [kind, label, mimeType, size].filter((part): part is string => typeof part === 'string' && part !== '');
  return `[${oneLine(parts.join(', '))}]`;
}
