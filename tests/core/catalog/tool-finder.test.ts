import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import type { LeaseHandle } from '../../../src-main/core/config/server-config.ts';
import { buildCatalog } from '../../../src-main/core/catalog/catalog.ts';
import { type ConfiguredServer, ToolFinder } from '../../../src-main/core/catalog/tool-finder.ts';
import { SearchIndex } from '../../../src-main/core/search/search-index.ts';
import type { ServerState } from '../../../src-main/core/servers/server-state.ts';
import { serverWith, toolsNamed } from './catalog-of.ts';

interface Sketch {
  readonly state?: ServerState;
  readonly tools?: readonly string[];
  readonly held?: LeaseHandle;
}

const states = {
  ready: { kind: 'ready', since: 0 },
  off: { kind: 'disabled' },
  starting: { kind: 'connecting', since: 0, failures: 0 },
  reading: { kind: 'discovering', since: 0, failures: 0 },
  asleep: { kind: 'disconnected' },
  signingIn: { kind: 'authenticating', since: 0 },
  signIn: {
    kind: 'pending-sign-in',
    error: new AppError('server_unauthorized', 'cloud wants a sign-in.', { fix: 'Sign in: tooltray login cloud.' }),
  },
  dead: {
    kind: 'error',
    error: new AppError('command_not_found', 'dead did not start: "nope" was not found on PATH.', {
      fix: 'Install it.',
    }),
    failures: 1,
    retryAt: 14_000,
  },
} as const satisfies Record<string, ServerState>;

/** Servers by name; one without tools was never listed. `offTools` are disabled by the user. */
function finderOf(sketches: Readonly<Record<string, Sketch>>, offTools: readonly string[] = []): ToolFinder {
  const servers = Object.entries(sketches).map(([name, { state = states.ready, tools, held }]): ConfiguredServer => ({
    config: { name, enabled: state.kind !== 'disabled', ...(held && { held }) },
    state,
    listing: serverWith(name, toolsNamed(...(tools ?? []))).listing,
    listedAt: tools === undefined ? undefined : 0,
  }));
  const isOn = (server: string, tool: string): boolean => !offTools.includes(`${server}:${tool}`);
  const shown = servers.filter(({ config }) => config.enabled);
  const listed = shown.map(({ config: { name } }) =>
    serverWith(name, toolsNamed(...(sketches[name]?.tools ?? []).filter((tool) => isOn(name, tool)))),
  );
  const aliases = new Map(servers.map(({ config }, index) => [config.name, `c${index + 1}`]));
  const catalog = buildCatalog(listed, new Set(['search_tools', 'list_all_tools', 'query_result']), aliases);
  const index = new SearchIndex();
  for (const { name } of listed) {
    const own = catalog.lookup.tools.byServer(name);
    index.replaceServer(
      name,
      own.map((tool) => ({ id: tool.id, server: name, name: tool.name, inputSchema: {} })),
    );
  }
  return new ToolFinder({ catalog: () => catalog, index, servers: () => servers, isOn, now: () => 12_000 });
}

function answer(finder: ToolFinder, spelling: string, server?: string): readonly [string, string] {
  const found = finder.tryFind(spelling, server);
  return 'missing' in found ? [found.missing, found.error.text] : ['found', found.id];
}

const world = finderOf({
  files: { tools: ['read_file', 'write_file', 'search_files'] },
  other: { tools: ['read_files', 'list_all'] },
  slow: { state: states.starting },
  dead: { state: states.dead },
  'old one': { state: states.off, tools: ['echo', 'reverse'] },
  cloud: { state: states.signIn },
  held: { state: states.off, tools: ['run'], held: 'review' },
});

describe('a name with a server', () => {
  test.each(['slow:work', 'slow_work', 'slow__work', 'slow.work', 'slow/work', 'Slow:work', 'c3:work', 'SLOW_work'])(
    '%s reports the status of the server',
    (spelling) => {
      expect(answer(world, spelling)).toEqual(['starting', 'slow is still starting (12 s). Call again shortly.']);
    },
  );

  test.each<[string, string, string]>([
    ['dead:x', 'failed', 'dead did not start: "nope" was not found on PATH. Install it. Next retry in 2 s.'],
    ['old one:echo', 'off', 'old one is disabled. The user can enable it: tooltray enable old one.'],
    ['old-one_echo', 'off', 'old one is disabled. The user can enable it: tooltray enable old one.'],
    ['cloud_x', 'sign-in', 'cloud wants a sign-in. Sign in: tooltray login cloud.'],
    [
      'held:run',
      'in-review',
      "held needs the user's review before it starts. Continue without it. The user or an administrator can accept it: tooltray inbox show held, or the inbox in Tooltray's window.",
    ],
  ])('%s is reported as %s', (spelling, reason, text) => {
    expect(answer(world, spelling)).toEqual([reason, text]);
  });

  test('reports the same if the server is given separately', () => {
    expect(answer(world, 'x', 'dead')[0]).toBe('failed');
    expect(answer(world, 'echo', 'c5')[0]).toBe('off');
    expect(answer(world, 'slow_x', 'Slow')[0]).toBe('starting');
    expect(answer(world, 'x', 'nobody')).toEqual([
      'no-server',
      'There is no server named "nobody". Servers: files, other, slow, dead, old one, cloud, held.',
    ]);
  });

  test('reports whether its last listing had the tool, and similar ones', () => {
    expect(world.tryFind('old one:echo')).toMatchObject({ server: 'old one', tool: 'echo', nearest: [] });
    expect(answer(world, 'old one:ecko')).toEqual([
      'off',
      'old one is disabled. Its last tool list does not contain "ecko". Did you mean old one:echo? The user can enable it: tooltray enable old one.',
    ]);
  });

  test('is never resolved to another server', () => {
    expect(answer(world, 'other:read_fil')).toEqual([
      'no-tool',
      'Unknown tool: "other:read_fil" was not found on other. Did you mean other:read_files?',
    ]);
    expect(answer(world, 'other:write_file')[1]).toBe(
      'Unknown tool: "other:write_file" was not found on other. It has other:list_all, other:read_files.',
    );
    expect(answer(world, 'dead:read_file')[1]).not.toContain('files');
  });

  test('lists the servers if the server is unknown', () => {
    expect(answer(world, 'fils:read_file')).toEqual([
      'no-server',
      'Unknown tool: "fils:read_file" was not found: there is no server "fils". Did you mean files? Servers: files, other, slow, dead, old one, cloud, held.',
    ]);
  });
});

describe('a name without a server', () => {
  test('is resolved to the disabled server known to have it', () => {
    expect(answer(world, 'reverse')[0]).toBe('off');
  });

  test('gets suggestions, including helper tools and servers, and the unlisted servers', () => {
    expect(answer(world, 'search_tool')[1]).toMatch(/Did you mean .*search_tools/);
    expect(answer(world, 'read_fil')[1]).toMatch(/Did you mean files:read_file, other:read_files/);
    const near = finderOf({ github: { tools: ['a'] }, two: { tools: ['b'] } });
    expect(answer(near, 'githb')[1]).toMatch(/Did you mean .*github\?/);
    expect(answer(world, 'quite_unlike')[1]).toBe(
      'Unknown tool: "quite_unlike" was not found. List the tools first. Not listed: slow: starting, 12 s; dead: did not start: "nope" was not found on PATH; old one: disabled; cloud: needs sign-in; held: waits for review.',
    );
  });

  test('may be a server or a helper tool itself', () => {
    expect(answer(world, 'files')).toEqual([
      'is-server',
      'Unknown tool: "files" was not found: files is a server. Its tools: files:read_file, files:search_files, files:write_file.',
    ]);
    expect(answer(world, 'dead')[0]).toBe('failed');
    expect(answer(world, 'list_all_tools')[0]).toBe('is-helper');
  });

  test('means the only server, which is still starting', () => {
    expect(answer(finderOf({ slow: { state: states.reading } }), 'echo')[0]).toBe('starting');
  });
});

test.each(['files.read_file', 'files/read_file', 'Files_read_file', 'FILES:read_file'])('finds %s', (spelling) => {
  expect(answer(world, spelling)).toEqual(['found', 'files:read_file']);
});

test('reports a disabled tool, however its server is named', () => {
  const finder = finderOf({ a: { tools: ['x', 'y'] }, b: { tools: ['z'] } }, ['a:x']);
  for (const spelling of ['x', 'a:x', 'a_x', 'a.x']) {
    expect(answer(finder, spelling)).toEqual([
      'tool-off',
      'a:x was disabled by the user. Continue without it, or ask the user to enable it in Tooltray.',
    ]);
  }
});

test('lists disabled tools, but not those of disabled servers', () => {
  const sketches = { a: { tools: ['x', 'y'] }, b: { state: states.off, tools: ['z'] } };
  const off = [{ server: 'a', tool: 'x', description: expect.any(String) as string }];
  expect(finderOf(sketches, ['a:x', 'b:z']).disabledTools()).toEqual(off);
});

test('summarizes unlisted servers, grouped by status', () => {
  const many = Object.fromEntries(
    Array.from({ length: 8 }, (_, i) => [`off${i}`, { state: states.off, tools: ['x'] }]),
  );
  expect(finderOf({ ...many, ok: { tools: [] }, slow: { state: states.reading } }).missingServers()).toBe(
    'off0, off1, off2, off3, off4 and 3 more: disabled; slow: starting, 12 s',
  );
  expect(finderOf({ ok: { state: states.dead, tools: ['x'] } }).missingServers()).toBeUndefined();
  expect(world.missingServers('dead')).toBe('dead: did not start: "nope" was not found on PATH');
});
