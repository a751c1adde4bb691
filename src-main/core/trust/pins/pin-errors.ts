/** Errors for definitions that the user has not accepted, and for decisions on definitions that have changed since. */
import { AppError } from '../../base/errors.ts';
import { reviewCommand } from '../../config/server-holds.ts';
import type { DefinitionChange } from './pinned-definitions.ts';

/**
 * Quotes none of the server's new words. `isRejected`: the user rejected the change, so nobody is asked again.
 * `isLost`: the record of accepted definitions is damaged, so that nothing can be compared.
 */
export function definitionHeldError(
  server: string,
  { kind, name, class: change, isRugPull }: DefinitionChange,
  { isRejected, isLost = false }: { readonly isRejected: boolean; readonly isLost?: boolean },
): AppError {
  const what = kind === 'introduction' ? server : `${server}:${name}`;
  const how = change === 'new' ? 'is new' : isRugPull ? 'was changed by its server while it ran' : 'has changed';
  const now = isRejected ? 'the user rejected it' : "awaits the user's review";
  const since = isLost
    ? `The record of accepted definitions of ${server} is damaged, so ${what} ${now}.`
    : `${what} ${how} since ${server} was accepted, and ${now}.`;
  return new AppError('not_allowed', since, {
    fix: isRejected
      ? "Continue without it. The user or an administrator can undo this: tooltray inbox history, or the inbox in Tooltray's window."
      : `Ask the user or an administrator to review it: ${reviewCommand(server)}.`,
    data: { code: 'TOOL_QUARANTINED', server, tool: name, isNew: change === 'new' },
  });
}

/** Returns the error for a review whose definitions changed after they were shown. */
export function definitionChangedError(server: string): AppError {
  return new AppError('not_allowed', `The definitions of ${server} changed during the review.`, {
    fix: `Review them again: tooltray inbox show ${server}.`,
  });
}
