/** Turns an error into a tool result, which a model can read and act on. */
import { AppError, errorText } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { maskText } from '../base/mask.ts';
import { RpcError } from '../wire/message.ts';
import { ArgumentsRejectedError } from './rejected-arguments.ts';

export function errorResult(error: unknown): JsonObject {
  return { content: [{ type: 'text', text: failureText(error) }], isError: true };
}

/**
 * Returns the client app's result for a failed call. A protocol error stays one if the app called the tool by its name.
 * Through a helper tool, and for our own errors, it becomes a result. undefined: the app cancelled the call.
 */
export function resultOfFailure(error: unknown, throughHelper: boolean): JsonObject | undefined {
  if (error instanceof AppError && error.code === 'cancelled') return undefined;
  if (!throughHelper && error instanceof RpcError) {
    const { code, message, data } = error;
    return { error: { code, message, ...(data !== undefined && { data }) } };
  }
  return errorResult(error);
}

/** The error text for the model. */
function failureText(error: unknown): string {
  if (error instanceof RpcError) {
    const data = error.data === undefined ? '' : `\n${JSON.stringify(error.data)}`;
    const [said, schema] =
      error instanceof ArgumentsRejectedError ? [error.serverMessage, `\n${error.schemaText}`] : [error.message, ''];
    return `${said} (code ${error.code})${data}${schema}`;
  }
  if (!(error instanceof AppError)) return errorText(error);
  // With the schema, the model can correct the arguments.
  return error.code === 'arguments_invalid' ? JSON.stringify({ error: error.message, ...error.data }) : error.text;
}

/**
 * The reason for a failure, for records. Our own messages can contain a command line or an address; a server's message
 * is its result.
 */
export function failureReason(error: unknown): string {
  return error instanceof AppError ? maskText(errorText(error)) : failureText(error);
}
