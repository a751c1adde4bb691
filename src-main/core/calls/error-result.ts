/** An error as a tool's result, which is what a model can read and act on. */
import { AppError, errorText } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { RpcError } from '../wire/message.ts';

export function errorResult(error: unknown): JsonObject {
  return { content: [{ type: 'text', text: failureText(error) }], isError: true };
}

/** What went wrong, as the model reads it. */
export function failureText(error: unknown): string {
  if (error instanceof RpcError) {
    const data = error.data === undefined ? '' : `\n${JSON.stringify(error.data)}`;
    return `${error.message} (code ${error.code})${data}`;
  }
  if (!(error instanceof AppError)) return errorText(error);
  // The model needs the schema to do better.
  return error.code === 'arguments_invalid' ? JSON.stringify({ error: error.message, ...error.data }) : error.text;
}
