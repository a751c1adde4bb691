import { expect, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { ArgumentsRejectedError } from '../../../src-main/core/calls/rejected-arguments.ts';
import { callVariant } from '../../../src-main/compat/mcpproxy/call-variant.ts';
import { RpcError } from '../../../src-main/core/wire/message.ts';
import { retrieveContext } from './retrieve-context.ts';

const reading = callVariant('read');

test.each<[JsonObject, object]>([
  [{ name: 'fs:read_file', args: { path: '/a' } }, { arguments: { path: '/a' } }],
  [{ name: 'fs:read_file', args_json: '{"path":"/a"}' }, { arguments: { path: '/a' } }],
  [
    { name: 'fs:read_file', args: { path: '/a' }, args_json: '{"path":"/b"}' },
    { arguments: { path: '/b' }, beside: {} },
  ],
  [{ name: 'fs:read_file', args: { path: '/a' }, args_json: ' ' }, { arguments: { path: '/a' } }],
  [{ name: 'fs:read_file', intent_data_sensitivity: 'private' }, { declared: { sensitivity: 'private' } }],
  [
    { name: 'fs:read_file', intent: { operation_type: 'read', data_sensitivity: 'internal', reason: 'x' } },
    { declared: { sensitivity: 'internal', reason: 'x' } },
  ],
  [{ tool: 'fs:read_file', params: { path: '/a' } }, { arguments: { path: '/a' } }],
  [{ arguments: { name: 'fs:read_file', arguments: { path: '/a' } } }, { arguments: { path: '/a' } }],
  [
    { name: 'fs:read_file', path: '/a', intent_reason: 'x' },
    { arguments: {}, beside: { path: '/a' } },
  ],
])('%j goes to the pipeline with its intent', async (input, expected) => {
  const context = retrieveContext();
  await reading.run(input, context);
  expect(context.calls).toMatchObject([{ tool: 'fs:read_file', intent: 'read', via: 'call_tool_read', ...expected }]);
});

test('does not call a tool if the declared intent is wrong', async () => {
  const context = retrieveContext();
  const result = await reading.run({ name: 'fs:read_file', intent: { operation_type: 'write' } }, context);
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result)).toContain('INTENT_MISMATCH');
  expect(context.calls).toEqual([]);
});

const failing = (error: Error, tool = 'fs:read_file'): Promise<JsonObject> =>
  reading.run(
    { name: tool },
    {
      ...retrieveContext(
        [],
        [
          { name: 'fs', enabled: true },
          { name: 'git', enabled: false },
        ],
      ),
      callTool: () => Promise.reject(error),
    },
  ) as Promise<JsonObject>;

const unknown = new AppError('tool_not_found', 'Unknown tool.', { fix: 'Look it up.' });

test.each<[string, Error, string, RegExp]>([
  [
    'the server refusing arguments',
    new ArgumentsRejectedError(new RpcError(-32602, 'bad path'), { text: 'Schema of it: {}', isShown: false }),
    'fs:read_file',
    /"error_type":"invalid_params".*"input_schema":\{.*"path"/,
  ],
  [
    'another error of the server',
    new RpcError(-32000, 'no', { x: 1 }),
    'fs:read_file',
    /"error_code":-32000,"error_data":\{"x":1\}/,
  ],
  [
    'a server that is away',
    new AppError('server_exited', 'Gone.', { fix: 'Retry.' }),
    'fs:read_file',
    /"error":"Gone\.".*"troubleshooting":"Retry\."/,
  ],
  ['a tool that is not there', unknown, 'fs:nope', /"error":"Unknown tool\.","hint":"Look it up\."/],
  ['a name without a server', unknown, 'nope', / Use the form server:tool\./],
  [
    'a server that is not there',
    unknown,
    'zz:x',
    /There is no server \\"zz\\".*Servers: fs, git.*retrieve_tools.*upstream_servers/,
  ],
  ['a server that is off', unknown, 'git:x', /^TOOL_BLOCKED: git is disabled/],
])('%s is an error that the model can read', async (_what, error, tool, text) => {
  const result = await failing(error, tool);
  const [{ text: said }] = result['content'] as [{ text: string }];
  expect([result['isError'], said]).toEqual([true, expect.stringMatching(text)]);
});

test.each([new AppError('cancelled', 'x'), new TypeError('x')])(
  '%s is thrown, not returned to the model',
  async (error) => {
    await expect(failing(error)).rejects.toBe(error);
  },
);
