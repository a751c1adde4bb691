/** What a list of tools adds where some servers' tools are not in it: which, and why, in a line. */
import { isObject, type JsonObject } from '../base/json.ts';

/** `missing` as `finder.missingServers()` has it; the same in `structuredContent`, where there is one. */
export function withMissing(result: JsonObject, missing: string | undefined): JsonObject {
  if (missing === undefined) return result;
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const { structuredContent } = result;
  return {
    ...result,
    content: [...content, { type: 'text', text: `Not listed: ${missing}.` }],
    ...(isObject(structuredContent) && { structuredContent: { ...structuredContent, not_listed: missing } }),
  };
}
