/**
 * The one rule for results of our helper tools: `structuredContent` alone contains the whole result. Claude Code,
 * Codex, VS Code and Cursor pass nothing else to their models if it is present.
 */
import { isObject, tryParseJson } from '../base/json.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';

/**
 * Returns the result without `structuredContent` if the content has more; data that only the structure has becomes a
 * text block.
 */
export function completeContent(result: Result): Result {
  // A large result comes from a server and was left unparsed; a helper tool only adds marks around it.
  if (result instanceof RawJson) return result;
  const { structuredContent, ...unstructured } = result;
  if (structuredContent === undefined) return result;
  const blocks = Array.isArray(unstructured['content']) ? (unstructured['content'] as unknown[]) : [];
  // Compared in serialized form, which omits undefined members.
  const structure: unknown = tryParseJson(JSON.stringify(structuredContent));
  if (blocks.every((block) => restates(structure, block))) return result;
  if (blocks.some((block) => restates(structure, block))) return unstructured;
  return { ...unstructured, content: [...blocks, { type: 'text', text: JSON.stringify(structuredContent) }] };
}

/** Whether a block repeats the structured content: as JSON, or as the only text or value that it wraps. */
export function restates(structure: unknown, block: unknown): boolean {
  if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return false;
  const [meant, ...others] = isObject(structure) ? Object.values(structure) : [];
  if (others.length > 0) return isDeepStrictEqual(structure, tryParseJson(block['text']));
  const value = tryParseJson(block['text']);
  return (
    block['text'] === meant || [structure, meant].some((one) => one !== undefined && isDeepStrictEqual(one, value))
  );
}
