/** The payload of a result, without duplicates: the size that is reported, counted and checked against limits. */
import { isObject, type JsonObject, tryParseJson } from '../base/json.ts';

/** Its texts verbatim, other blocks as JSON, and `structuredContent` unless a text repeats it. */
export function payloadTexts(result: JsonObject): string[] {
  const { content, structuredContent } = result;
  const blocks = Array.isArray(content) ? (content as unknown[]) : [];
  const texts = blocks.map((block) => textOf(block) ?? JSON.stringify(block));
  const isRepeated = textsOfStructure(result).size > 0;
  return isObject(structuredContent) && !isRepeated ? [...texts, JSON.stringify(structuredContent)] : texts;
}

/** In bytes (UTF-8). */
export function payloadBytes(result: JsonObject): number {
  return payloadTexts(result).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** The text blocks of a result that repeat its `structuredContent`. */
export function textsOfStructure({ content, structuredContent }: JsonObject): ReadonlySet<unknown> {
  if (!isObject(structuredContent) || !Array.isArray(content)) return new Set();
  // SDKs wrap a plain text as `{"result": text}` for tools with an output schema.
  const [wrapped, ...more] = Object.values(structuredContent);
  const structure = JSON.stringify(structuredContent);
  const saysIt = (block: unknown): boolean => {
    const text = textOf(block);
    if (text === undefined) return false;
    // White space only makes it longer, so a shorter text differs and need not be parsed.
    return (more.length === 0 && text === wrapped) || (text.length >= structure.length && compact(text) === structure);
  };
  return new Set((content as unknown[]).filter(saysIt));
}

/** Which representation of a duplicate result a client app passes to its model. */
export type ResultReading = 'text' | 'structured';

/** Returns the result without its repeated half, or unchanged if nothing is repeated. */
export function withoutDuplicate(result: JsonObject, reads: ResultReading): JsonObject {
  const repeating = textsOfStructure(result);
  if (repeating.size === 0) return result;
  if (reads === 'structured') {
    return { ...result, content: (result['content'] as unknown[]).filter((block) => !repeating.has(block)) };
  }
  const { structuredContent: _same, ...rest } = result;
  return rest;
}

function textOf(block: unknown): string | undefined {
  const isText = isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string';
  return isText ? (block['text'] as string) : undefined;
}

/** JSON without white space; any other text unchanged. */
function compact(text: string): string {
  const value = /^\s*[[{]/.test(text) ? tryParseJson(text) : undefined;
  return value === undefined ? text : JSON.stringify(value);
}
