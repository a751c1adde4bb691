/** Rules of every dialect: no loss without a report, disabled servers, variables, timeouts and filters; all readers agree. */
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../../src-main/core/config/read-config.ts';
import type { ServerConfig } from '../../../../src-main/core/config/server-config.ts';
import { isToolEnabled } from '../../../../src-main/core/config/tool-names.ts';
import { formatOfFile } from '../../../../src-main/core/config/dialects/parse-text.ts';
import { type ReadServer, readServersOfText } from '../../../../src-main/core/config/dialects/read-servers.ts';
import { parsePasted } from '../../../../src-main/core/paste-import/parse-pasted.ts';
import { type Writer, writers } from './writers.ts';

const home = '/home/me';
const env = { HOME: home, TOKEN: 't0ken', lower: 'case' };

function read({ text, file }: Writer, entries: Readonly<Record<string, object>>): readonly ReadServer[] {
  return readServersOfText(text(entries), `/c/${file}`, { home }).servers;
}

/** The parsed servers of the imported entries. */
function used(servers: readonly ReadServer[]): readonly ServerConfig[] {
  const written = servers.flatMap(({ name, entry }) => (entry === undefined ? [] : [[name ?? '', entry] as const]));
  return (
    parseConfig(JSON.stringify({ servers: Object.fromEntries(written) }), '/c/config.json', env).config?.servers ?? []
  );
}

/** Servers without the hash, which depends on the file. */
function comparable(servers: readonly ServerConfig[]): readonly object[] {
  return servers.map(({ hash: _hash, ...server }) => server);
}

const stdio = ['npx', ['-y', 'pkg', '--flag', 'a b'], { KEY: 'v1' }] as const;
const http = ['https://a.example/mcp', { 'X-Key': 'v2' }] as const;

describe.each(writers.map((writer) => [writer.id, writer] as const))('%s', (_id, writer) => {
  test('reads a command and an address', () => {
    const servers = used(read(writer, { local: writer.command(...stdio), net: writer.address(...http) }));
    expect(servers).toMatchObject([
      { name: 'local', kind: 'stdio', command: 'npx', args: stdio[1], env: { KEY: 'v1' }, enabled: true },
      { name: 'net', kind: 'http', url: http[0], headers: { 'X-Key': 'v2' }, enabled: true },
    ]);
  });

  test('names an unusable entry with the reason and reads the others', () => {
    const found = read(writer, {
      bad: { ...writer.command('', [], {}), type: 'carrier-pigeon' },
      good: writer.command(...stdio),
    });
    expect(found.map(({ name, entry }) => [name, entry === undefined])).toEqual([
      ['bad', true],
      ['good', false],
    ]);
    expect(found[0]?.reason).not.toBe('');
  });

  test('names an unknown key', () => {
    const [server] = read(writer, { a: { ...writer.command(...stdio), shoe_size: 4 } });
    expect(server?.losses.join()).toContain('shoe_size');
  });

  test.skipIf(writer.off === undefined)('keeps a disabled server disabled', () => {
    expect(used(read(writer, { a: { ...writer.command(...stdio), ...writer.off } }))).toMatchObject([
      { enabled: false },
    ]);
  });

  test.skipIf(writer.variable === undefined)('fills in variables at the start', () => {
    const variable = writer.variable ?? String;
    const servers = read(writer, {
      a: writer.command('npx', ['x', variable('TOKEN')], { A: variable('TOKEN') }),
      b: writer.address(http[0], { Authorization: `Bearer ${variable('TOKEN')}` }),
    });
    expect(used(servers)).toMatchObject([
      { args: ['x', 't0ken'], env: { A: 't0ken' } },
      { headers: { Authorization: 'Bearer t0ken' } },
    ]);
  });

  test('leaves a variable that the entry itself sets for the command', () => {
    const args = ['mcp-remote', 'https://a.example', '--header', 'Authorization:${AUTH}'];
    expect(used(read(writer, { a: writer.command('npx', args, { AUTH: 'Bearer x' }) }))).toMatchObject([{ args }]);
  });

  test('reports a placeholder that cannot be filled in', () => {
    const [server] = read(writer, { a: writer.command('npx', ['${file:/k}'], { A: '${cmd: pass}', B: '${input:b}' }) });
    for (const one of ['${file:/k}', '${cmd: pass}', '${input:b}']) expect(server?.losses.join('\n')).toContain(one);
    expect(used(server === undefined ? [] : [server])).toMatchObject([{ enabled: false, held: 'setup' }]);
  });

  test.skipIf(writer.onlyTools === undefined)('applies a tool filter, including patterns', () => {
    const servers = used(read(writer, { s: { ...writer.command(...stdio), ...writer.onlyTools } }));
    expect(['a', 'b_1', 'b', 'c'].map((tool) => isToolEnabled({ servers }, 's', tool))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test.skipIf(writer.call90 === undefined)('reads the call timeout in its unit', () => {
    expect(used(read(writer, { a: { ...writer.command(...stdio), ...writer.call90 } }))).toMatchObject([
      { callTimeoutMs: 90_000, initTimeoutMs: 30_000 },
    ]);
  });

  test.skipIf(writer.start90 === undefined)('reads the start timeout in its unit', () => {
    expect(used(read(writer, { a: { ...writer.command(...stdio), ...writer.start90 } }))).toMatchObject([
      { initTimeoutMs: 90_000, callTimeoutMs: 3_600_000 },
    ]);
  });

  test('reads the same servers from a file, a pasted text and --config', async () => {
    const entries = {
      local: { ...writer.command(...stdio), ...writer.onlyTools, ...writer.call90 },
      net: { ...writer.address(...http), ...writer.off },
    };
    const imported = comparable(used(read(writer, entries)));
    const text = writer.text(entries);
    const pasted = await parsePasted(text, { isProgram: () => Promise.resolve(true), home });
    const added = used(
      pasted.servers.map(({ name, entry }) => ({ name, entry, reason: '', losses: [], raw: entry, path: [] })),
    );
    const { config, problems } = parseConfig(text, `/c/${writer.file}`, env);
    // Another product's file that is not used is reported, with its contents and the command that imports it.
    const given = config === undefined ? undefined : comparable(config.servers);
    expect(imported).toHaveLength(2);
    // Only the file name determines the unit of times.
    const withoutTimes = (servers: readonly object[]) =>
      servers.map((one) => ({ ...one, callTimeoutMs: 0, initTimeoutMs: 0 }));
    expect(withoutTimes(comparable(added))).toEqual(withoutTimes(imported));
    if (given !== undefined) expect(given).toEqual(imported);
    else
      expect(problems).toMatchObject([
        {
          severity: 'error',
          path: '',
          reason: expect.stringContaining('2 servers') as string,
          suggestion: expect.stringContaining('tooltray import --file') as string,
        },
      ]);
    expect(formatOfFile(writer.file) === 'json' || given === undefined).toBe(true);
  });
});

const one = (raw: object, file = 'mcp.json') =>
  readServersOfText(JSON.stringify({ mcpServers: { a: raw } }), `/c/${file}`, { home }).servers[0];

test.each([
  [{ disabled: 'true' }, false],
  [{ disabled: 1 }, false],
  [{ disabled: 'no' }, true],
  [{ enabled: 'false' }, false],
  [{ enabled: 'off' }, false],
  [{ enabled: 0 }, false],
  [{ isActive: false }, false],
  [{ active: false }, false],
  [{ anythingllm: { autoStart: false } }, false],
  [{ enabled: true, disabled: true }, false],
  [{ enabled: true, disabled: false }, true],
])('reads whether %j enables the server: %j', (word, isOn) => {
  expect(one({ command: 'x', ...word })?.entry?.['enabled'] ?? true).toBe(isOn);
});

test('rejects a value that is neither on nor off', () => {
  expect(one({ command: 'x', enabled: 'perhaps' })).toMatchObject({
    entry: undefined,
    reason: expect.stringContaining('enabled') as string,
  });
});

test.each([
  [{ command: 'npx -y "a b"' }, { command: 'npx', args: ['-y', 'a b'] }],
  [{ command: ['npx', '-y', 'x'] }, { command: 'npx', args: ['-y', 'x'] }],
  [
    { command: 'npx', args: '-y x' },
    { command: 'npx', args: ['-y', 'x'] },
  ],
  [{ command: '/opt/my tools/x' }, { command: '/opt/my tools/x' }],
  [
    { command: 'x', env: ['A', 'B=2'] },
    { command: 'x', env: { A: '${env:A}', B: '2' } },
  ],
  [
    { command: 'x', env: 'A=1 B="2 3"' },
    { command: 'x', env: { A: '1', B: '2 3' } },
  ],
  [
    { command: 'x', env: { A: null, B: 1, C: true } },
    { command: 'x', env: { A: '${env:A}', B: '1', C: 'true' } },
  ],
  [
    { command: 'x', env_vars: ['A'], env: { B: '2' } },
    { command: 'x', env: { A: '${env:A}', B: '2' } },
  ],
])('reads %j as the entry %j', (raw, entry) => {
  expect(one(raw)?.entry).toEqual(entry);
});

test.each([
  ...['local', 'stdio', 'std', 'STDIO', ''].map((type) => [{ type, command: 'x' }, 'stdio'] as const),
  ...[
    'remote',
    'http',
    'http-stream',
    'streamable',
    'streamable-http',
    'streamableHttp',
    'streamable_http',
    'url',
    '',
  ].map((type) => [{ type, url: 'https://h/mcp' }, 'http'] as const),
  [{ type: 'sse', url: 'https://h/x' }, 'sse'],
  [{ transport: { type: 'stdio', command: 'x' } }, 'stdio'],
  [{ type: 'http', command: 'x', url: 'https://h/mcp' }, 'http'],
] as const)('reads %j as a server of kind %s', (raw, kind) => {
  const server = one(raw);
  expect(used(server === undefined ? [] : [server])).toMatchObject([{ kind }]);
});

test('reads the command of an MCPProxy entry with a URL, and requires a type elsewhere', () => {
  const both = { command: 'x', url: 'https://h/mcp' };
  expect(one(both, '.mcpproxy/mcp_config.json')?.entry).toEqual({ command: 'x' });
  expect(one(both)).toMatchObject({ entry: undefined, reason: expect.stringContaining('both') as string });
});

test.each(['openapi', 'websocket', 'inline_python'])('rejects an entry of type %s with the reason', (type) => {
  expect(one({ type, command: 'x', url: 'https://h' })).toMatchObject({
    entry: undefined,
    reason: expect.stringMatching(/^It /) as string,
  });
});

test.each([
  ['command', { command: 'C:\tools\notes.exe' }],
  ['args', { command: 'x', args: ['C:\new\bin'] }],
])('rejects a Windows path with backslashes read as escapes in %s', (key, raw) => {
  expect(one(raw)?.reason).toMatch(new RegExp(`^${key}.*\\\\\\\\`));
});

test('applies allow and deny lists beside the servers and reports other rules', () => {
  const servers = { a: { command: 'a' }, b: { command: 'b' }, c: { command: 'c' } };
  const on = (rest: object) => {
    const reading = readServersOfText(JSON.stringify({ mcpServers: servers, ...rest }), '/c/settings.json', { home });
    return [
      reading.servers
        .filter(({ entry }) => entry?.['enabled'] !== false)
        .map(({ name }) => name)
        .join(''),
      reading.notes.length,
    ];
  };
  expect(on({ mcp: { allowed: ['a', 'b'], excluded: ['b'] } })).toEqual(['a', 0]);
  expect(on({ mcp: { allowed: [] } })).toEqual(['abc', 0]);
  expect(on({ allowedMcpServers: [] })).toEqual(['', 0]);
  expect(on({ deniedMcpServers: [{ serverName: 'c' }] })).toEqual(['ab', 0]);
  expect(
    on({ allowedMcpServers: [{ serverName: 'a' }, { serverUrl: 'https://*' }], allowManagedMcpServersOnly: true }),
  ).toEqual(['a', 2]);
});

test('imports switches of single tools from opencode, Amp and MCPHub', () => {
  const tools = (text: object, file: string) =>
    readServersOfText(JSON.stringify(text), file, { home }).servers[0]?.entry?.['disabledTools'];
  const entry = { type: 'local', command: ['x'] };
  expect(tools({ mcp: { n: entry }, tools: { 'n_del*': false, 'm_*': false } }, '/c/opencode.json')).toEqual(['del*']);
  expect(tools({ mcp: { n: entry }, tools: { 'n*': false } }, '/c/opencode.json')).toEqual(['*']);
  expect(
    tools(
      { 'amp.mcpServers': { p: { command: 'x' } }, 'amp.tools.disable': ['mcp__p__t', 'grep'] },
      '/c/settings.json',
    ),
  ).toEqual(['t']);
  expect(
    tools({ mcpServers: { r: { command: 'x', tools: { t: { enabled: false }, u: { enabled: true } } } } }, '/c/x.json'),
  ).toEqual(['t']);
});

test('starts servers of one project in its folder, and reports it', () => {
  const text = JSON.stringify({
    projects: { '/home/me/app': { mcpServers: { s: { command: 'x' } }, disabledMcpServers: ['s'] } },
  });
  const [server] = readServersOfText(text, '/home/me/.claude.json', { home }).servers;
  expect(server).toMatchObject({ name: 's', entry: { command: 'x', cwd: '/home/me/app', enabled: false } });
  expect(server?.losses.join()).toContain('/home/me/app');
});

test('reports duplicate keys', () => {
  const { notes, servers } = readServersOfText(
    '{"mcpServers":{"a":{"command":"x"}},"mcpServers":{"b":{"command":"y"},"b":{"command":"z"}}}',
    '/c/x.json',
    { home },
  );
  expect([servers.map(({ entry }) => entry?.['command']), notes.length]).toEqual([['z'], 2]);
  const { problems } = parseConfig(
    '{"servers":{"a":{"command":"x"}},"servers":{"b":{"command":"y"}}}',
    '/c/x.json',
    {},
  );
  expect(problems).toMatchObject([{ severity: 'warning', path: 'servers' }]);
});

test.each([
  ['{\n<<<<<<< HEAD\n  "mcpServers": {}\n=======\n  "mcpServers": {"a": {}}\n>>>>>>> x\n}', /merge conflict/],
  ['{\n  “mcpServers”: {}\n}', /Curly quotes/],
  ["{\n  'servers': 1,,\n}", /Single quotes/],
  ['{\n  "mcpServers": { "a": 1\n    "b": 2 }\n}', /comma is missing/],
  ['{\n  "a": "C:\\tools\\mcp"\n}', /backslash/],
])('names the cause if a file cannot be parsed: %j', (text, reason) => {
  expect(parseConfig(text, '/c/x.json', {}).problems).toMatchObject([
    { severity: 'error', reason: expect.stringMatching(reason) as string },
  ]);
});
