/** Action `readresult`, and the tools named after its ops: parts of an answer that was kept on disk. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { ResultFiles, ResultQuestion } from '../../results/result-files.ts';
import { envelope, estimateTokens, isCancelled, reason } from './envelope.ts';
import { readCount, readFirst } from './read-input.ts';

export const resultOps = ['stat', 'read', 'head', 'tail', 'slice', 'grep'] as const;

export type ResultOp = (typeof resultOps)[number];

const defaultLines = 50;

/** `op` where the tool's name has said it. Rejects with AppError. */
export async function readResult(input: JsonObject, files: ResultFiles, op?: ResultOp): Promise<JsonObject> {
  // Some callers wrap everything in `arguments`.
  const flat = isObject(input['arguments']) ? { ...input, ...input['arguments'] } : input;
  const resultFile = readFirst(flat, ['resultFile'])?.text;
  if (resultFile === undefined) throw new AppError('bad_request', "Action 'readresult' requires 'resultFile'.");
  const question = readQuestion(op ?? opOf(flat), flat);
  const { text, fields, truncated } = await ask(files, resultFile, question);
  const facts = {
    action: 'readresult',
    op: question.op,
    resultFile,
    estimatedTokens: estimateTokens(text),
    ...fields,
    ...(truncated && { truncated }),
  };
  return envelope(facts, text);
}

/** Without an op the safe one; one that does not exist reads, as mini-a has it. */
function opOf(input: JsonObject): ResultOp {
  const wanted = readFirst(input, ['op'])?.text.toLowerCase() ?? 'stat';
  return resultOps.find((op) => op === wanted) ?? 'read';
}

function readQuestion(op: ResultOp, input: JsonObject): ResultQuestion {
  switch (op) {
    case 'stat':
      return { op };
    case 'head':
    case 'tail':
      return { op, lines: readCount(input, 'lines', 1) ?? defaultLines };
    case 'slice': {
      const fromLine = readCount(input, 'fromLine', 1) ?? readCount(input, 'start', 1) ?? 1;
      return { op, fromLine, toLine: readCount(input, 'toLine', 1) ?? readCount(input, 'end', 1) };
    }
    case 'grep':
      return { op, pattern: readPattern(input['pattern']), context: readCount(input, 'context', 0) ?? 0 };
    case 'read':
      return { op, maxBytes: readCount(input, 'maxBytes', 0) ?? 0 };
  }
}

/** Not trimmed: spaces at its ends may be what is looked for. */
function readPattern(pattern: unknown): string {
  if (typeof pattern === 'string' && pattern !== '') return pattern;
  throw new AppError('bad_request', "Action 'readresult' with op='grep' requires a 'pattern'.");
}

async function ask(files: ResultFiles, file: string, question: ResultQuestion): ReturnType<ResultFiles['query']> {
  try {
    return await files.query(file, question);
  } catch (error) {
    if (isCancelled(error)) throw error;
    const code = error instanceof AppError ? error.code : 'internal';
    throw new AppError(code, `Failed to read result file '${file}': ${reason(error)}`, { cause: error });
  }
}
