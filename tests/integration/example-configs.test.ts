/** Starts the example configs of ToolMux, MCPProxy and Magg from their pages, and uses each through its own tools. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture, ready, startCore, type TestCore } from '../support/start-core.ts';

/** Small programs with the names of networked ones that start a fixture, which reports how it was started. */
let programs = '';

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), 'tooltray-programs-'));
  const { command, args } = fixture('compat');
  for (const name of ['npx', 'uvx', 'python']) {
    const file = join(programs, name);
    await writeFile(file, `#!/bin/sh\nexec '${command}' '${args.join("' '")}' "${name} $*"\n`);
    await chmod(file, 0o755);
  }
});

afterAll(() => rm(programs, { recursive: true, force: true }));

const start = (config: string): Promise<TestCore> =>
  startCore(config, { env: { PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}` } });

/** How a server was started, as it reports. */
const launchOf = (core: TestCore, name: string): string => JSON.stringify(core.server(name).handshake);
const echoed = '{"message":"hi"}';

const toolMux = `{
  "mode": "gateway",
  "servers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/user"]
    },
    "git": {
      "command": "uvx",
      "args": ["mcp-server-git", "--repository", "/path/to/repo"]
    }
  }
}`;

const mcpProxy = `{
  "listen": "127.0.0.1:8080",   // Localhost-only by default for security
  "data_dir": "~/.mcpproxy",
  "enable_tray": true,

  // Search & tool limits
  "top_k": 5,
  "tools_limit": 15,
  "tool_response_limit": 20000,

  // Optional HTTPS configuration (disabled by default)
  "tls": {
    "enabled": false,          // Set to true to enable HTTPS
    "require_client_cert": false,
    "hsts": true
  },

  "mcpServers": [
    { "name": "local-python", "command": "python", "args": ["-m", "my_server"], "protocol": "stdio", "enabled": true },
    { "name": "remote-http", "url": "http://localhost:3001", "protocol": "http", "enabled": true }
  ]
}`;

const magg = `{
  "servers": {
    "calculator": {
      "source": "https://github.com/executeautomation/calculator-mcp",
      "command": "npx",
      "args": ["-y", "@executeautomation/calculator-mcp"],
      "prefix": "calc",
      "notes": "Basic calculator functionality",
      "enabled": true
    }
  }
}`;

/** As written by Magg: all fields, null if unset. */
const writtenByMagg = `{
  "servers": {
    "sums": {
      "name": "sums",
      "source": "https://example.com/sums",
      "prefix": "add",
      "notes": null,
      "command": "npx",
      "args": ["-y", "@example/sums@latest"],
      "uri": null,
      "env": null,
      "cwd": null,
      "transport": null,
      "enabled": true
    }
  }
}`;

test("ToolMux: lists a tool per server, which calls the server's tools", async () => {
  await using core = await start(toolMux);
  await Promise.all(['filesystem', 'git'].map((name) => ready(core.server(name))));
  const client = await core.open();
  expect(await client.toolNames()).toEqual(expect.arrayContaining(['filesystem', 'git', 'list_all_tools']));
  const call = { tool: 'echo_tool', arguments: { message: 'hi' } };
  expect(await client.say('filesystem', call)).toContain(echoed);
  expect(await client.say('git', call)).toContain(echoed);
  expect(launchOf(core, 'filesystem')).toContain('npx -y @modelcontextprotocol/server-filesystem /home/user');
  expect(launchOf(core, 'git')).toContain('uvx mcp-server-git --repository /path/to/repo');
});

test('MCPProxy: finds tools by search and calls them by their intent', async () => {
  await using core = await start(mcpProxy);
  await ready(core.server('local-python'));
  const client = await core.open();
  expect(await client.toolNames()).toEqual(expect.arrayContaining(['retrieve_tools', 'call_tool_read']));
  expect(await client.say('retrieve_tools', { query: 'echo the input' })).toContain('local-python:echo_tool');
  const call = { name: 'local-python:echo_tool', args_json: '{"message": "hi"}' };
  expect(await client.say('call_tool_read', call)).toContain(echoed);
  expect(launchOf(core, 'local-python')).toContain('python -m my_server');
});

test('Magg: lists tools under their prefix, callable directly and through proxy', async () => {
  await using core = await start(magg);
  await ready(core.server('calculator'));
  const client = await core.open();
  const listed = await client.callTool('proxy', { action: 'list', type: 'tool' });
  expect(JSON.stringify(listed)).toContain('calc_echo_tool');
  const call = { action: 'call', type: 'tool', path: 'calc_echo_tool', args: { message: 'hi' } };
  expect(await client.say('proxy', call)).toContain(echoed);
  expect(await client.say('calc_echo_tool', { message: 'hi' })).toContain(echoed);
  expect(launchOf(core, 'calculator')).toContain('npx -y @executeautomation/calculator-mcp');
});

test('Magg: accepts a file with null in every unset field without a problem', async () => {
  await using core = await start(writtenByMagg);
  await ready(core.server('sums'));
  expect(core.host.core.context.config.problems).toEqual([]);
  const client = await core.open();
  expect(await client.say('add_echo_tool', { message: 'hi' })).toContain(echoed);
  expect(launchOf(core, 'sums')).toContain('npx -y @example/sums@latest');
});
