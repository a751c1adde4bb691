/** Pictures and sound of an answer apart from the rest of it: they are looked at and listened to, not read. */
import { isObject, type JsonObject } from '../base/json.ts';
import { resultBytes } from './result-bytes.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';

export interface MediaAside {
  readonly rest: Result;
  readonly media: readonly JsonObject[];
}

/** A result of more than `longest` bytes stays together. */
export function setMediaAside(result: Result, longest: number): MediaAside {
  if (resultBytes(result) > longest) return { rest: result, media: [] };
  const parsed = result instanceof RawJson ? result.parse() : result;
  const blocks = Array.isArray(parsed['content']) ? (parsed['content'] as unknown[]) : [];
  const media = blocks.filter(isMedia);
  if (media.length === 0) return { rest: result, media };
  return { rest: { ...parsed, content: blocks.filter((block) => !isMedia(block)) }, media };
}

function isMedia(block: unknown): block is JsonObject {
  return isObject(block) && (block['type'] === 'image' || block['type'] === 'audio');
}
