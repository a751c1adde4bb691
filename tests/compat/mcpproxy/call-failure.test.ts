import { expect, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { callErrorResult } from '../../../src-main/compat/mcpproxy/call-variant.ts';
import { retrieveContext } from './retrieve-context.ts';

const told = (error: unknown, tool: string): unknown => {
  const { content, isError } = callErrorResult(error, tool, retrieveContext()) as {
    content: [{ text: string }];
    isError: true;
  };
  return { isError, ...(JSON.parse(content[0].text) as object) };
};

test("returns a server's failure with the server's name and the HTTP status", () => {
  const error = new AppError('server_unreachable', 'fs answered HTTP 502.', {
    fix: 'Look later.',
    data: { status: 502 },
  });
  expect(told(error, 'fs:read_file')).toEqual({
    isError: true,
    error: 'fs answered HTTP 502.',
    server_name: 'fs',
    tool_name: 'read_file',
    http_details: { status_code: 502 },
    troubleshooting: 'Look later.',
  });
});

test('returns an unresolvable name as tool_name', () => {
  expect(told(new AppError('server_exited', 'It ended.'), 'zz')).toEqual({
    isError: true,
    error: 'It ended.',
    tool_name: 'zz',
  });
});
