/** Answers a query; an error becomes a code and a message that can be sent. */
import { isTextKind } from '../spill-writer-messages.ts';
import { AppError, errorText, toAppError } from '../../base/errors.ts';
import { readDocument } from './document.ts';
import { findLines, grepLines } from './grep.ts';
import { describeFile, viewLines, readBytes, readHead, readSlice, readTail } from './read-lines.ts';
import { queryDocument } from './query.ts';
import { select, selectText } from './sql.ts';
import {
  indexLines,
  type LineIndex,
  type ReaderResponse,
  type ReadReply,
  type ReadRequest,
  type ReadTarget,
} from './reader-messages.ts';
import { describeShape, readTable } from './table.ts';

export function handleReadRequest(request: ReadRequest): ReadReply {
  try {
    return { ok: true, ...answerQuestion(request) };
  } catch (error) {
    // Limits of V8: the stack for deep nesting, the length of a text.
    if (isTooMuch(error)) {
      const message = `The file is too big or nested too deep for op='${request.question.op}': ${errorText(error)}.`;
      return { ok: false, code: 'unsupported', message, fix: "Use op='grep', 'head', 'tail', 'slice' or 'read'." };
    }
    const { code, message, fix } = toAppError(error);
    return { ok: false, code, message, fix };
  }
}

/** Node's own RangeErrors have a code, and are our bugs. */
function isTooMuch(error: unknown): boolean {
  return error instanceof RangeError && (!('code' in error) || error.code === 'ERR_STRING_TOO_LONG');
}

// Answers one query about an open file, in a thread that may be terminated if it takes too long.

/** Maximum size that `read` returns, because it becomes a message and is read by a model. */
const maxRead = 8 * 1024 * 1024;

interface Answered {
  readonly answer: ReaderResponse;
  readonly index: LineIndex | undefined;
}

/** Throws AppError. */
function answerQuestion(request: ReadRequest): Answered {
  const { target, question, maxBytes, steps } = request;
  const step = (): void => {
    steps[0] = (steps[0] ?? 0) + 1;
  };
  // The time limit starts here.
  step();
  if (!isTextKind(target.kind)) {
    if (question.op === 'stat') return { answer: describeFile(target, undefined), index: undefined };
    throw noText(target);
  }
  switch (question.op) {
    case 'grep':
      return unindexed(grepLines(target, question, maxBytes, step));
    case 'find':
      return unindexed(findLines(target, question, maxBytes, step));
    case 'query':
      return unindexed(queryDocument(readDocument(target), question.query, question.limit, maxBytes));
    case 'schema':
      return unindexed(describeShape(readDocument(target), question.path, maxBytes));
    case 'table':
      return unindexed(readTable(readDocument(target), question, maxBytes));
    case 'sql':
    case 'select': {
      const { query, path, limit } = question;
      const ask = question.op === 'sql' ? selectText : select;
      return unindexed(ask([{ target, path }, ...request.others], query, { limit, maxBytes }));
    }
    default: {
      const index = request.index ?? indexLines(target.fd, target.bytes, step);
      return { answer: answerByLines(request, index), index };
    }
  }
}

function answerByLines({ target, question, maxBytes }: ReadRequest, index: LineIndex): ReaderResponse {
  switch (question.op) {
    case 'stat':
      return describeFile(target, index);
    case 'head':
      return readHead(target, index, question.lines, maxBytes);
    case 'tail':
      return readTail(target, index, question.lines, maxBytes);
    case 'slice':
      return readSlice(target, index, question, maxBytes);
    case 'lines':
      return viewLines(target, index, question, maxBytes);
    case 'read': {
      const wanted = Math.min(question.maxBytes === 0 ? maxRead : (question.maxBytes ?? maxBytes), maxRead);
      return readBytes(target, index, question.fromByte ?? 0, wanted);
    }
    default:
      throw new AppError('internal', `Op ${question.op} needs no lines.`);
  }
}

function unindexed(answer: ReaderResponse): Answered {
  return { answer, index: undefined };
}

function noText({ kind }: ReadTarget): AppError {
  const what = { image: 'a picture', audio: 'sound' }[kind as string] ?? 'no text';
  return new AppError('unsupported', `The file is ${what}: only op='stat' supports it.`, {
    fix: 'resources/read of tooltray://spill/<id> returns it in full.',
  });
}
