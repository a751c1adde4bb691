/** An error as a tool's result, which is what a model can read and act on. */
import { AppError, errorText } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { RpcError } from '../wire/message.ts';

export function errorResult(error: unknown): JsonObject {
  return { content: [{ type: 'text', text: textOf(error) }], isError: true };
}

function textOf(error: unknown): string {
  if (error instanceof RpcError) {
    const data = error.data === undefined ? '' : `\n${JSON.stringify(error.data)}`;
    return `${error.message} (code ${error.code})${data}`;
  }
  return error instanceof AppError ? error.text : errorText(error);
}
