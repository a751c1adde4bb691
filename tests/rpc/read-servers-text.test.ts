/** What people paste: configs of any product, pieces of one, command lines. */
import { expect, test } from 'vitest';
import { readServersText } from '../../src-main/rpc/read-servers-text.ts';

const entry = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] };

test.each<[string, string, object[]]>([
  ['a whole config', JSON.stringify({ mcpServers: { memory: entry } }), [{ name: 'memory', entry }]],
  ['a config of VS Code', JSON.stringify({ servers: { memory: entry } }), [{ name: 'memory', entry }]],
  ['its inside', `"memory": ${JSON.stringify(entry)}`, [{ name: 'memory', entry }]],
  ['a map of entries', JSON.stringify({ memory: entry }), [{ name: 'memory', entry }]],
  ['one entry', JSON.stringify(entry), [{ name: 'memory', entry }]],
  [
    'one entry with comments',
    `{ // the memory\n "command": "npx", "args": ["-y", "x-mcp"], }`,
    [{ name: 'x', entry: { command: 'npx', args: ['-y', 'x-mcp'] } }],
  ],
  ['a command line', 'npx -y @modelcontextprotocol/server-memory', [{ name: 'memory', entry }]],
  [
    'a command line as a page shows it',
    '$ uvx mcp-server-git',
    [{ name: 'git', entry: { command: 'uvx', args: ['mcp-server-git'] } }],
  ],
  [
    'quoted words',
    `node "/my path/server.js"`,
    [{ name: 'server', entry: { command: 'node', args: ['/my path/server.js'] } }],
  ],
  ['an address', 'https://mcp.example.com/mcp', [{ name: 'example', entry: { url: 'https://mcp.example.com/mcp' } }]],
  [
    'the line for Claude Code',
    'claude mcp add -s user memory -- npx -y @modelcontextprotocol/server-memory',
    [{ name: 'memory', entry }],
  ],
])('%s is read', (_what, text, servers) => {
  expect(readServersText(text)).toEqual(servers);
});

test.each(['', '   ', 'two\nlines', '{}', '{"a": 1}', '[1]', '{"mcpServers": {'])('%j is refused', (text) => {
  expect(() => readServersText(text)).toThrow(expect.objectContaining({ code: 'bad_request' }) as Error);
});
