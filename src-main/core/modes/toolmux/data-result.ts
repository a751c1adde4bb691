/** Facts as a tool's result: JSON text for the model, the same as structure for programs. */
import { isObject, type JsonObject } from '../../base/json.ts';

export function dataResult(data: JsonObject | readonly unknown[]): JsonObject {
  return {
    content: [{ type: 'text', text: JSON.stringify(data) }],
    structuredContent: isObject(data) ? data : { result: data },
  };
}

/** `{"error": …}` as ToolMux writes it, and marked as the error that it is. */
export function dataError(error: string, more: JsonObject = {}): JsonObject {
  return { ...dataResult({ error, ...more }), isError: true };
}
