/** What of a tool's result goes into the text of the answer, and what follows it as it came. */
import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import { isToldAsToon } from '../../results/toon-result.ts';

export interface ToolPayload {
  /** As JSON: what is in the first text where that is an object or array, else the result as a whole. Or that text, where it is TOON. */
  readonly text: string;
  readonly format: 'json' | 'toon';
  /** Content that would be lost in the text, or unreadable: images, audio, resources, further texts. */
  readonly blocks: readonly unknown[];
}

export function toolPayload(result: JsonObject): ToolPayload {
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const [first, ...rest] = content;
  if (isToldAsToon(result) && isText(first)) return { text: first.text, format: 'toon', blocks: rest };
  const parsed = isText(first) ? parsedText(first.text) : undefined;
  if (parsed !== undefined) return asJson(parsed, rest);
  const texts = content.filter(isText);
  const blocks = content.filter((item) => !isText(item));
  const { structuredContent } = result;
  // Without a text the structure is the answer; beside one it says the same, or more, and stays with it.
  if (texts.length === 0 && isObject(structuredContent)) return asJson(structuredContent, blocks);
  return asJson({ ...result, ...('content' in result && { content: texts }) }, blocks);
}

function asJson(value: unknown, blocks: readonly unknown[]): ToolPayload {
  return { text: JSON.stringify(value), format: 'json', blocks };
}

/** All texts of a result, one below the other. */
export function textsOf(result: JsonObject): string {
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  return content
    .filter(isText)
    .map(({ text }) => text)
    .join('\n');
}

function isText(item: unknown): item is { text: string } {
  return isObject(item) && item['type'] === 'text' && typeof item['text'] === 'string';
}

function parsedText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
