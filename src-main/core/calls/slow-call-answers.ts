/** What a model is told of a call that goes on without it: that nothing is lost, and how to get at the answer. */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, plainNumber } from '../base/json.ts';
import { errorResult } from './error-result.ts';
import { nameKeys } from './read-arguments.ts';
import type { SlowCall } from './slow-call.ts';

const pendingKey = 'tooltray/pending';

/** Longest message of a server's progress that is repeated, in characters. */
const longestMessage = 200;

/** What a model called, as it knows it: through a helper tool that is the tool which it named there. */
export function calledTool({ name, arguments: args }: JsonObject, isHelper: boolean): string {
  const named = isHelper && isObject(args) ? nameKeys.map((key) => args[key]) : [];
  return String(named.find((one) => typeof one === 'string' && one !== '') ?? name);
}

/** No error: the call is running. `line`: how it is waited for. */
export function pendingResult(handle: string, call: SlowCall, line: string): JsonObject {
  const since = new Date(call.startedAt).toISOString();
  const seconds = Math.round(call.elapsedMs / 1000);
  const progress = progressText(call.waiters.progress);
  const text = [
    `${call.tool} is still running, since ${since} (${seconds} s)${progress === undefined ? '' : `: ${progress}`}.`,
    `Do not call it again. To wait for its answer: ${line}`,
  ].join(' ');
  return {
    content: [{ type: 'text', text }],
    _meta: {
      [pendingKey]: { handle, tool: call.tool, since, seconds, ...(progress !== undefined && { progress }) },
    },
  };
}

export function cancelledResult({ tool }: SlowCall): JsonObject {
  const text = `${tool} was cancelled. What it had done until then may stay done.`;
  return { content: [{ type: 'text', text }] };
}

/** In place of an answer that nobody was there to take, and that memory has no room for. */
export function lostResult({ tool }: SlowCall, bytes: number): JsonObject {
  const size = `${Math.round(bytes / 100_000) / 10} MB`;
  const failure = new AppError('message_too_large', `${tool} is done, but its answer of ${size} could not be kept.`, {
    fix: 'Let long answers be kept on disk ("results" in the config), or ask for less.',
  });
  return errorResult(failure);
}

export function unknownHandle(handle: string): AppError {
  return new AppError('not_found', `No call waits under the handle ${JSON.stringify(handle.slice(0, 80))}.`, {
    fix: 'Answers are kept for half an hour, and 5 minutes once fetched. Call the tool anew if it may run twice.',
  });
}

function progressText(params: JsonObject | undefined): string | undefined {
  if (params === undefined) return undefined;
  const { message } = params;
  const [progress, total] = [plainNumber(params['progress']), plainNumber(params['total'])];
  const share =
    typeof progress !== 'number' ? [] : [typeof total === 'number' ? `${progress} of ${total}` : `${progress}`];
  const words = typeof message === 'string' && message !== '' ? [message.slice(0, longestMessage)] : [];
  return [...share, ...words].join(', ') || undefined;
}
