/** The size of a whole result in UTF-8: every content block and `structuredContent` together. */
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';

export function resultBytes(result: Result): number {
  return result instanceof RawJson ? result.byteLength : Buffer.byteLength(JSON.stringify(result));
}
