/** A value as the one JSON text that MCPProxy's tools answer with. */
import type { JsonObject } from '../../base/json.ts';

export function jsonResult(value: unknown): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}

/** The same for what the model should not take for success. */
export function jsonFailure(value: unknown): JsonObject {
  return { ...jsonResult(value), isError: true };
}
