import { describe, expect, test } from 'vitest';
import type { ServerFacts } from '../../../../src-main/core/admin/server-facts.ts';
import type { JsonObject } from '../../../../src-main/core/base/json.ts';
import { ask, files, retrieveContext } from './retrieve-context.ts';

const off: Partial<ServerFacts> = { name: 'git', enabled: false, tools: 3, state: 'disabled' };

describe('definitions', () => {
  test('are whole, and what is missing says why', async () => {
    const ids = ['fs:read_file', 'fs:nope_at_all', 'FS:Write_File', 'git:log', 'zz:x'];
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
      { id: 'fs:nope_at_all', error: 'not_found' },
      { id: 'FS:Write_File', error: 'not_found', did_you_mean: 'fs:write_file' },
      { id: 'git:log', error: 'disabled', remediation: expect.stringContaining('tooltray enable git') as string },
      { id: 'zz:x', error: 'not_found' },
    ]);
  });

  test.each(['read_result', 'read_cache'])('%s, which cut answers name, is described', async (id) => {
    const { definitions, errors } = await ask('describe_tool', { tool_ids: [id] }, retrieveContext());
    expect(definitions).toMatchObject([{ name: id, inputSchema: { type: 'object' }, call_with: 'call_tool_read' }]);
    expect(errors).toEqual([]);
  });

  test('a schema that was described is not shown by the next search', async () => {
    const context = retrieveContext();
    await ask('describe_tool', { tool_ids: ['fs:stat_file'] }, context);
    const [first] = (await ask('retrieve_tools', { query: 'stat_file' }, context))['tools'] as JsonObject[];
    expect([first?.['name'], first?.['inputSchema']]).toEqual(['fs:stat_file', undefined]);
  });

  test.each<[JsonObject, RegExp]>([
    [{}, /not a list/],
    [{ tool_ids: [] }, /not a list/],
    [{ tool_ids: ['fs:read_file', 5] }, /not a list/],
    [{ tool_ids: ['a', 'b', 'c', 'd', 'e', 'f'] }, /6 ids are more than 5/],
    [{ tool_ids: Array.from({ length: 51 }, (_, i) => `a:${i}`), check: true }, /51 ids are more than 50/],
    [{ tool_ids: ['fs:read_file'], filters: {} }, /"filters"/],
    [{ tool_ids: ['fs:read_file'], expect_hashes: {} }, /"expect_hashes" is reserved/],
  ])('%j is refused as a whole', async (input, message) => {
    await expect(ask('describe_tool', input)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('a check', () => {
  const serverIn = (state: ServerFacts['state']): Partial<ServerFacts> => ({
    name: 'fs',
    enabled: true,
    state,
    health: { level: 'ok', summary: '', detail: 'detail', action: undefined },
  });
  const check = (state: ServerFacts['state'], more: JsonObject = {}): Promise<JsonObject> =>
    ask(
      'describe_tool',
      { tool_ids: ['fs:read_file'], check: true, ...more },
      retrieveContext([], [serverIn(state), off]),
    );

  test.each<[ServerFacts['state'], string, string | undefined]>([
    ['ready', 'ready', undefined],
    ['disconnected', 'ready', undefined],
    ['connecting', 'degraded_retryable', 'server_initializing'],
    ['discovering', 'degraded_retryable', 'server_initializing'],
    ['error', 'degraded_retryable', 'server_unhealthy'],
    ['pending-sign-in', 'blocked', 'oauth_required'],
  ])('of a tool whose server is %s gives %s', async (state, verdict, reason) => {
    const answer = await check(state);
    expect(answer).toMatchObject({ verdict, checked_at: expect.any(String) as string });
    expect((answer['results'] as JsonObject[])[0]).toMatchObject({
      id: 'fs:read_file',
      status: verdict,
      ...(reason && { reason }),
    });
  });

  test('of several tools gives the worst', async () => {
    const { verdict, results } = await check('ready', { tool_ids: ['fs:read_file', 'git:log', 'fs:raed_file'] });
    expect(verdict).toBe('unknown_ids');
    expect(results).toMatchObject([
      { status: 'ready' },
      { status: 'blocked', reason: 'server_disabled' },
      { status: 'unknown', reason: 'not_found', did_you_mean: 'fs:read_file' },
    ]);
  });

  test('tells whether a filter would hide it, and whether its server said so', async () => {
    const tool_ids = ['fs:delete_file', 'fs:stat_file'];
    const { verdict, results } = await check('ready', { tool_ids, filters: { exclude_destructive: true } });
    expect([verdict, results]).toMatchObject([
      'blocked',
      [{ reason: 'policy_filtered' }, { reason: 'missing_annotation' }],
    ]);
  });
});
