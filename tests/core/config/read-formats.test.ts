/** Reads config files of other products. */
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';

function read(file: object) {
  const { config, problems } = parseConfig(JSON.stringify(file), resolve('/c/config.json'), { TOKEN: 't' });
  return {
    servers: config?.servers,
    mode: config?.mode,
    problems: problems.map(({ path, severity }) => `${severity} ${path}`),
  };
}

test('reads ToolMux servers: ms for a command, seconds for an address, /mcp added to a bare host', () => {
  const { servers, mode, problems } = read({
    mode: 'meta',
    cache_model: 'x',
    servers: {
      fs: {
        command: 'npx',
        args: ['fs'],
        env: {},
        cwd: '/w',
        timeout: 15_000,
        description: 'Files',
        _backend_tools: [],
      },
      web: {
        transport: 'http',
        base_url: 'http://localhost:8080',
        headers: { A: 'b' },
        timeout: 30,
        sse_endpoint: '/sse',
      },
      deep: { transport: 'http', base_url: 'http://localhost:8080/v1/mcp' },
    },
  });
  expect(problems).toEqual([]);
  expect(mode).toBe('meta');
  expect(servers).toMatchObject([
    { name: 'fs', kind: 'stdio', command: 'npx', args: ['fs'], initTimeoutMs: 15_000, callTimeoutMs: 3_600_000 },
    { name: 'web', kind: 'http', url: 'http://localhost:8080/mcp', headers: { A: 'b' }, callTimeoutMs: 30_000 },
    { name: 'deep', url: 'http://localhost:8080/v1/mcp' },
  ]);
});

test('reads the common mcpServers of Claude, Cursor, Cline, Gemini, Windsurf and Roo', () => {
  const { servers, problems } = read({
    theme: 'dark',
    projects: {},
    mcpServers: {
      claude: { type: 'stdio', command: 'x', args: [], env: {} },
      cursor: { url: 'https://h/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } },
      cline: { command: 'x', disabled: true, autoApprove: ['a'], timeout: 60 },
      gemini: { httpUrl: 'https://h/g', timeout: 600_000, trust: true },
      windsurf: { serverUrl: 'https://h/w' },
      roo: { type: 'streamable-http', url: 'https://h/r', alwaysAllow: [] },
      old: { type: 'sse', url: 'https://h/sse' },
    },
  });
  expect(problems).toEqual([]);
  expect(servers).toMatchObject([
    { name: 'claude', kind: 'stdio', command: 'x' },
    { name: 'cursor', kind: 'http', headers: { Authorization: 'Bearer t' } },
    { name: 'cline', enabled: false, callTimeoutMs: 60_000 },
    { name: 'gemini', kind: 'http', url: 'https://h/g', callTimeoutMs: 600_000 },
    { name: 'windsurf', kind: 'http', url: 'https://h/w' },
    { name: 'roo', kind: 'http' },
    { name: 'old', kind: 'sse' },
  ]);
});

test('reads VS Code servers and warns about inputs', () => {
  const { servers, problems } = read({
    inputs: [{ id: 'k', type: 'promptString' }],
    servers: { a: { type: 'stdio', command: 'x', envFile: '.env' }, b: { type: 'http', url: 'https://h' } },
  });
  expect(servers).toMatchObject([{ kind: 'stdio' }, { kind: 'http' }]);
  expect(problems).toEqual(['warning inputs', 'warning servers.a.envFile']);
});

test('reads the MCPProxy list and keeps quarantined servers disabled', () => {
  const { servers, problems } = read({
    listen: ':8080',
    routing_mode: 'retrieve_tools',
    mcpServers: [
      {
        name: 'local',
        protocol: 'stdio',
        command: 'uvx',
        args: ['a'],
        working_dir: '/w',
        env: { A: 'b' },
        enabled: true,
        quarantined: false,
      },
      {
        name: 'web',
        protocol: 'streamable-http',
        url: 'https://h/mcp',
        headers: { A: 'b' },
        enabled: false,
        created: '2025-01-01',
      },
      { name: 'any', protocol: 'auto', url: 'https://h/x', quarantined: true },
      { protocol: 'stdio', command: 'nameless' },
    ],
  });
  expect(servers).toMatchObject([
    { name: 'local', kind: 'stdio', command: 'uvx', args: ['a'], cwd: resolve('/w'), env: { A: 'b' }, enabled: true },
    { name: 'web', kind: 'http', url: 'https://h/mcp', headers: { A: 'b' }, enabled: false },
    { name: 'any', kind: 'http', enabled: false },
  ]);
  expect(problems).toEqual(['warning mcpServers[2].quarantined', 'error mcpServers[3]']);
});

test('reads a Magg file: command lines, uri and transport headers, but no kits', () => {
  const { servers, problems } = read({
    servers: {
      calc: {
        source: 'https://x',
        command: `npx -y "calc server" --name='a b' c\\ d`,
        prefix: 'calc',
        notes: 'n',
        kits: ['k'],
      },
      args: { source: 'https://x', command: 'python', args: ['-m', 'x'], cwd: '/w', enabled: false },
      web: {
        source: 'https://x',
        uri: 'http://localhost:8080/mcp',
        transport: { headers: { A: 'b' }, keep_alive: true },
      },
      old: { source: 'https://x', uri: 'http://localhost:8080/sse' },
    },
    kits: { k: { name: 'k' } },
  });
  expect(servers).toMatchObject([
    { name: 'calc', command: 'npx', args: ['-y', 'calc server', '--name=a b', 'c d'], prefix: 'calc' },
    { name: 'args', command: 'python', args: ['-m', 'x'], enabled: false },
    { name: 'web', kind: 'http', headers: { A: 'b' } },
    { name: 'old', kind: 'sse' },
  ]);
  expect(problems).toEqual(['warning kits']);
});
