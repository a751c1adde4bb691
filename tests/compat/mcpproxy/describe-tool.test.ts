import { describe, expect, test } from 'vitest';
import type { ServerSummary } from '../../../src-main/core/admin/server-summary.ts';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { ask, files, retrieveContext } from './retrieve-context.ts';

const off: Partial<ServerSummary> = { name: 'git', enabled: false, tools: 3, state: 'disabled' };

describe('definitions', () => {
  test('returns whole definitions, and a reason for each missing one', async () => {
    const ids = ['fs:read_file', 'fs:nope_at_all', 'git:log', 'zz:x'];
    const { definitions, errors } = await ask('describe_tool', { tool_ids: ids }, retrieveContext([], [off]));
    expect(definitions).toEqual([
      {
        name: 'fs:read_file',
        description: files[0]?.description,
        inputSchema: files[0]?.inputSchema,
        server: 'fs',
        annotations: files[0]?.annotations,
        call_with: 'call_tool_read',
      },
    ]);
    expect(errors).toMatchObject([
      { id: 'fs:nope_at_all', error: 'tool_not_found' },
      {
        id: 'git:log',
        error: 'server_disabled',
        remediation: expect.stringContaining('tooltray enable git') as string,
      },
      { id: 'zz:x', error: 'tool_not_found' },
    ]);
  });

  test('describes read_result, which spill summaries name', async () => {
    const id = 'read_result';
    const { definitions, errors } = await ask('describe_tool', { tool_ids: [id] }, retrieveContext());
    expect(definitions).toMatchObject([{ name: id, inputSchema: { type: 'object' }, call_with: 'call_tool_read' }]);
    expect(errors).toEqual([]);
  });

  test('the next search omits a schema that was described', async () => {
    const context = retrieveContext();
    await ask('describe_tool', { tool_ids: ['fs:stat_file'] }, context);
    const [first] = (await ask('retrieve_tools', { query: 'stat_file' }, context))['tools'] as JsonObject[];
    expect([first?.['name'], first?.['inputSchema']]).toEqual(['fs:stat_file', undefined]);
  });

  test.each<[JsonObject, RegExp]>([
    [{}, /must be a list/],
    [{ tool_ids: [] }, /must be a list/],
    [{ tool_ids: ['fs:read_file', 5] }, /must be a list/],
    [{ tool_ids: ['a', 'b', 'c', 'd', 'e', 'f'] }, /6 ids exceed the limit of 5/],
  ])('rejects %j as a whole', async (input, message) => {
    await expect(ask('describe_tool', input)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(message) as string,
    });
  });
});
