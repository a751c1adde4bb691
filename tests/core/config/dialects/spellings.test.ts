/** Reads the spellings, formats, and file locations of other products' entries. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../../src-main/core/config/read-config.ts';
import { type ReadServer, readServersOfText } from '../../../../src-main/core/config/dialects/read-servers.ts';

const home = '/home/me';

function read(root: object | string, file = '/c/mcp.json'): readonly ReadServer[] {
  return readServersOfText(typeof root === 'string' ? root : JSON.stringify(root), file, { home }).servers;
}

const one = (raw: object, file?: string): ReadServer | undefined => read({ mcpServers: { a: raw } }, file)[0];

test.each<[number | string, number]>([
  ['30s', 30],
  ['2m', 120],
  ['1m30s', 90],
  ['500ms', 0.5],
  ['90', 90],
  ['60 s', 60],
  ['1 minute', 60],
  ['30 seconds', 30],
  ['500 milliseconds', 0.5],
  ['PT1M30S', 90],
  [90_000, 90],
  [1.5, 1.5],
])('reads the time %j as %d seconds', (timeout, seconds) => {
  expect(one({ command: 'x', timeout })).toMatchObject({ entry: { callTimeoutSeconds: seconds }, losses: [] });
});

test.each<[object, object]>([
  [{ startup_timeout_sec: 9 }, { initTimeoutSeconds: 9 }],
  [{ max_concurrent_requests: 4 }, { maxConcurrent: 4 }],
  [{ startupTimeoutMs: 9000 }, { initTimeoutSeconds: 9 }],
  [{ initTimeout: 9000 }, { initTimeoutSeconds: 9 }],
  [{ init_timeout: 9_000_000_000 }, { initTimeoutSeconds: 9 }],
  [
    { connectionTimeout: 9000, requestTimeout: 5000 },
    { initTimeoutSeconds: 9, callTimeoutSeconds: 5 },
  ],
  [{ timeoutSeconds: 9 }, { callTimeoutSeconds: 9 }],
  [{ tool_timeout_sec: 9 }, { callTimeoutSeconds: 9 }],
])('reads the time %j as %j', (raw, times) => {
  expect(one({ command: 'x', ...raw })).toMatchObject({ entry: times, losses: [] });
});

test('keeps the longer of two limits that a product sets for one step, and reports it', () => {
  const server = one({ command: 'x', timeout: 3000, requestTimeout: 60_000, tags: ['a'] });
  expect(server?.entry).toMatchObject({ callTimeoutSeconds: 60 });
  expect(server?.losses.join()).toContain('requestTimeout');
});

test.each<[string, object, object]>([
  [
    'Zed, in milliseconds',
    { context_servers: { a: { source: 'custom', command: 'x', timeout: 3000 } } },
    { callTimeoutSeconds: 3 },
  ],
  [
    'Crush, by its schema',
    { $schema: 'https://charm.land/crush.json', mcp: { a: { command: 'x', timeout: 90 } } },
    { initTimeoutSeconds: 90 },
  ],
  ['Crush, by its types', { mcp: { a: { type: 'stdio', command: 'x', timeout: 90 } } }, { initTimeoutSeconds: 90 }],
  ['opencode', { mcp: { a: { type: 'local', command: ['x'], timeout: 5000 } } }, { initTimeoutSeconds: 5 }],
])('reads a time of %s', (_of, root, times) => {
  expect(read(root, '')).toMatchObject([{ entry: times, losses: [] }]);
});

test.each([
  { disabled: 'Y' },
  { enabled: 'n' },
  { enable: false },
  { disable: true },
  { is_enabled: 0 },
  { 'is-active': 'no' },
  { status: 'INACTIVE' },
  { state: 'disabled' },
  { active: 'inactive' },
  { auto_start: false },
  { paused: true },
])('keeps a server disabled that its product disables with %j', (word) => {
  expect(one({ command: 'x', ...word })?.entry).toEqual({ command: 'x', enabled: false });
});

test('does not disable a server for a status that is no switch', () => {
  expect(one({ command: 'x', status: 'connected' })?.entry).toEqual({ command: 'x' });
});

test.each<[string, string]>([
  ['$env:GH', '${env:GH}'],
  ['${env.GH}', '${env:GH}'],
  ['${process.env.GH}', '${env:GH}'],
  ['{{env.GH}}', '${env:GH}'],
  ['${GH:?must be set}', '${env:GH}'],
  ['${GH-other}', '${env:GH:-other}'],
  ['${ENV:GH}', '${env:GH}'],
  ['%GH_TOKEN%', '${env:GH_TOKEN}'],
  ['$$GH', '$$GH'],
])('reads the variable %s as %s', (written, ours) => {
  expect(one({ command: 'x', args: [written] })).toMatchObject({ entry: { args: [ours] }, losses: [] });
});

test.each(['${workspaceFolder:api}', '${config:a.b}', '${secrets.GH}', '${env:GH:x}', '${{ inputs.GH }}', '{{GH}}'])(
  'reports the placeholder %s, which nothing here fills',
  (written) => {
    expect(one({ command: 'x', args: [written] })?.losses.join()).toContain(written);
  },
);

test.each([
  ['${file:/k}', 'vault'],
  ['${cmd: pass}', 'vault'],
  ['${workspaceFolder:api}', 'full path'],
  ['${input:b}', '${env:NAME}'],
])('says for the placeholder %s what to write: %s', (written, advice) => {
  expect(one({ command: 'x', args: [written] })?.losses.join()).toContain(advice);
});

test.each<[unknown, object]>([
  [[{ name: 'A', value: '1' }], { A: '1' }],
  [[{ key: 'A', value: '1' }], { A: '1' }],
  [[{ A: '1' }, { B: '2' }], { A: '1', B: '2' }],
  ['A=1,B=2', { A: '1', B: '2' }],
  ['A=1;B=2', { A: '1', B: '2' }],
  ['A=1\nB=two words', { A: '1', B: 'two words' }],
  ['{"A":"1"}', { A: '1' }],
])('reads variables written as %j', (env, ours) => {
  expect(one({ command: 'x', env })?.entry).toEqual({ command: 'x', env: ours });
});

test.each<[unknown]>([[['A: b']], [['A=b']], [[{ name: 'A', value: 'b' }]], ['A: b']])(
  'reads headers written as %j',
  (headers) => {
    expect(one({ url: 'https://h/mcp', headers })?.entry).toEqual({ url: 'https://h/mcp', headers: { A: 'b' } });
  },
);

test.each<[object, readonly string[]]>([
  [{ command: 'npx -y x', args: ['--z'] }, ['npx', '-y', 'x', '--z']],
  [{ command: ['npx -y x'] }, ['npx', '-y', 'x']],
  [{ command: '/usr/bin/npx -y x' }, ['/usr/bin/npx', '-y', 'x']],
  [{ command: '"C:\\Program Files\\node.exe" C:\\s.js' }, ['C:\\Program Files\\node.exe', 'C:\\s.js']],
  [{ command: 'C:\\Program Files\\node.exe', args: ['s.js'] }, ['C:\\Program Files\\node.exe', 's.js']],
  [{ command: 'npx', args: '["-y","x"]' }, ['npx', '-y', 'x']],
  [{ command: 'npx', args: [['-y'], 'x', 8080] }, ['npx', '-y', 'x', '8080']],
  [{ executable: 'npx', arguments: ['x'] }, ['npx', 'x']],
  [{ config: { command: 'npx', args: ['x'] } }, ['npx', 'x']],
  [{ stdio: { command: 'npx' } }, ['npx']],
])('starts %j as %j', (raw, [command, ...args]) => {
  expect(one(raw)?.entry).toEqual({ command, ...(args.length > 0 && { args }) });
});

test('reads an empty text of arguments as none', () => {
  expect(one({ command: 'x', args: '', env: '' })?.entry).toEqual({ command: 'x' });
});

test.each<[object]>([
  [{ apiKey: 't' }],
  [{ token: 't' }],
  [{ authorization_token: 't' }],
  [{ authorization: 'Bearer t' }],
  [{ bearerToken: 'Bearer t' }],
  [{ auth: { type: 'bearer', token: 't' } }],
])('sends the token of %j', (raw) => {
  expect(one({ url: 'https://h/mcp', ...raw })?.entry).toEqual({
    url: 'https://h/mcp',
    headers: { Authorization: 'Bearer t' },
  });
});

test('reports a setting for signing in that has no effect where the entry is imported', () => {
  expect(one({ url: 'https://h/mcp', oauth: { tokenUrl: 'https://h/t' } })?.losses.join()).toContain('oauth.tokenUrl');
});

test.each<readonly [object, string | undefined]>([
  ...['Streamable HTTP', 'HTTP+SSE', 'http/sse', 'streaming-http', 'http_streaming', 'remote-http', 'mcp'].map(
    (type) => [{ type, url: 'https://h' }, undefined] as const,
  ),
  ...['SSE', 'server-sent-events', 'remote-sse'].map((type) => [{ type, url: 'https://h' }, 'sse'] as const),
  ...['kind', 'serverType', 'connection_type'].map((key) => [{ [key]: 'sse', url: 'https://h' }, 'sse'] as const),
  [{ sse_url: 'https://h' }, 'sse'],
  [{ sse: { url: 'https://h' } }, 'sse'],
  ...['server_url', 'URL', 'http_url', 'remoteUrl', 'mcpUrl'].map(
    (key) => [{ [key]: 'https://h' }, undefined] as const,
  ),
])('connects to %j with the transport %j', (raw, type) => {
  expect(one(raw)?.entry).toEqual({ url: 'https://h', ...(type !== undefined && { type }) });
});

test.each(['node', 'python', 'docker', 'npx', 'subprocess', 'local-stdio', 'custom'])(
  'starts a command of the type %s',
  (type) => {
    expect(one({ type, command: 'x' })?.entry).toEqual({ command: 'x' });
  },
);

test.each(['mcp.example.com/mcp', 'ws://h/mcp', 'https://me:pw@h/mcp'])(
  'names an entry with the URL %s, which cannot be connected to',
  (url) => {
    expect(one({ url })).toMatchObject({ entry: undefined, reason: expect.stringMatching(/^url: /) as string });
    expect(parseConfig(JSON.stringify({ servers: { a: { url } } }), '/c/config.json', {}).problems).toMatchObject([
      { severity: 'error', path: 'servers.a.url' },
    ]);
  },
);

test.each<[object, object]>([
  [{ tools: { '*': false, a: true } }, { enabledTools: ['a'] }],
  [{ tools: { a: { disabled: true }, b: {} } }, { disabledTools: ['a'] }],
  [{ tools: { enabled: ['a'] } }, { enabledTools: ['a'] }],
  [{ tools: 'a, b' }, { enabledTools: ['a', 'b'] }],
  [{ tools: [] }, { enabledTools: [] }],
  [{ tools: ['*'] }, {}],
  [{ toolFilter: { exclude: ['a'] } }, { disabledTools: ['a'] }],
  [{ tool_configuration: { enabled: true, allowed_tools: ['a'] } }, { enabledTools: ['a'] }],
  [{ blockedTools: ['a'] }, { disabledTools: ['a'] }],
  [{ anythingllm: { suppressedTools: ['a'] } }, { disabledTools: ['a'] }],
])('reads the tool filter %j', (raw, filter) => {
  expect(one({ command: 'x', ...raw })?.entry).toEqual({ command: 'x', ...filter });
});

test('lets every tool through for an empty list of Goose, and none for one of ours', () => {
  const text = 'extensions:\n  a:\n    type: stdio\n    cmd: x\n    available_tools: []\n';
  expect(read(text, '/c/config.yaml')).toMatchObject([{ entry: { command: 'x' } }]);
  expect(read(text, '/c/config.yaml')[0]?.entry).not.toHaveProperty('enabledTools');
  expect(one({ command: 'x', enabledTools: [] })?.entry).toEqual({ command: 'x', enabledTools: [] });
});

test.each<[string, object]>([
  ['a list of Goose recipes', { extensions: [{ type: 'stdio', name: 'a', cmd: 'x' }] }],
  ['an object that is not known', { profiles: { work: { mcpServers: { a: { command: 'x' } } } } }],
  ['the manifest of a bundle', { name: 'a', server: { type: 'node', mcp_config: { command: 'x' } } }],
  ['a list with labels', { mcpServers: [{ server_label: 'a', command: 'x' }] }],
])('finds servers in %s', (_where, root) => {
  expect(read(root)).toMatchObject([{ name: 'a', entry: { command: 'x' } }]);
});

test('keeps servers that were moved aside disabled', () => {
  for (const key of ['disabledMcpServers', 'mcpServersDisabled', '_mcpServers'])
    expect(read({ mcpServers: {}, [key]: { a: { command: 'x' } } })).toMatchObject([
      { name: 'a', entry: { command: 'x', enabled: false } },
    ]);
});

test.each(['mcpservers', 'MCPServers', 'mcpServer', 'mcp-servers'])('finds servers under %s', (key) => {
  expect(read({ [key]: { a: { command: 'x' } } })).toMatchObject([{ name: 'a', entry: { command: 'x' } }]);
});

test('names the settings of a similar product that stay behind', () => {
  const notes = (file: string, root: object) => readServersOfText(JSON.stringify(root), file, { home }).notes;
  const servers = { a: { command: 'x' } };
  expect(notes('/h/.mcpproxy/mcp_config.json', { listen: ':1', mcpServers: servers })).toEqual([
    expect.stringMatching(/MCPProxy.*listen/) as string,
  ]);
  expect(notes('/c/config.json', { mode: 'auto', servers })).toEqual([]);
});

test('reports a relative folder, which starts elsewhere here, and fills it in for a project', () => {
  const text = JSON.stringify({ mcpServers: { a: { command: 'x', cwd: './w' } } });
  const [alone] = readServersOfText(text, '/c/x.json', { home }).servers;
  expect(alone?.losses).toEqual([expect.stringMatching(/^cwd: /) as string]);
  const [own] = readServersOfText(text, '/p/.mcp.json', { home, project: '/p' }).servers;
  expect(own).toMatchObject({ entry: { cwd: join('/p', 'w') }, losses: [] });
  expect(one({ command: 'x', cwd: '/w' })?.losses).toEqual([]);
});

test('reads merge keys of YAML', () => {
  const text = 'd: &d\n  command: x\nmcpServers:\n  a:\n    <<: *d\n    args: [y]\n';
  expect(read(text, '/c/x.yaml')).toMatchObject([{ name: 'a', entry: { command: 'x', args: ['y'] } }]);
});

test('reads an entry with an empty name as one without a name', () => {
  expect(read({ mcpServers: { '': { command: 'x' }, b: { command: 'y' } } }).map(({ name }) => name)).toEqual([
    undefined,
    'b',
  ]);
});

test('leaves out a header without a value', () => {
  expect(one({ url: 'https://h', headers: { A: null, B: 'c' } })?.entry).toEqual({
    url: 'https://h',
    headers: { B: 'c' },
  });
});

test('reads the lists of OpenHands', () => {
  const text =
    '[mcp]\nsse_servers = ["https://a.example/sse", { url = "https://b.example/sse", api_key = "k" }]\n' +
    'shttp_servers = [{ url = "https://c.example/mcp", timeout = 1800 }]\n' +
    'stdio_servers = [{ name = "d", command = "x", env = { A = "1" } }]\n';
  expect(read(text, '/c/config.toml').map(({ name, entry }) => [name, entry])).toEqual([
    [undefined, { type: 'sse', url: 'https://a.example/sse' }],
    [undefined, { type: 'sse', url: 'https://b.example/sse', headers: { Authorization: 'Bearer k' } }],
    [undefined, { url: 'https://c.example/mcp', callTimeoutSeconds: 1800 }],
    ['d', { command: 'x', env: { A: '1' } }],
  ]);
});

test('names a block that Continue would fetch', () => {
  expect(read({ mcpServers: [{ uses: 'me/block' }, { name: 'b', command: 'x' }] })).toMatchObject([
    { name: 'me/block', entry: undefined },
    { name: 'b', entry: { command: 'x' } },
  ]);
});

test('reports servers that are in another file', () => {
  expect(readServersOfText('{"name":"p","mcpServers":"./.mcp.json"}', '/c/plugin.json', { home }).notes).toEqual([
    expect.stringContaining('./.mcp.json'),
  ]);
});

test.each<[string, string, string]>([
  ['Codex', '.codex/config.toml', '[mcp_servers.a]\ncommand = "x"\n[projects."/w"]\ntrust_level = "trusted"\n'],
  ['Codex', 'config.toml', '[mcp_servers.a]\ncommand = "x"\n[projects."/w"]\ntrust_level = "trusted"\n'],
  ['fast-agent', 'fastagent.config.yaml', 'mcp:\n  servers:\n    a:\n      command: x\n'],
  ['Crush', 'x.json', '{"mcp":{"a":{"type":"stdio","command":"x"}}}'],
  ['mcphub.nvim', 'x.json', "{servers:{a:{command:'x',autoApprove:['b']}},nativeMCPServers:{}}"],
])('calls a file of %s by its product: %s', (product, file, text) => {
  expect(parseConfig(text, `/c/${file}`, {}).problems).toMatchObject([
    { severity: 'error', reason: expect.stringContaining(product) as string },
  ]);
});

test('warns with --config about rules for servers that are not applied', () => {
  const text = JSON.stringify({ mcpServers: {}, deniedMcpServers: [{ serverUrl: 'https://*' }] });
  expect(parseConfig(text, '/c/managed-mcp.json', {}).problems).toMatchObject([
    { severity: 'warning', reason: expect.stringContaining('deniedMcpServers') as string },
  ]);
});
