/** An error of one replica as another one is told it, and reads it again: the same code, sentence and help. */
import { AppError, type ErrorCode, errorCodes, toAppError } from '../../core/base/errors.ts';
import { isObject, jsonIn } from '../../core/base/json.ts';

export function tellError(error: unknown): string {
  const { code, message, fix, data } = toAppError(error);
  return JSON.stringify({ code, message, fix, data });
}

/** undefined: it is none of ours. */
export function errorIn(text: string): AppError | undefined {
  const told = jsonIn(text);
  if (!isObject(told) || !isCode(told['code'])) return undefined;
  const { code, message, fix, data } = told;
  const more = { ...(typeof fix === 'string' && { fix }), ...(isObject(data) && { data }) };
  return new AppError(code, String(message), more);
}

function isCode(code: unknown): code is ErrorCode {
  return errorCodes.some((known) => known === code);
}
