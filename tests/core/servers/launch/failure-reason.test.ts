/** Common causes of failed starts, detected in the output, with a short text and an action for each. */
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../../src-main/core/base/errors.ts';
import { failureReason, type Remedy, reasonInOutput } from '../../../../src-main/core/servers/launch/failure-reason.ts';

/** Output of real programs, and what a user reads about it. */
const printed: readonly (readonly [string, string, string, Remedy])[] = [
  [
    'Node, a missing file',
    `node:internal/modules/cjs/loader:1568\n  throw err;\nError: Cannot find module '/srv/jira/dist/index.js'\n  code: 'MODULE_NOT_FOUND',`,
    "can't start: the file dist/index.js is missing",
    'edit-command',
  ],
  [
    'Node, a missing package',
    `Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /srv/a/index.js`,
    "can't start: the package zod is missing",
    'edit-command',
  ],
  [
    'Python',
    `ModuleNotFoundError: No module named 'mcp.server'`,
    "can't start: the Python module mcp.server is missing",
    'edit-command',
  ],
  ['sh', 'sh: 1: uvx: not found', "can't start: uvx is not on PATH", 'edit-command'],
  ['bash', 'bash: line 1: deno: command not found', "can't start: deno is not on PATH", 'edit-command'],
  [
    'cmd.exe',
    `'uvx' is not recognized as an internal or external command,\noperable program or batch file.`,
    "can't start: uvx is not on PATH",
    'edit-command',
  ],
  ['spawn', 'Error: spawn git ENOENT', "can't start: git is not on PATH", 'edit-command'],
  [
    'npm',
    'npm error 404 Not Found - GET https://registry.example/@acme%2fmcp-server - Not found',
    "can't start: npm has no package @acme/mcp-server",
    'edit-command',
  ],
  [
    'uv',
    'Because mcp-nothing was not found in the package registry and you require mcp-nothing',
    "can't start: PyPI has no package mcp-nothing",
    'edit-command',
  ],
  ['an option', `error: unknown option '--read-only'`, "can't start: it has no option --read-only", 'edit-command'],
  [
    'a port',
    'Error: listen EADDRINUSE: address already in use :::3000',
    "can't start: port 3000 is in use",
    'edit-command',
  ],
  [
    'a refused connection',
    'Error: connect ECONNREFUSED 127.0.0.1:5432',
    'stopped: nothing is listening at 127.0.0.1:5432',
    'retry',
  ],
  [
    'an unknown host',
    'Error: getaddrinfo ENOTFOUND db.internal.example',
    'stopped: the host db.internal.example cannot be found',
    'edit-command',
  ],
  [
    'a variable',
    'Error: GITHUB_PERSONAL_ACCESS_TOKEN environment variable is required',
    'needs GITHUB_PERSONAL_ACCESS_TOKEN',
    'set-value',
  ],
  [
    'a variable, told first',
    'Missing required environment variable: SLACK_BOT_TOKEN',
    'needs SLACK_BOT_TOKEN',
    'set-value',
  ],
  ['a variable, politely', 'Please set the BRAVE_API_KEY environment variable', 'needs BRAVE_API_KEY', 'set-value'],
  ['401', 'Request failed with status code 401', "can't start: its credentials were rejected", 'set-value'],
  ['403', 'HTTP 403 Forbidden', "can't start: its credentials do not give access", 'set-value'],
  [
    'memory',
    'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
    'stopped: out of memory',
    'retry',
  ],
  ['a licence', 'License key is invalid or has expired.', "can't start: its license was not accepted", 'set-value'],
  [
    'Docker',
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock.',
    "can't start: Docker is not running",
    'retry',
  ],
  [
    'permissions',
    `Error: EACCES: permission denied, open '/etc/shadow'`,
    "can't start: no permission for etc/shadow",
    'edit-command',
  ],
  [
    'a missing file',
    `Error: ENOENT: no such file or directory, open '/srv/app/config.yml'`,
    "can't start: app/config.yml does not exist",
    'edit-command',
  ],
  ['a version', 'This package requires Node.js >= 22.0.0', "can't start: it needs Node.js >= 22.0.0", 'edit-command'],
];

describe('reasonInOutput', () => {
  test.each(printed)('finds the cause: %s', (_, text, words, remedy) => {
    expect(reasonInOutput(text.split('\n'))).toEqual({ words, remedy });
  });

  test.each([
    'Server listening on stdio',
    'Loaded 401 documents',
    'Not found',
    'INFO ready, API_VERSION=3',
    'DEBUG set retries to 3',
  ])('finds no cause in: %s', (text) => {
    expect(reasonInOutput([text])).toBeUndefined();
  });
});

test('reports the exit code, without output, if no cause is known', () => {
  const error = new AppError('server_exited', 'a exited with code 3. Last output: <b>hello</b>', {
    data: { code: 3, signal: null, stderr: ['<b>hello</b>'] },
  });
  expect(failureReason('a', error)).toEqual({ words: "can't start: it exited with code 3", remedy: 'retry' });
});

test('shortens other failures to their first sentence, without the server name', () => {
  const refused = new AppError('server_unreachable', 'far cannot be reached at 127.0.0.1:9: connection refused.', {
    fix: 'Check it.',
  });
  expect(failureReason('far', refused)).toEqual({
    words: 'cannot be reached at 127.0.0.1:9: connection refused',
    remedy: 'retry',
  });
  const missing = new AppError('command_not_found', 'gone did not start: "gone-mcp" was not found on PATH.');
  expect(failureReason('gone', missing)).toEqual({
    words: `can't start: "gone-mcp" was not found on PATH`,
    remedy: 'edit-command',
  });
});

test('names a missing value, and offers to clear a damaged npx folder', () => {
  const missing = new AppError('secret_missing', 'a needs the secret KEY.', { data: { secret: 'KEY' } });
  expect(failureReason('a', missing)).toEqual({ words: 'needs KEY', remedy: 'set-value' });
  const damaged = new AppError('server_exited', 'a exited.', {
    data: { code: 1, stderr: [], damagedFolder: '/n/_npx/1' },
  });
  expect(failureReason('a', damaged).remedy).toBe('clear');
});
