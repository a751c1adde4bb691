/** A spilled result: the core reads its file, whatever its size. */
import type { SpillRow } from '../../../src-main/rpc/contract.ts';
import { api } from '../../lib/api.ts';
import { type AnswerSource, fileName } from './result-source.ts';

export function spillSource({ id, server, tool, kind, mimeType, bytes, lines }: SpillRow): AnswerSource {
  return {
    kind,
    mimeType,
    bytes,
    lines,
    name: fileName([server, tool, id].filter((part) => part !== '').join('-')),
    whole: (signal) => api.readSpill(id, signal),
    readLines: (fromLine, count, signal) => api.ask('spillLines', { id, fromLine, count }, signal),
    find: (pattern, signal) => api.ask('spillFind', { id, pattern }, signal),
    sql: (query, signal) => api.ask('spillSql', { id, query }, signal),
    query: (query, signal) => api.ask('spillQuery', { id, query }, signal),
  };
}
