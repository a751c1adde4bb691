/**
 * Errors that a user or a model may see. The message says what happened, `fix` says what to do. Codes are part of the
 * public contract: they are added, never renamed.
 */
import { systemErrorText } from './system-errors.ts';

export const errorCodes = [
  'already_running',
  'arguments_invalid',
  'bad_request',
  'call_failed',
  'call_timeout',
  'cancelled',
  'command_not_found',
  'config_conflict',
  'config_invalid',
  'config_not_found',
  'internal',
  'message_too_large',
  'mode_unknown',
  'not_allowed',
  'not_found',
  'paused',
  'port_in_use',
  'registry_failed',
  'secret_locked',
  'secret_missing',
  'server_disabled',
  'server_exited',
  'server_not_found',
  'server_not_started',
  'server_protocol',
  'server_starting',
  'server_timeout',
  'server_unauthorized',
  'server_unreachable',
  'session_limit',
  'spill_failed',
  'store_unreachable',
  'tool_ambiguous',
  'tool_not_found',
  'unauthorized',
  'unsupported',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

interface AppErrorOptions {
  /** The next step for the reader, as one imperative sentence. */
  readonly fix?: string;
  /** The underlying error, for the log. */
  readonly cause?: unknown;
  /** Facts for programs (candidates, file, line). Never secrets. */
  readonly data?: Record<string, unknown>;
}

/** An expected failure with a stable code, a message for users and models, and a fix. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly fix: string | undefined;
  readonly data: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fix = options.fix;
    this.data = options.data;
  }

  /** Message and fix as one text. */
  get text(): string {
    return this.fix === undefined ? this.message : `${this.message} ${this.fix}`;
  }
}

/** The same error with an additional sentence in its fix; the error itself if there is none. */
export function addFix(error: AppError, more: string | undefined): AppError {
  if (more === undefined) return error;
  return new AppError(error.code, error.message, {
    fix: error.fix === undefined ? more : joinSentences(error.fix, more),
    cause: error,
    ...(error.data && { data: error.data }),
  });
}

/** Joins sentences; a fix that ends with a command is terminated with a period. */
export function joinSentences(fix: string, more: string): string {
  return `${fix}${/[.!?…]$/.test(fix) ? '' : '.'} ${more}`;
}

/**
 * The text of any thrown value: message and fix of an AppError, a sentence with path and advice for file system
 * errors.
 */
export function errorText(error: unknown): string {
  if (error instanceof AppError) return error.text;
  const ofFile = systemErrorText(error);
  if (ofFile !== undefined) return ofFile;
  return error instanceof Error ? error.message : String(error);
}

/** Converts any thrown value to an AppError; an AppError stays unchanged. */
export function toAppError(error: unknown, code: ErrorCode = 'internal'): AppError {
  return error instanceof AppError ? error : new AppError(code, errorText(error), { cause: error });
}
