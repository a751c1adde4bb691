/** Tests `readresult` and the tools named after its ops: what they request from a store, and the form of their results. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { type Answer, dispatch, dispatchContext, run } from './dispatch-context.ts';
import { MemoryFiles } from './memory-files.ts';

const resultFile = '/kept/1.json';

function withFile(): { files: MemoryFiles; read: (input: JsonObject, tool?: string) => Promise<Answer> } {
  const files = new MemoryFiles();
  files.texts.set(resultFile, 'one\ntwo');
  const context = dispatchContext([], { spillFiles: files });
  const read = (input: JsonObject, tool?: string): Promise<Answer> =>
    tool === undefined ? dispatch({ action: 'readresult', ...input }, context) : run(tool, input, context);
  return { files, read };
}

describe('readresult', () => {
  test.each([
    [{}, { op: 'stat' }],
    [{ op: ' HEAD ' }, { op: 'head', lines: 50 }],
    [
      { op: 'tail', lines: '2' },
      { op: 'tail', lines: 2 },
    ],
    [{ op: 'slice' }, { op: 'slice', fromLine: 1, toLine: undefined }],
    [
      { op: 'slice', fromLine: 5, toLine: 7 },
      { op: 'slice', fromLine: 5, toLine: 7 },
    ],
    [
      { op: 'slice', start: 5, end: 7 },
      { op: 'slice', fromLine: 5, toLine: 7 },
    ],
    [
      { op: 'grep', pattern: ' a' },
      { op: 'grep', pattern: ' a', context: 0 },
    ],
    [{ arguments: { op: 'grep', pattern: 'a', context: 2 } }, { op: 'grep', pattern: 'a', context: 2 }],
    [
      { op: 'grep', pattern: 'a', limit: 5 },
      { op: 'grep', pattern: 'a', context: 0, limit: 5 },
    ],
    [{ op: 'read' }, { op: 'read', maxBytes: undefined }],
    [
      { op: 'read', fromByte: 20 },
      { op: 'read', maxBytes: undefined, fromByte: 20 },
    ],
    [
      { op: 'query', query: '$.a', limit: 1 },
      { op: 'query', query: '$.a', limit: 1 },
    ],
    [{ op: 'schema' }, { op: 'schema' }],
    [
      { op: 'schema', path: '$.a' },
      { op: 'schema', path: '$.a' },
    ],
    [{ op: 'table' }, { op: 'table', fromRow: 1, rows: 50 }],
    [
      { op: 'table', path: '$.a', columns: ['b', 'c'], fromRow: 2, rows: 3 },
      { op: 'table', path: '$.a', columns: ['b', 'c'], fromRow: 2, rows: 3 },
    ],
    [
      { op: 'table', columns: 'b, c' },
      { op: 'table', columns: ['b', 'c'], fromRow: 1, rows: 50 },
    ],
    [
      { op: 'zap', maxBytes: 20 },
      { op: 'read', maxBytes: 20 },
    ],
  ])('%j asks for %j', async (input, question) => {
    const { files, read } = withFile();
    await read({ resultFile, ...input });
    expect(files.asked).toEqual([[resultFile, question]]);
  });

  test('returns the text, what the op reports and an estimate', async () => {
    const { read } = withFile();
    const { text, facts, isError } = await read({ resultFile, op: 'read' });
    expect([text, isError]).toEqual(['one\ntwo', false]);
    expect(facts).toEqual({
      action: 'readresult',
      op: 'read',
      resultFile,
      totalLines: 2,
      estimatedTokens: 2,
      truncated: true,
    });
  });

  test.each([
    [{}, "requires 'resultFile'"],
    [{ resultFile, op: 'grep' }, "op='grep' requires a 'pattern'"],
    [{ resultFile, op: 'query' }, "op='query' requires a 'query'"],
    [{ resultFile, op: 'table', columns: 5 }, "columns' must be a list of names."],
    [{ resultFile, op: 'head', lines: 0 }, "'lines' must be an integer of at least 1"],
    [{ resultFile: '/etc/none' }, "Failed to read result file '/etc/none': There is no such file."],
  ])('%j returns: %s', async (input, fragment) => {
    const { isError, text } = await withFile().read(input);
    expect([isError, text]).toEqual([true, expect.stringContaining(fragment)]);
  });
});
