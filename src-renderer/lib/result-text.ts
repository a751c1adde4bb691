/** Formats payloads. Numbers keep their digits, and truncated text is shown as far as it goes. Pure. */
import { count } from './format.ts';
import { isRecord } from './record.ts';

/** One content block of a result. */
export interface Block {
  /** `Text`, `image/png`, `Structured content`. */
  readonly title: string;
  readonly text: string;
}

/** Indents JSON. Works on the text, because parsing would change big numbers and reject truncated text. */
export function prettyJson(json: string): string {
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(Math.min(depth, 40))}`;
  // Strings, including one truncated at the end, then brackets, then everything else.
  const tokens = json.match(/"(?:[^"\\]|\\.)*"?|[[\]{}]|,|:|[^\s",:[\]{}]+|\s+/gs) ?? [];
  let out = '';
  let opened = false;
  for (const token of tokens) {
    if (/^\s/.test(token)) continue;
    const closes = token === '}' || token === ']';
    if (closes) depth = Math.max(0, depth - 1);
    // Empty objects and arrays stay on one line.
    if (opened !== closes) out += line();
    opened = token === '{' || token === '[';
    if (opened) depth++;
    out += token === ':' ? ': ' : token;
    if (token === ',') out += line();
  }
  return out;
}

/** The blocks of a tool's result; undefined if it cannot be parsed. */
export function resultBlocks(json: string): readonly Block[] | undefined {
  const result = parsed(json);
  if (!isRecord(result)) return undefined;
  const { content, structuredContent } = result;
  const blocks = Array.isArray(content) ? content.map(blockOf) : [];
  if (structuredContent === undefined) return blocks.length > 0 ? blocks : undefined;
  return [...blocks, { title: 'Structured content', text: memberText(prettyJson(json), 'structuredContent') }];
}

/** The text of a top-level member in the output of `prettyJson`. */
export function memberText(pretty: string, name: string): string {
  const lines = pretty.split('\n');
  const opening = `  "${name}": `;
  const from = lines.findIndex((line) => line.startsWith(opening));
  const [first = '', ...rest] = lines.slice(from);
  const isClosed = !/[[{]$/.test(first);
  const end = isClosed ? 0 : rest.findIndex((line) => /^ {2}[\]}]/.test(line)) + 1;
  return [first.slice(opening.length), ...rest.slice(0, end).map((line) => line.slice(2))].join('\n').replace(/,$/, '');
}

function blockOf(block: unknown): Block {
  if (!isRecord(block)) return { title: 'Unknown', text: JSON.stringify(block) };
  const { type, text, mimeType, data, uri } = block;
  if (type === 'text' && typeof text === 'string') return { title: 'Text', text: readable(text) };
  const title = typeof mimeType === 'string' ? mimeType : String(type);
  if (typeof data === 'string') return { title, text: `${count(data.length, 'character')} of base64` };
  return typeof uri === 'string' ? { title, text: uri } : { title, text: JSON.stringify(block, undefined, 2) };
}

/** Many tools return JSON as text. */
function readable(text: string): string {
  const value = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  return value === undefined ? text : prettyJson(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
