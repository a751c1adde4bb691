/**
 * Adds to an answer what the model may not know of the tool: everything at its first use in a session, the schema at each
 * failure. That is what lets a list say one line per tool.
 */
import { isObject, type JsonObject } from '../../base/json.ts';
import { type CatalogEntry, usableSchema } from '../../catalog/catalog.ts';
import type { Result } from '../../wire/message.ts';
import { fact, RawJson } from '../../wire/raw-json.ts';
import type { SessionMemory } from '../session-memory.ts';
import { fullText } from './tool-texts.ts';

export function enrichResult(result: Result, tool: CatalogEntry, memory: SessionMemory): Result {
  // Bytes by the megabyte are passed on as they came; the tool stays new to the session.
  if (result instanceof RawJson) return result;
  const failed = fact(result, 'isError') === true;
  // Where apps hand on the structure alone, what is added to the text is not read; and what the tool gives has been seen.
  if (!failed && result['structuredContent'] !== undefined) return result;
  const schema = JSON.stringify(usableSchema(tool.definition));
  const isKnown = memory.seen('used', tool.id);
  if (failed) return withText(result, `\n[Schema for ${tool.name}: ${schema}]`);
  if (isKnown) return result;
  return withText(result, `\n[Tool: ${tool.name}]\n[Description: ${fullText(tool)}]\n[Parameters: ${schema}]`);
}

/** Joined to the last text, as ToolMux does it; images and what else there is stay as they are. */
function withText(result: JsonObject, text: string): JsonObject {
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const last = content.findLastIndex(isText);
  const block = content[last];
  if (!isText(block)) return { ...result, content: [...content, { type: 'text', text: text.trimStart() }] };
  return { ...result, content: content.with(last, { ...block, text: block.text + text }) };
}

function isText(block: unknown): block is JsonObject & { text: string } {
  return isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string';
}
