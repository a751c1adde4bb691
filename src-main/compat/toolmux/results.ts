/** Facts as a result: JSON text for the model, and the same as structured content for programs. */
import { AppError } from '../../core/base/errors.ts';
import { isObject, type JsonObject } from '../../core/base/json.ts';
import type { HelperContext } from '../../core/modes/mode.ts';

export function dataResult(data: JsonObject | readonly unknown[]): JsonObject {
  return {
    content: [{ type: 'text', text: JSON.stringify(data) }],
    structuredContent: isObject(data) ? data : { result: data },
  };
}

/** `{"error": …}` in ToolMux's format, marked as an error. */
export function dataError(error: string, more: JsonObject = {}): JsonObject {
  return { ...dataResult({ error, ...more }), isError: true };
}

/**
 * A tool of several actions, chosen by the input's `action`; unknown ones and failures return ToolMux's error format.
 */
export type Action = (input: JsonObject, context: HelperContext) => JsonObject | Promise<JsonObject>;

export async function runAction(
  actions: Readonly<Record<string, Action>>,
  input: JsonObject,
  context: HelperContext,
): Promise<JsonObject> {
  const name = String(input['action']);
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) return dataError(`Unknown action '${name}'.`, { valid_actions: Object.keys(actions) });
  try {
    return await action(input, context);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return dataError(error.text, error.data);
  }
}
