/** Parses config files, and reports what is wrong in them. */
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ServerConfig } from '../../../src-main/core/config/server-config.ts';
import { modeValues } from '../../../src-main/core/config/mode-names.ts';
import { isToolEnabled } from '../../../src-main/core/config/tool-names.ts';
import { initialConfigText } from '../../../src-main/core/config/config-store.ts';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';

const file = resolve('/config/config.json');

function read(text: string, env: Record<string, string> = {}) {
  const { config, problems } = parseConfig(text, file, env);
  return { config, problems, servers: config?.servers ?? [] };
}

function server(entry: object, env: Record<string, string> = {}): ServerConfig | undefined {
  return read(JSON.stringify({ servers: { a: entry } }), env).servers[0];
}

/** Format: `line:column path severity reason suggestion`. */
function said(text: string, env: Record<string, string> = {}): string[] {
  return read(text, env).problems.map(({ line, column, path, severity, reason, suggestion }) =>
    `${line}:${column} ${path} ${severity}: ${reason} ${suggestion ?? ''}`.trim(),
  );
}

function isOn(text: string, server: string, tool: string): boolean {
  const { config } = read(text);
  return config !== undefined && isToolEnabled(config, server, tool);
}

test('rejects a profile with an unknown rule, so that it allows nothing by mistake', () => {
  const text =
    '{ "profiles": { "calm": { "servers": ["a"], "readonly": true } }, "appProfiles": { "cursor": "calm" } }';
  const { config, problems } = read(text);
  expect([config?.profiles, config?.appProfiles]).toEqual([{}, { cursor: 'calm' }]);
  expect(problems).toMatchObject([{ severity: 'error', path: 'profiles.calm' }]);
});

test('accepts registries over https, on this computer or in a file, and rejects others', () => {
  const places = [
    'https://a.example/base',
    'http://127.0.0.1:8080',
    'http://localhost:1',
    '/a/b.json',
    '~/b.json',
    'C:\\b.json',
  ];
  const good = places.map((url, at) => ({ name: `r${at}`, url }));
  expect(read(JSON.stringify({ registries: good }))).toMatchObject({ config: { registries: good }, problems: [] });
  const bad = [
    'http://a.example',
    'ftp://a.example',
    'https://me:word@a.example',
    'https://a.example/?x=1',
    'b.json',
    '',
  ];
  for (const url of bad) {
    const { config, problems } = read(JSON.stringify({ registries: [{ name: 'r', url }] }));
    expect([url, config?.registries, problems.map(({ path }) => path)]).toEqual([url, [], ['registries[0].url']]);
  }
});

test.each(['https://a.example/', '*', 'a b', 'a.example:', 'a..example', '::1'])(
  'rejects %j as a host of a sandbox',
  (host) => {
    const isolation = { mode: 'sandbox', network: ['a.example', '*.b.example:8443', '[::1]:80', host] };
    const { servers, problems } = read(JSON.stringify({ servers: { a: { command: 'x', isolation } } }));
    expect(servers).toEqual([]);
    expect(problems).toMatchObject([{ severity: 'error', path: expect.stringContaining('isolation') as string }]);
  },
);

test('reads an empty object as a config with all defaults', () => {
  expect(read('{}').config).toEqual({
    path: file,
    product: 'tooltray',
    servers: [],
    mode: 'auto',
    appModes: {},
    profiles: {},
    appProfiles: {},
    ui: 'listed',
    appUi: {},
    raw: false,
    extraTools: [],
    exposeAdmin: false,
    port: 8690,
    http: {
      maxSessions: 2000,
      sessionIdleMinutes: 1440,
      maxStreams: 2000,
      maxRequests: 2_000,
      maxBodyMB: 64,
      drainSeconds: undefined,
    },
    userProcesses: { maxPerReplica: 200, maxPerUser: 8, idleMinutes: 10 },
    commandLimits: { memoryMB: 2048, processes: 512, openFiles: 4096, cpus: 2 },
    audit: { writeAhead: false, push: [] },
    activity: { maxRows: 100_000, maxBytes: 268_435_456, storePayloads: true },
    policy: { agentChanges: 'ask', allowAdd: true, allowRemove: true },
    callTimeoutSeconds: undefined,
    initTimeoutSeconds: undefined,
    isolateCommands: false,
    retrieve: { limit: undefined },
    code: { enabled: true, timeoutSeconds: undefined, maxToolCalls: undefined },
    trustEdits: false,
    heal: 'ask',
    dispatch: { allow: [], deny: [] },
    results: {
      threshold: undefined,
      thresholds: {},
      appThresholds: {},
      toon: false,
      clean: false,
      cacheSeconds: {},
      retentionDays: 7,
      maxBytes: 1_000_000_000,
      maxCount: 10_000,
      deleteOnExit: false,
      folders: [],
    },
    dataFlow: { mode: 'record', waitSeconds: 50, approvalTimeoutMinutes: 30, roles: {}, secrets: 'ask' },
    slowCallSeconds: undefined,
    pollingTools: [],
    tokenBudgets: {},
    reviews: { onChange: 'hold' },
    registries: [],
    overridable: undefined,
    oauth: { clientMetadataUrl: undefined },
    quotas: undefined,
    network: { extraCaFile: undefined },
    price: { perMillionTokens: undefined, currency: 'USD' },
  });
});

test('sets one HTTP limit and keeps the defaults of the others', () => {
  expect(read('{ "http": { "maxSessions": 5, "drainSeconds": 0 } }').config?.http).toMatchObject({
    maxSessions: 5,
    drainSeconds: 0,
    maxStreams: 2000,
  });
  expect(said('{ "http": { "maxSessions": 0 } }')).toEqual([
    expect.stringMatching(/^1:\d+ http\.maxSessions error: .* 2000 is used\.$/) as string,
  ]);
});

test('reads flow as a mode, or as an object with roles and secrets', () => {
  expect(read('{ "dataFlow": "ask" }').config?.dataFlow).toMatchObject({ mode: 'ask', secrets: 'ask' });
  const whole = read('{ "dataFlow": { "secrets": "mask", "roles": { "mail:send": ["destination"] } } }').config
    ?.dataFlow;
  expect(whole).toMatchObject({ mode: 'record', secrets: 'mask', roles: { 'mail:send': ['destination'] } });
  expect(said('{ "dataFlow": "always" }')).toEqual([
    '1:15 dataFlow.mode error: This must be one of "off", "record", "ask". Until it is corrected, "record" is used.',
  ]);
  expect(said('{ "dataFlow": { "roles": { "mail": ["destinations"] } } }')).toEqual([
    '1:37 dataFlow.roles.mail[0] error: This must be one of "source", "destination". Did you mean "destination"? Until it is corrected, the default is used.',
  ]);
  expect(said('{ "dataFlow": { "rolls": {} } }').join()).toContain('roles');
});

test('reads the settings beside the servers, and fills partial groups with defaults', () => {
  const text = `{ "mode": "search", "appModes": { "cursor": "meta" }, "raw": true, "extraTools": ["proxy"], "exposeAdmin": true, "port": 0,
    "activity": { "maxRows": 5 }, "policy": { "agentChanges": "allow" } }`;
  expect(read(text).config).toMatchObject({
    mode: 'search',
    appModes: { cursor: 'meta' },
    raw: true,
    extraTools: ['proxy'],
    exposeAdmin: true,
    port: 0,
    activity: { maxRows: 5, maxBytes: 268_435_456, storePayloads: true },
    policy: { agentChanges: 'allow' },
  });
});

test('reads ui as a mode for all apps or by app, and drops an invalid one for its app only', () => {
  expect(read('{ "ui": "on-demand", "appUi": { "cursor": "off" } }').config).toMatchObject({
    ui: 'on-demand',
    appUi: { cursor: 'off' },
  });
  expect(read('{ "appUi": { "cursor": "off", "zed": "on" } }').config?.appUi).toEqual({ cursor: 'off' });
  expect(said('{ "ui": "on" }').join()).toContain('This must be one of "listed", "on-demand", "off".');
});

test('disables tools in the spelling of any product', () => {
  const text = `{ "servers": { "a": { "command": "a", "disabledTools": ["x"] }, "b": { "command": "b", "enabled_tools": ["y"] }, "c": { "command": "c" } } }`;
  expect([
    isOn(text, 'a', 'x'),
    isOn(text, 'a', 'y'),
    isOn(text, 'b', 'x'),
    isOn(text, 'b', 'y'),
    isOn(text, 'c', 'x'),
  ]).toEqual([false, true, false, true, true]);
});

test('reads every field of a stdio server in the units of the core', () => {
  const entry = {
    command: 'npx',
    args: ['-y', 'x', 1],
    env: { PORT: 3000, ON: true },
    cwd: 'work',
    enabled: false,
    lazy: true,
    idleTimeoutSeconds: 60,
    initTimeoutSeconds: 5,
    callTimeoutSeconds: 0.5,
    maxMessageMB: 1,
    description: 'mine',
  };
  expect(server(entry)).toEqual({
    name: 'a',
    kind: 'stdio',
    command: 'npx',
    args: ['-y', 'x', '1'],
    env: { PORT: '3000', ON: 'true' },
    cwd: resolve('/config/work'),
    enabled: false,
    lazy: true,
    idleTimeoutMs: 60_000,
    initTimeoutMs: 5000,
    callTimeoutMs: 500,
    maxMessageBytes: 1_048_576,
    description: 'mine',
    hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
});

test('fills a minimal server with the documented defaults', () => {
  expect(server({ url: 'https://h/mcp' })).toMatchObject({
    kind: 'http',
    url: 'https://h/mcp',
    headers: {},
    enabled: true,
    lazy: false,
    idleTimeoutMs: undefined,
    initTimeoutMs: 30_000,
    callTimeoutMs: 3_600_000,
    maxMessageBytes: 536_870_912,
    description: undefined,
  });
});

test.each([
  [{ type: 'stdio', command: 'x' }, 'stdio'],
  [{ type: 'http', url: 'https://h' }, 'http'],
  [{ type: 'streamable-http', url: 'https://h' }, 'http'],
  [{ type: 'streamableHttp', url: 'https://h' }, 'http'],
  [{ transport: 'sse', url: 'https://h' }, 'sse'],
  [{ type: 'builtin', builtin: 'utils' }, 'builtin'],
  [{ type: 'http', command: 'x', url: 'https://h' }, 'http'],
])('reads %j as a server of kind %s', (entry, kind) => {
  expect(server(entry)?.kind).toBe(kind);
});

test('expands ~ in folders and cwd', () => {
  const env = { HOME: resolve('/home/me') };
  expect(server({ type: 'builtin', builtin: 'utils', folders: ['~/notes', '~'] }, env)).toMatchObject({
    folders: [join(env.HOME, 'notes'), env.HOME],
  });
  expect(server({ command: 'x', cwd: '~/work' }, env)).toMatchObject({ cwd: join(env.HOME, 'work') });
});

test('parses the initial config, also with its examples enabled', () => {
  expect(read(initialConfigText)).toMatchObject({
    problems: [],
    servers: [{ name: 'utils', kind: 'builtin', folders: [] }],
  });
  const switchedOn = initialConfigText.replace(/\/\/ (?=")/g, '');
  const { servers, problems } = read(switchedOn, { EXAMPLE_TOKEN: 't' });
  expect(problems).toEqual([]);
  expect(servers.map(({ name }) => name)).toEqual(['utils', 'memory', 'example']);
});

test('accepts a byte order mark, Windows line ends, comments and trailing commas', () => {
  const text = '\uFEFF// hello\r\n{\r\n  "servers": {\r\n    "a": { "command": "x", }, /* c */\r\n  },\r\n}\r\n';
  expect(read(text)).toMatchObject({ problems: [], servers: [{ name: 'a', command: 'x' }] });
});

test('accepts names such as __proto__ and constructor', () => {
  const { servers } = read(
    '{ "servers": { "__proto__": { "command": "x" }, "constructor": { "command": "y" }, "a.b c": { "command": "z" } } }',
  );
  expect(servers.map(({ name }) => name)).toEqual(['__proto__', 'constructor', 'a.b c']);
});

test.each([
  ['{ "servers": { "a": { "command": "x" } ', '1:40  error: An object is not closed. Add the missing }.'],
  [
    '{\n  "mode": "proxy"\n  "port": 1\n}',
    '3:3  error: A comma is missing. Put a comma after the value before this one.',
  ],
  ['{\r\n  mode: 1 }', '2:3  error: Unexpected token in JSON. Put strings and keys in double quotes.'],
  ['\uFEFF[1]', '1:1  error: The file contains array; an object is expected. Start with { "servers": { } }.'],
  ['', '1:1  error: The file is empty. Start with { "servers": { } }.'],
  ['// only\n', '1:1  error: The file is empty. Start with { "servers": { } }.'],
])('rejects a file that is not JSONC: %j', (text, expected) => {
  const { config } = read(text);
  expect(config).toBeUndefined();
  expect(said(text)).toEqual([expected]);
});

test('rejects wrong entries with their place and keeps the others', () => {
  const text = `{
  "servers": {
    "one": { "args": ["x"] },
    "two": { "command": 5 },
    "three": { "url": "ftp://h" },
    "four": { "command": "x", "url": "https://h" },
    "five": { "type": "carrier-pigeon", "command": "x" },
    "six": "npx",
    "seven": { "command": "x", "args": ["a", null] },
    "eight": { "type": "builtin", "builtin": "utils", "folders": ["notes"] },
    "nine": { "type": "sse", "command": "x" },
    "ten": { "command": "x", "callTimeoutSeconds": -1 },
    "good": { "command": "x" }
  }
}`;
  expect(read(text).servers.map(({ name }) => name)).toEqual(['good']);
  expect(said(text)).toEqual([
    '3:5 servers.one error: The server needs a command or a URL. Add "command": "npx", "args": […] or "url": "https://…".',
    '4:25 servers.two.command error: A string in double quotes is expected here.',
    '5:23 servers.three.url error: The URL must start with http:// or https://. Write "https://host/mcp".',
    '6:5 servers.four error: The server has both a command and a URL. Remove one of them, or set "type".',
    '7:23 servers.five.type error: Unknown server type. Use "stdio", "http" or "sse".',
    '8:5 servers.six error: An object is expected here. Write { "command": … } or { "url": … }.',
    '9:46 servers.seven.args[1] error: A string in double quotes is expected here.',
    '10:67 servers.eight.folders[0] error: The full path of the directory is required. Start it at the root or with "~/".',
    '11:5 servers.nine error: The server needs a URL. Add "url": "https://…".',
    '12:52 servers.ten.callTimeoutSeconds error: This must be more than 0.',
  ]);
});

test('names the server in every error about it', () => {
  expect(read('{ "servers": { "a b": {} } }').problems).toMatchObject([
    { server: 'a b', path: 'servers["a b"]', file },
  ]);
});

test('warns about an unknown key with the closest known one, and keeps the entry', () => {
  const text = '{ "sever": {}, "servers": { "a": { "command": "x", "agrs": [], "shoe_size": 4, "_note": "mine" } } }';
  expect(said(text)).toEqual([
    '1:3 sever warning: Unknown key "sever". Did you mean "servers"?',
    '1:52 servers.a.agrs warning: Unknown key "agrs". Did you mean "args"?',
    '1:64 servers.a.shoe_size warning: Unknown key "shoe_size".',
  ]);
  expect(read(text).servers).toHaveLength(1);
});

test('reports a wrong setting and uses its default', () => {
  const text = '{ "port": 70000, "raw": "yes", "policy": { "agentChanges": "maybe" }, "mode": "" }';
  expect(read(text).config).toMatchObject({ port: 8690, raw: false, policy: { agentChanges: 'ask' }, mode: 'auto' });
  expect(said(text)).toEqual([
    '1:11 port error: This must be at most 65535. Until it is corrected, 8690 is used.',
    '1:25 raw error: True or false is expected here. Until it is corrected, false is used.',
    '1:60 policy.agentChanges error: This must be one of "ask", "allow", "refuse". Until it is corrected, "ask" is used.',
    `1:79 mode error: Unknown mode. Modes: ${modeValues.join(', ')}. Until it is corrected, "auto" is used.`,
  ]);
});

describe('a mode', () => {
  test('is read case-insensitively, for all apps and for one', () => {
    expect(read('{ "mode": " GateWay ", "appModes": { "cursor": "AUTO" } }')).toMatchObject({
      config: { mode: 'gateway', appModes: { cursor: 'auto' } },
      problems: [],
    });
  });

  test('is reported with its line and the closest name if unknown, and the last good one is kept', () => {
    const good = read('{ "mode": "search" }').config;
    const { config, problems } = parseConfig('{\n  "mode": "serch"\n}', file, {}, good);
    expect(config?.mode).toBe('search');
    expect(problems).toMatchObject([
      {
        line: 2,
        path: 'mode',
        severity: 'error',
        suggestion: 'Did you mean "search"? Until it is corrected, "search" is used.',
      },
    ]);
  });

  test('of one app does not affect the other apps if unknown', () => {
    const good = read('{ "appModes": { "cursor": "meta", "codex": "code" } }').config;
    const text = '{ "appModes": { "cursor": "Code", "codex": "coode", "zed": 5 } }';
    expect(parseConfig(text, file, {}, good).config?.appModes).toEqual({ cursor: 'code', codex: 'code' });
    expect(said(text)).toHaveLength(2);
  });
});

test('drops unknown helper tools from extraTools and suggests the closest', () => {
  const known = { helpers: new Set(['proxy', 'search_tools']) };
  const { config, problems } = parseConfig(
    '{ "extraTools": ["proxy", "serch_tools", "quux"] }',
    file,
    {},
    undefined,
    known,
  );
  expect(config?.extraTools).toEqual(['proxy']);
  expect(problems).toMatchObject([
    { path: 'extraTools[1]', severity: 'warning', suggestion: 'Did you mean "search_tools"?' },
    { path: 'extraTools[2]', severity: 'warning', suggestion: 'Remove it.' },
  ]);
});

test('warns about an unknown key in a group of settings', () => {
  expect(said('{ "results": { "treshold": 5 }, "policy": { "x": 1 } }')).toEqual([
    '1:16 results.treshold warning: Unknown key "treshold". Did you mean "threshold"?',
    '1:45 policy.x warning: Unknown key "x". Valid keys: agentChanges, allowAdd, allowRemove.',
  ]);
});

test('uses the last of two servers with the same name and warns at the first', () => {
  const text = '{ "servers": { "a": { "command": "x" }, "a": { "command": "y" } } }';
  expect(read(text).servers).toMatchObject([{ command: 'y' }]);
  expect(said(text)).toEqual([
    '1:16 servers.a warning: Another server is named "a". The last one is used. Rename or remove the others.',
  ]);
});

test('splits a command line in one string, but no path with spaces', () => {
  expect(server({ command: 'npx -y x' })).toMatchObject({ command: 'npx', args: ['-y', 'x'] });
  expect(server({ command: 'C:\\Program Files\\x.exe' })).toMatchObject({ command: 'C:\\Program Files\\x.exe' });
});

test('keeps the last good values of what is invalid, and says so in the problem', () => {
  const { config: good } = parseConfig(
    '{ "port": 7, "servers": { "a": { "command": "x" }, "b": { "command": "x" } } }',
    file,
    {},
  );
  const { config, problems } = parseConfig('{ "port": "no", "servers": { "a": {}, "c": {} } }', file, {}, good);
  expect(config?.port).toBe(7);
  expect(config?.servers).toEqual([good?.servers[0]]);
  expect(
    problems.map(({ path, reason }) => [path, reason.includes('The last valid version of this server stays in use.')]),
  ).toEqual([
    ['port', false],
    ['servers.a', true],
    ['servers.c', false],
  ]);
  expect(parseConfig('{ "servers": 5 }', file, {}, good).config?.servers).toEqual(good?.servers);
});
