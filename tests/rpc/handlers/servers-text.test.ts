/** What people paste: configs of any product, pieces of one, command lines. */
import { expect, test } from 'vitest';
import { readServersText } from '../../../src-main/rpc/handlers/servers.ts';

const isProgram = async (command: string): Promise<boolean> => Promise.resolve(command === 'my-server');
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
  [
    'the same with its environment, as Claude Code takes several pairs',
    'claude mcp add -e API_KEY=a -e REGION=b OTHER=c github --scope user -- npx -y server-github --toolsets all',
    [
      {
        name: 'github',
        entry: {
          command: 'npx',
          args: ['-y', 'server-github', '--toolsets', 'all'],
          env: { API_KEY: 'a', REGION: 'b', OTHER: 'c' },
        },
      },
    ],
  ],
  [
    'its address, with a header behind it',
    'claude mcp add --transport http sentry https://mcp.sentry.dev/mcp --header "Authorization: Bearer x y"',
    [{ name: 'sentry', entry: { url: 'https://mcp.sentry.dev/mcp', headers: { Authorization: 'Bearer x y' } } }],
  ],
  [
    'its address of the older transport',
    'claude mcp add --transport=sse asana https://mcp.asana.com/sse',
    [{ name: 'asana', entry: { url: 'https://mcp.asana.com/sse', type: 'sse' } }],
  ],
  [
    'an entry for Claude Code',
    `claude mcp add-json weather '{"type":"stdio","command":"npx","args":["-y","w-mcp"]}' --scope user`,
    [{ name: 'weather', entry: { type: 'stdio', command: 'npx', args: ['-y', 'w-mcp'] } }],
  ],
  [
    'the line for Codex',
    'codex mcp add docs --env TOKEN=1 -- npx -y docs-mcp',
    [{ name: 'docs', entry: { command: 'npx', args: ['-y', 'docs-mcp'], env: { TOKEN: '1' } } }],
  ],
  [
    'its address, with the token in a variable',
    'codex mcp add linear --url https://mcp.linear.app/mcp --bearer-token-env-var LINEAR_KEY',
    [
      {
        name: 'linear',
        entry: { url: 'https://mcp.linear.app/mcp', headers: { Authorization: 'Bearer ${env:LINEAR_KEY}' } },
      },
    ],
  ],
  [
    'the line for Gemini CLI, whose command keeps its flags',
    'gemini mcp add -s user -e K=v files npx -y files-mcp --root /x -e inner=1',
    [
      {
        name: 'files',
        entry: {
          command: 'npx',
          args: ['-y', 'files-mcp', '--root', '/x', '-e', 'inner=1'],
          env: { K: 'v' },
        },
      },
    ],
  ],
  [
    'the line for VS Code',
    `code --add-mcp '{"name":"play","command":"npx","args":["@playwright/mcp@latest"]}'`,
    [{ name: 'play', entry: { command: 'npx', args: ['@playwright/mcp@latest'] } }],
  ],
  [
    'a line with variables in front, broken in two',
    'API_KEY=abc \\\n  uvx --from git+https://example.com/x.git mcp-weather',
    [
      {
        name: 'weather',
        entry: {
          command: 'uvx',
          args: ['--from', 'git+https://example.com/x.git', 'mcp-weather'],
          env: { API_KEY: 'abc' },
        },
      },
    ],
  ],
  [
    'a container',
    'docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server:1.2',
    [
      {
        name: 'github',
        entry: {
          command: 'docker',
          args: ['run', '-i', '--rm', '-e', 'GITHUB_TOKEN', 'ghcr.io/github/github-mcp-server:1.2'],
        },
      },
    ],
  ],
  [
    'several lines',
    'claude mcp add a -- npx -y a-mcp\n# and\nhttps://b.example.com/mcp',
    [
      { name: 'a', entry: { command: 'npx', args: ['-y', 'a-mcp'] } },
      { name: 'b', entry: { url: 'https://b.example.com/mcp' } },
    ],
  ],
  [
    'a script named after nothing, in a folder that tells',
    'node /home/me/weather/dist/index.js',
    [{ name: 'weather', entry: { command: 'node', args: ['/home/me/weather/dist/index.js'] } }],
  ],
  [
    'a program of this computer',
    'my-server --stdio',
    [{ name: 'my', entry: { command: 'my-server', args: ['--stdio'] } }],
  ],
])('%s is read', async (_what, text, servers) => {
  expect(await readServersText(text, isProgram)).toEqual(servers);
});

test.each([
  '',
  '   ',
  'two\nlines',
  'hello world',
  'Install it with your package manager.',
  'claude mcp list',
  'claude mcp add',
  'claude mcp add name',
  'code --add-mcp {',
  'npx -y one-mcp\nand then restart',
  '{}',
  '{"a": 1}',
  '[1]',
  '{"mcpServers": {',
])('%j is refused', async (text) => {
  await expect(readServersText(text, isProgram)).rejects.toThrow(
    expect.objectContaining({ code: 'bad_request' }) as Error,
  );
});
