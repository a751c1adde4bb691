/** A tool of several actions: the input's `action` chooses; one there is not, and what goes wrong, are answers of ToolMux's shape. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext } from '../mode.ts';
import { dataError } from './data-result.ts';

export type Action = (input: JsonObject, context: HelperContext) => JsonObject | Promise<JsonObject>;

export async function runAction(
  actions: Readonly<Record<string, Action>>,
  input: JsonObject,
  context: HelperContext,
): Promise<JsonObject> {
  const name = String(input['action']);
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) return dataError(`There is no action '${name}'.`, { valid_actions: Object.keys(actions) });
  try {
    return await action(input, context);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return dataError(error.text, error.data);
  }
}
