/** What a list of tools adds where some servers' tools are not in it: which, and why, in a line. */
import type { JsonObject } from '../base/json.ts';

/** `missing` as `finder.missingServers()` has it. Without `structuredContent`, which would say less than the whole. */
export function withMissing(result: JsonObject, missing: string | undefined): JsonObject {
  if (missing === undefined) return result;
  const { structuredContent: _less, ...told } = result;
  const content = Array.isArray(told['content']) ? (told['content'] as unknown[]) : [];
  return { ...told, content: [...content, { type: 'text', text: `Not listed: ${missing}.` }] };
}
