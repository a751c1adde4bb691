/** The core's answer to a question of the code: JSON text, or why there is none. */
import { AppError, errorText } from '../base/errors.ts';
import { isObject, type JsonObject, parseJson } from '../base/json.ts';
import { RawJson } from '../wire/raw-json.ts';
import { longestValue, type SandboxRequest } from './sandbox-request.ts';
import type { AnswerMessage, QuestionMessage, Refusal } from './worker-messages.ts';

/** Never rejects. */
export async function answerQuestion(
  question: QuestionMessage,
  request: SandboxRequest,
  signal: AbortSignal,
): Promise<AnswerMessage> {
  const { id } = question;
  try {
    const text = toText(await ask(question, request, signal), request);
    return { kind: 'answer', id, ok: true, text };
  } catch (error) {
    return { kind: 'answer', id, ok: false, text: JSON.stringify(toRefusal(error, request)) };
  }
}

function ask(question: QuestionMessage, request: SandboxRequest, signal: AbortSignal): Promise<unknown> {
  // What JSON.parse makes of "__proto__" is an own member like any other.
  const given = parseJson(question.text) as JsonObject;
  if (question.what === 'call') {
    return request.callTool(String(given.name), isObject(given.args) ? given.args : {}, signal);
  }
  const { discover } = request;
  if (discover === undefined) throw new AppError('unsupported', 'There is no search in this sandbox.');
  if (question.what === 'search') {
    return discover.search(String(given.query), typeof given.limit === 'number' ? given.limit : undefined);
  }
  return discover.schema(Array.isArray(given.names) ? given.names.map(String) : []);
}

function toText(answer: unknown, { globals }: SandboxRequest): string {
  if (answer instanceof RawJson) {
    checkSize(answer.byteLength);
    return answer.text();
  }
  const text = (JSON.stringify(lean(answer, globals)) as string | undefined) ?? 'null';
  checkSize(text.length);
  return text;
}

/** Unwrapped, a structured result says the same as its content; only one of them needs the room. */
function lean(answer: unknown, globals: SandboxRequest['globals']): unknown {
  const isDouble = isObject(answer) && isObject(answer.structuredContent) && answer.isError !== true;
  return isDouble && globals === 'execute' ? { structuredContent: answer.structuredContent } : answer;
}

function checkSize(length: number): void {
  if (length <= longestValue) return;
  throw new AppError(
    'message_too_large',
    `The result is ${(length / (1 << 20)).toFixed(1)} MB; at most ${longestValue >> 20} MB can enter the sandbox.`,
    { fix: 'Ask the tool for less, a page or a filter.' },
  );
}

/** MCPProxy knows one code for whatever goes wrong behind a call, besides those of its own policy. */
function toRefusal(error: unknown, { globals }: SandboxRequest): Refusal {
  const { code } = Object(error) as { code?: unknown };
  const isDocumented = typeof code === 'string' && (globals === 'execute' || /^[A-Z][A-Z_]+$/.test(code));
  return { code: isDocumented ? code : 'UPSTREAM_ERROR', message: errorText(error) };
}
