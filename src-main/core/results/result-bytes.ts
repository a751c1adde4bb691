/** How big an answer is in UTF-8: the whole result as it is sent, or what a person means by its size, the payload. */
import { isObject, type JsonObject, parseJson } from '../base/json.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';

/** Longer answers (in bytes) are not parsed to be measured. */
const longestParsed = 8 * 1024 * 1024;

/** The whole result: every content block and `structuredContent` together. */
export function resultBytes(result: Result): number {
  return result instanceof RawJson ? result.byteLength : Buffer.byteLength(JSON.stringify(result));
}

/**
 * What the answer says, once: its texts without the escapes of the envelope, data without its spaces, other blocks as JSON, and
 * `structuredContent` where no text says the same. undefined for what came as bytes and is not worth being parsed for it: it
 * passes `limit` (0: there is none) in any case, or has more than 8 MB.
 */
export function payloadBytes(result: Result, limit: number): number | undefined {
  if (!(result instanceof RawJson)) return payloadOf(result);
  // Escapes make a text six times as long at the most, and many servers say everything twice.
  const isClear = result.byteLength > limit * 12;
  return isClear || result.byteLength > longestParsed ? undefined : payloadOf(result.parse());
}

function payloadOf({ content, structuredContent }: JsonObject): number {
  const blocks = Array.isArray(content) ? (content as unknown[]) : [];
  const told = blocks.map((block) => {
    const isText = isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string';
    return isText ? withoutLayout(block['text'] as string) : JSON.stringify(block);
  });
  const structure = isObject(structuredContent) ? JSON.stringify(structuredContent) : undefined;
  if (structure !== undefined && !told.includes(structure) && !repeats(structuredContent, blocks)) told.push(structure);
  return told.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** SDKs wrap a plain text as `{"result": text}` for tools with an output schema. */
function repeats(structure: unknown, blocks: readonly unknown[]): boolean {
  const values = isObject(structure) ? Object.values(structure) : [];
  const [only] = values;
  return values.length === 1 && blocks.some((block) => isObject(block) && block['text'] === only);
}

/** JSON as it is without its spaces; any other text as it is. */
function withoutLayout(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(parseJson(text));
  } catch {
    return text;
  }
}
