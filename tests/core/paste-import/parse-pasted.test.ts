/**
 * Parses pasted texts: configs of any product, parts of one, command lines, links, and server.json files of
 * registries.
 */
import { expect, test } from 'vitest';
import { looksPasted, parsePasted } from '../../../src-main/core/paste-import/parse-pasted.ts';

const isProgram = async (command: string): Promise<boolean> => Promise.resolve(command === 'my-server');
const read = async (text: string) => (await parsePasted(text, { isProgram, home: '/home/me' })).servers;
const entry = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] };

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

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
    [{ name: 'weather', entry: { command: 'npx', args: ['-y', 'w-mcp'] } }],
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
  [
    'a config of Zed',
    JSON.stringify({ context_servers: { memory: { source: 'custom', command: { path: 'npx', args: entry.args } } } }),
    [{ name: 'memory', entry }],
  ],
  [
    'a config of opencode',
    JSON.stringify({ mcp: { memory: { type: 'local', command: ['npx', ...entry.args] } } }),
    [{ name: 'memory', entry }],
  ],
  ['settings of VS Code', JSON.stringify({ mcp: { servers: { memory: entry } } }), [{ name: 'memory', entry }]],
  ['a list of MCPProxy', JSON.stringify({ mcpServers: [{ name: 'memory', ...entry }] }), [{ name: 'memory', entry }]],
  [
    'a table of Codex',
    '[mcp_servers.memory]\ncommand = "npx"\nargs = ["-y", "@modelcontextprotocol/server-memory"]\n',
    [{ name: 'memory', entry }],
  ],
  [
    'an extension of Goose',
    'extensions:\n  memory:\n    cmd: npx\n    args: ["-y", "@modelcontextprotocol/server-memory"]\n',
    [{ name: 'memory', entry }],
  ],
  [
    'a block of code',
    `\`\`\`json\n${JSON.stringify({ mcpServers: { memory: entry } })}\n\`\`\``,
    [{ name: 'memory', entry }],
  ],
  [
    'a link for Cursor',
    `cursor://anysphere.cursor-deeplink/mcp/install?name=memory&config=${encodeURIComponent(base64(entry))}`,
    [{ name: 'memory', entry }],
  ],
  [
    'a link of Cursor’s page whose command is a whole line',
    `https://cursor.com/en/install-mcp?name=memory&config=${base64({ command: 'npx -y @modelcontextprotocol/server-memory' })}`,
    [{ name: 'memory', entry }],
  ],
  [
    'a link for VS Code',
    `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'memory', ...entry }))}`,
    [{ name: 'memory', entry }],
  ],
  [
    'a page that leads to VS Code',
    `https://insiders.vscode.dev/redirect/mcp/install?name=memory&config=${encodeURIComponent(JSON.stringify(entry))}`,
    [{ name: 'memory', entry }],
  ],
  [
    'another page that leads to VS Code',
    `https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'memory', ...entry }))}`)}`,
    [{ name: 'memory', entry }],
  ],
  ['a link for LM Studio', `lmstudio://add_mcp?name=memory&config=${base64(entry)}`, [{ name: 'memory', entry }]],
  [
    'a link for Goose',
    'goose://extension?cmd=npx&arg=-y&arg=%40modelcontextprotocol%2Fserver-memory&id=memory&env=TOKEN%3DYour%20token',
    [{ name: 'memory', entry: { ...entry, env: { TOKEN: '${env:TOKEN}' } } }],
  ],
  [
    'a server.json, which no registry vouches for',
    JSON.stringify({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: 'io.github.me/weather',
      description: 'Weather',
      version: '1.2.0',
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://weather.example.com/mcp',
          headers: [{ name: 'X-Key', isRequired: true, isSecret: true }],
        },
      ],
    }),
    [{ name: 'weather', entry: { url: 'https://weather.example.com/mcp', headers: { 'X-Key': '${env:X_KEY}' } } }],
  ],
  [
    'all that Claude Code takes before an address',
    'claude mcp add --client-id abc --callback-port 8080 -t http -s project -H "X-Key: $KEY" docs https://docs.example.com/mcp',
    [
      {
        name: 'docs',
        entry: {
          url: 'https://docs.example.com/mcp',
          headers: { 'X-Key': '${env:KEY}' },
          oauth: { clientId: 'abc', callbackPort: 8080 },
        },
      },
    ],
  ],
  [
    'all that Gemini CLI takes',
    'gemini mcp add --trust --timeout 5000 --description "My files" --include-tools a,b --exclude-tools c files npx files-mcp',
    [
      {
        name: 'files',
        entry: {
          command: 'npx',
          args: ['files-mcp'],
          disabledTools: ['c'],
          enabledTools: ['a', 'b'],
          callTimeoutSeconds: 5,
          description: 'My files',
        },
      },
    ],
  ],
  [
    'the line for Droid',
    'droid mcp add memory "npx -y @modelcontextprotocol/server-memory"',
    [{ name: 'memory', entry }],
  ],
  [
    'the line for Kiro',
    'kiro-cli mcp add --name memory --command npx --args "-y,@modelcontextprotocol/server-memory"',
    [{ name: 'memory', entry }],
  ],
  [
    'JSON over several lines, in quotes',
    `claude mcp add-json memory '{\n  "command": "npx",\n  "args": ["-y", "@modelcontextprotocol/server-memory"]\n}'`,
    [{ name: 'memory', entry }],
  ],
  [
    'JSON as PowerShell and cmd want it quoted',
    `code --add-mcp "{\\"name\\":\\"memory\\",\\"command\\":\\"npx\\",\\"args\\":[\\"-y\\",\\"@modelcontextprotocol/server-memory\\"]}"`,
    [{ name: 'memory', entry }],
  ],
  [
    'a path of Windows',
    'node C:\\Users\\me\\weather\\dist\\index.js',
    [{ name: 'weather', entry: { command: 'node', args: ['C:\\Users\\me\\weather\\dist\\index.js'] } }],
  ],
  [
    'Podman with a variable in front',
    'env TOKEN=a podman run -i --rm -e TOKEN ghcr.io/me/notes-mcp',
    [
      {
        name: 'notes',
        entry: {
          command: 'podman',
          args: ['run', '-i', '--rm', '-e', 'TOKEN', 'ghcr.io/me/notes-mcp'],
          env: { TOKEN: 'a' },
        },
      },
    ],
  ],
  [
    'python with a module',
    'python -m weather_mcp',
    [{ name: 'weather', entry: { command: 'python', args: ['-m', 'weather_mcp'] } }],
  ],
])('reads %s', async (_what, text, servers) => {
  expect((await read(text)).map(({ name, entry: ours }) => ({ name, entry: ours }))).toEqual(servers);
});

test('names a server without a usable word "server"', async () => {
  expect(await read('npx "\\\\ "')).toEqual([{ name: 'server', entry: { command: 'npx', args: ['\\ '] }, notes: [] }]);
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
])('rejects %j', async (text) => {
  await expect(read(text)).rejects.toThrow(expect.objectContaining({ code: 'bad_request' }) as Error);
});

const npx = { command: 'npx', args: ['-y', 'x-mcp'] };

test.each<[string, string, object]>([
  [
    'Droid, switched off',
    'droid mcp add x "npx -y x-mcp" --env KEY=v --disabled',
    { ...npx, env: { KEY: 'v' }, enabled: false },
  ],
  ['Qwen Code', 'qwen mcp add x npx -y x-mcp', npx],
  ['Copilot', 'copilot mcp add x -- npx -y x-mcp', npx],
  [
    'Amp',
    'amp mcp add x --header "X-Key=v" https://a.example/mcp',
    { url: 'https://a.example/mcp', headers: { 'X-Key': 'v' } },
  ],
  ['Kiro', 'kiro-cli mcp add --name x --command npx --args -y,x-mcp --disabled', { ...npx, enabled: false }],
  ['Auggie', 'auggie mcp add x --command npx --args "-y x-mcp"', npx],
  ['Kimi', 'kimi mcp add --transport http x https://a.example/mcp', { url: 'https://a.example/mcp' }],
  ['OpenHands', 'openhands mcp add x --transport stdio --env KEY=v npx -- -y x-mcp', { ...npx, env: { KEY: 'v' } }],
  [
    'Claude Code, flags at the end',
    'claude mcp add x npx -y x-mcp --env KEY=v --scope user',
    { ...npx, env: { KEY: 'v' } },
  ],
  ['Kiro, a flag for each argument', "kiro-cli mcp add --name x --command npx --args '-y' --args 'x-mcp'", npx],
  ['Goose', 'goose session --with-extension "npx -y x-mcp"', npx],
  ['Claude Code without an install', 'npx -y @anthropic-ai/claude-code mcp add x -- npx -y x-mcp', npx],
  ['Tooltray', 'tooltray add x -- npx -y x-mcp', npx],
  ['a page that sets variables first', 'export KEY=v\nnpx -y x-mcp', { ...npx, env: { KEY: 'v' } }],
  ['a page for PowerShell', '$env:KEY = "v"\nnpx -y x-mcp', { ...npx, env: { KEY: 'v' } }],
  ['a page that marks code', '`npx -y x-mcp`', npx],
])('reads the add line of %s', async (_of, line, wanted) => {
  const [server, ...more] = await read(line);
  expect([server?.name, more]).toEqual(['x', []]);
  expect(server?.entry).toMatchObject(wanted);
});

test.each<[string, string]>([
  ['Cursor', `cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=${base64(npx)}`],
  ["Cursor's page", `https://cursor.com/en/install-mcp?name=x&config=${base64({ command: 'npx -y x-mcp' })}`],
  ['LM Studio', `https://lmstudio.ai/install-mcp?name=x&config=${encodeURIComponent(base64(npx))}`],
  ['Cherry Studio', `cherrystudio://mcp/install?servers=${base64({ mcpServers: { x: npx } })}`],
  ['Trae', `trae://trae.ai-ide/mcp-import?type=stdio&name=x&config=${base64(npx)}`],
  ['Goose', 'goose://extension?cmd=npx&arg=-y&arg=x-mcp&id=x&name=X'],
  ['VS Code', `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'x', ...npx }))}`],
  ['VS Code, its blanks decoded', 'vscode:mcp/install?{"name":"x", "command":"npx", "args":["-y", "x-mcp"]}'],
  [
    'a badge',
    `[![Install](https://img.example/b.svg)](https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'x', ...npx }))}`)})`,
  ],
  ['Visual Studio', `https://vs-open.link/mcp-install?${encodeURIComponent(JSON.stringify({ x: npx }))}`],
  [
    "Cursor's page, its path encoded",
    `https://cursor.com/link/mcp%2Finstall?name=x&config=${encodeURIComponent(base64(npx))}`,
  ],
  ['Kiro', `kiro://kiro.mcp/add?name=x&config=${encodeURIComponent(JSON.stringify(npx))}`],
  ['Raycast', `raycast://mcp/install?${encodeURIComponent(JSON.stringify({ name: 'x', ...npx }))}`],
  [
    'a link of Markdown',
    `[Add to Cursor](cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=${base64(npx)})`,
  ],
  [
    'a badge of HTML',
    `<a href="https://cursor.com/install-mcp?name=x&amp;config=${base64(npx)}"><img src="https://a.example/b.svg"></a>`,
  ],
  [
    'a badge of each app, next to others',
    `[![CI](https://a.example/ci.svg)](https://a.example/ci) [![VS Code](https://a.example/b.svg)](https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'x', ...npx }))}`)})\n[![Cursor](https://a.example/c.svg)](https://cursor.com/en/install-mcp?name=x&config=${base64({ command: 'npx -y x-mcp' })})`,
  ],
])('reads a link for %s', async (_of, link) => {
  expect(await read(link)).toMatchObject([{ name: 'x', entry: npx }]);
});

test.each(['https://github.com/me/x', 'https://www.npmjs.com/package/x', 'https://smithery.ai/server/@me/x'])(
  'explains that the page %s is no address of a server',
  async (address) => {
    await expect(read(address)).rejects.toThrow(expect.objectContaining({ code: 'bad_request' }) as Error);
  },
);

test.each([
  ['2025-05', { registry_name: 'npm', name: 'x-mcp', version: '1.0.0' }],
  ['2025-07', { registry_type: 'npm', identifier: 'x-mcp', version: '1.0.0' }],
  ['2025-12', { registryType: 'npm', identifier: 'x-mcp', version: '1.0.0', transport: { type: 'stdio' } }],
])('reads a server.json of %s, alone, in a response and in a list', async (_when, found) => {
  const server = { name: 'io.github.me/x', description: 'X', version: '1.0.0', packages: [found] };
  for (const value of [server, { server, _meta: {} }, { servers: [{ server }], metadata: { count: 1 } }])
    expect(await read(JSON.stringify(value))).toMatchObject([
      { name: 'x', entry: { command: 'npx', args: ['-y', 'x-mcp@1.0.0'] } },
    ]);
});

test.each([
  'Add this to your file:\n{\n  "mcpServers": { "x": { "command": "npx", "args": ["-y", "x-mcp"] } }\n}\nThen restart.',
  '{ "x": { "command": "npx", "args": ["-y", "x-mcp"] } },',
  '"augment.advanced": {\n  "mcpServers": [\n    {\n      "name": "x", "command": "npx", "args": ["-y", "x-mcp"]\n    }\n  ]\n}',
  '- name: x\n  command: npx\n  args: ["-y", "x-mcp"]\n',
  'command = "npx"\nargs = ["-y", "x-mcp"]\n',
  'Command: npx\nArgs: -y x-mcp\n',
  'npx -y x-mcp # starts it',
  'C:\\> npx -y x-mcp',
  'me@host:~$ npx -y x-mcp',
  '1. npx -y x-mcp',
  '- `npx -y x-mcp`',
])('reads %j as a page shows it', async (text) => {
  expect(await read(text)).toMatchObject([{ name: 'x', entry: npx }]);
});

test('reads the notation of Mini-A', async () => {
  const text = `mcp="[ (cmd: 'docker run --rm -i mcp/dockerhub') | (cmd: 'npx -y x-mcp', timeout: 3000) ]"`;
  expect(await read(text)).toMatchObject([
    { name: 'dockerhub', entry: { command: 'docker', args: ['run', '--rm', '-i', 'mcp/dockerhub'] } },
    { name: 'x', entry: { ...npx, callTimeoutSeconds: 3 } },
  ]);
});

test('reads a YAML file of fast-agent', async () => {
  const text =
    'default_model: sonnet\nmcp:\n  servers:\n    x:\n      command: "npx"\n      args: ["-y", "x-mcp"]\n      read_timeout_seconds: 60\n    net:\n      transport: "sse"\n      url: "http://a.example/sse"\n';
  expect(await read(text)).toMatchObject([
    { name: 'x', entry: { ...npx, callTimeoutSeconds: 60 } },
    { name: 'net', entry: { type: 'sse', url: 'http://a.example/sse' } },
  ]);
});

test.each([
  'npm install -g x-mcp',
  'pip install x-mcp',
  'uv tool install x-mcp',
  'docker pull me/x',
  'npx -y @smithery/cli@latest install x --client claude --key abcdef',
  'npx add-mcp https://a.example/mcp',
  'npx ctx7 setup',
  'sudo npm i -g x-mcp',
  'python3 -m venv .venv',
  'uvx --from x x-mcp install',
  'uv run mcp install server.py',
  'docker compose up -d',
  'brew tap me/x',
  'npm run build',
  'git clone https://a.example/x',
  'cd x',
  '/plugin install x',
  'gemini extensions install https://a.example/x',
  'npx @smithery/cli mcp add x',
])('explains that the line %j starts no server', async (line) => {
  const found = await parsePasted(line, { isProgram, home: '/home/me' }).catch((error: unknown) => error);
  expect((found as { servers?: unknown[] }).servers ?? []).toEqual([]);
  expect(found).toMatchObject({
    message: expect.stringContaining('installs a package or sets up an app; it does not start a server.') as string,
  });
});

test.each([
  ['claude mcp add --frobnicate x -- npx y', '"--frobnicate" is not understood'],
  ['claude mcp list', '"claude mcp list" does not add a server'],
  ['claude mcp add --transport pigeon x https://a.example.com', 'Unknown server type.'],
  ['claude mcp add --transport http x npx', 'needs a URL'],
  ['claude mcp add x https://a.example.com and', '"and" after the URL'],
  ['gemini mcp add --timeout soon x npx y', 'A time such as 30'],
  ['npm i -g x && npx x', '"&&" requires a shell'],
  ['npx x | tee log', '"|" requires a shell'],
  ['npx x "$(cat secret)"', '"$( )" requires a shell'],
  ['npx "x', 'not closed'],
  ['A=1', 'starts nothing'],
  ['\\ \\', 'needs a command or a URL'],
  ['{"mcpServers": {"x": {"command": "  "}}}', 'x was not read'],
  ['npx -y one-mcp\nand then restart', '"and" is not a program'],
  [`code --add-mcp '[1]'`, 'not a JSON object'],
  ['vscode:extension/me.mine', 'not known in this form'],
  ['cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=%', 'The link contains no readable server.'],
  ['{"mcpServers": {"x": {"note": 1}}}', 'x was not read'],
  ['{"name": "a/b", "packages": [{"registryType": "floppy", "identifier": "x"}]}', 'cannot be added'],
  ['[mcp_servers.x]\ncommand = ', 'was not read'],
])('rejects %j and names what is not understood', async (text, said) => {
  await expect(read(text)).rejects.toThrow(
    expect.objectContaining({ message: expect.stringContaining(said) as string }) as Error,
  );
});

test.each([
  ['docker run -i --rm -e TOKEN me/x', 'TOKEN is passed to the container: set it in "env" of the entry.'],
  ['npx -y x-mcp --key <your key>', '<your key> is a placeholder: replace it.'],
  ['npx -y x-mcp --key "<your key>"', '<your key> is a placeholder: replace it.'],
  [
    '{"command": "npx", "args": ["x"], "env": {"K": "${input:key}"}}',
    expect.stringContaining('${input:key}') as string,
  ],
  ['{"command": "npx", "args": ["x"], "colour": "red"}', expect.stringMatching(/^colour: /) as string],
  ['gemini mcp add --trust x npx y', expect.stringContaining('--trust has no effect') as string],
  ['claude mcp add -H "X: y" x -- npx z', 'headers: This has no effect for a server started by a command.'],
])('notes about %j: %j', async (text, note) => {
  expect((await read(text)).flatMap(({ notes }) => notes)).toEqual([note]);
});

test('names no secret of a text in its error', async () => {
  const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
  await expect(read(`claude mcp add x https://a.example.com ${secret}`)).rejects.toThrow(/^(?!.*ghp_0123)/s);
});

test.each([
  ['claude mcp add x -- npx y', true],
  ['npx -y x', true],
  ['A=1 my-server', true],
  ['https://mcp.example.com/mcp', true],
  ['{"command":"npx"}', true],
  ['vscode:mcp/install?x', true],
  ['github', false],
  ['my server', false],
  ['npx', false],
])('detects whether %j is a pasted text: %j', (word, isText) => {
  expect(looksPasted(word)).toBe(isText);
});
