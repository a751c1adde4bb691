/** Answers one question about an open file, in the thread that may be ended for taking too long. */
import { AppError } from '../../base/errors.ts';
import type { RecordPage, ResultAnswer } from '../result-files.ts';
import { describeFile } from './describe-file.ts';
import { describeShape } from './describe-shape.ts';
import { readDocument } from './document.ts';
import { findLines } from './find-lines.ts';
import { indexLines, type LineIndex } from './line-index.ts';
import { pageDocument, pageLines } from './page-records.ts';
import { queryDocument } from './query-document.ts';
import { goesThroughFile, queryFile } from './query-file.ts';
import { readBytes, readHead, readSlice, readTail } from './read-lines.ts';
import type { ReadRequest, ReadTarget } from './reader-messages.ts';
import { showTable } from './show-table.ts';

/** Most that `read` gives however much is asked for: it ends up in a message, and in a model. */
const mostRead = 8 * 1024 * 1024;

export interface Answered {
  readonly answer: ResultAnswer | RecordPage;
  readonly index: LineIndex | undefined;
}

/** Throws AppError. */
export function answerQuestion(request: ReadRequest): Answered {
  const { target, question, maxBytes, steps } = request;
  const step = (): void => {
    steps[0] = (steps[0] ?? 0) + 1;
  };
  // Time is counted from here on.
  step();
  if (!isText(target)) {
    if (question.op === 'stat') return { answer: describeFile(target, undefined), index: undefined };
    throw noText(target);
  }
  switch (question.op) {
    case 'grep':
      return unindexed(findLines(target, question, maxBytes, step));
    case 'query':
      if (goesThroughFile(target, question)) return unindexed(queryFile(target, question, maxBytes));
      return unindexed(queryDocument(readDocument(target), question.query, question.limit, maxBytes));
    case 'schema':
      return unindexed(describeShape(readDocument(target), question.path, maxBytes));
    case 'table':
      return unindexed(showTable(readDocument(target), question, maxBytes));
    case 'page': {
      const page = target.kind === 'text' ? undefined : pageDocument(readDocument(target), target, question, maxBytes);
      return unindexed(page ?? pageLines(target, question, maxBytes, step));
    }
    default: {
      const index = request.index ?? indexLines(target.fd, target.bytes, step);
      return { answer: answerByLines(request, index), index };
    }
  }
}

function answerByLines({ target, question, maxBytes }: ReadRequest, index: LineIndex): ResultAnswer {
  switch (question.op) {
    case 'stat':
      return describeFile(target, index);
    case 'head':
      return readHead(target, index, question.lines, maxBytes);
    case 'tail':
      return readTail(target, index, question.lines, maxBytes);
    case 'slice':
      return readSlice(target, index, question, maxBytes);
    case 'read': {
      const wanted = Math.min(question.maxBytes === 0 ? mostRead : (question.maxBytes ?? maxBytes), mostRead);
      return readBytes(target, index, question.fromByte ?? 0, wanted);
    }
    default:
      throw new AppError('internal', `Op ${question.op} needs no lines.`);
  }
}

function unindexed(answer: ResultAnswer | RecordPage): Answered {
  return { answer, index: undefined };
}

function isText({ kind }: ReadTarget): boolean {
  return kind === 'text' || kind === 'json' || kind === 'toon';
}

function noText({ kind }: ReadTarget): AppError {
  const what = { image: 'a picture', audio: 'sound' }[kind as string] ?? 'no text';
  return new AppError('unsupported', `The file is ${what}: only op='stat' has something to say of it.`, {
    fix: 'resources/read of tooltray://spill/<id> gives it whole.',
  });
}
