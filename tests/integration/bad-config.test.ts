/** An invalid config file, at startup and in a running core: reported clearly, and nothing that works is lost. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { SocketClient } from '../support/socket-client.ts';
import { fixture, ready, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const good = { servers: { kept: fixture('misbehaving', 'well-behaved') } };

const problemsOf = (core: TestCore) => core.host.core.context.config.problems;
const pidOf = (client: SocketClient): Promise<string> => client.say('pid');

test.each([
  ['a comma is missing', '{\n  "servers": {\n    "kept" {}\n  }\n}', 3, 'The last valid configuration stays in use.'],
  ['the file is cut off', '{\n  "servers": {\n', 3, 'The last valid configuration stays in use.'],
  ['it is empty', '', 1, 'The last valid configuration stays in use.'],
  ['it is a list', '[]', 1, 'The last valid configuration stays in use.'],
  ['"servers" is a word', '{\n  "servers": "none"\n}', 2, 'An object with one entry per server'],
])(
  'keeps the last good config and reports place and reason when %s, until the file is fixed',
  async (_what, text, line, words) => {
    await using core = await startCore(good);
    const client = await core.open();
    const before = await pidOf(client);
    await core.write(text);
    await expect
      .poll(() => problemsOf(core))
      .toMatchObject([
        { severity: 'error', file: core.configFile, line, reason: expect.stringContaining(words) as string },
      ]);
    expect(await pidOf(client)).toBe(before);
    await core.write({ servers: { ...good.servers, added: fixture('echo') } });
    await until(() => core.host.core.servers.manager.find('added') !== undefined);
    expect(problemsOf(core)).toEqual([]);
    await ready(core.server('added'));
    expect(await client.say('kept_pid')).toBe(before);
  },
);

test('ignores only the invalid entry, and keeps the server that it defined before', async () => {
  await using core = await startCore({ servers: { ...good.servers, other: fixture('echo') } });
  const client = await core.open();
  const before = await client.say('kept_pid');
  await core.write({ servers: { kept: { command: 42 }, other: fixture('echo'), added: fixture('echo') } });
  await until(() => core.host.core.servers.manager.find('added') !== undefined);
  expect(problemsOf(core)).toMatchObject([
    { severity: 'error', server: 'kept', path: expect.stringContaining('kept') as string },
  ]);
  expect(await client.say('kept_pid')).toBe(before);
});

test('runs without servers and reports a problem when the file is malformed', async () => {
  await using core = await startCore(good);
  await using second = await startCore({ servers: {} });
  await second.write('{ "servers": { nonsense');
  await until(() => problemsOf(second).length > 0);
  expect(await (await second.open()).toolNames()).toEqual([]);
  expect(await (await core.open()).toolNames()).toEqual(['echo', 'pid']);
});

test('suggests the probable key for an unknown one, and starts the server anyway', async () => {
  await using core = await startCore({
    servers: { kept: { ...fixture('misbehaving', 'well-behaved'), lasy: true } },
    prot: 1,
  });
  expect(problemsOf(core).map(({ severity, path, suggestion }) => ({ severity, path, suggestion }))).toEqual([
    { severity: 'warning', path: 'prot', suggestion: 'Did you mean "port"?' },
    { severity: 'warning', path: 'servers.kept.lasy', suggestion: 'Did you mean "lazy"?' },
  ]);
  expect(await (await core.open()).say('echo', { message: 'runs' })).toBe('runs');
});

test('reports an entry without command or URL with what to write', async () => {
  await using core = await startCore({ servers: { empty: {}, other: fixture('echo') } });
  expect(problemsOf(core)).toMatchObject([
    { severity: 'error', server: 'empty', suggestion: expect.stringMatching(/command|url/) as string },
  ]);
  expect(core.server('other').state.kind).toBe('ready');
});

test('reports a command that does not exist with a fix, and the other servers work', async () => {
  await using core = await startCore({
    servers: { gone: { command: 'no-such-command-here' }, other: fixture('echo') },
  });
  // While the other one still starts, it may be on its next attempt.
  await expect
    .poll(() => [core.server('gone').state, core.server('gone').health.level])
    .toMatchObject([
      {
        kind: 'error',
        error: {
          message: expect.stringMatching(/^gone.*no-such-command-here/) as string,
          fix: expect.any(String) as string,
        },
      },
      'error',
    ]);
  expect(await (await core.open()).say('other_echo', { message: 'x' })).toBe('x');
});

test.each([
  ['where nobody listens', 'http://127.0.0.1:9/mcp', /gone.*127\.0\.0\.1:9/s],
  ['of a host that does not exist', 'http://no-such-host.invalid/mcp', /gone.*no-such-host\.invalid/s],
])('reports a URL %s with server and address, and the other servers work', async (_what, url, words) => {
  await using core = await startCore({ servers: { gone: { url }, other: fixture('echo') } });
  await expect
    .poll(() => core.server('gone').state)
    .toMatchObject({ kind: 'error', error: { message: expect.stringMatching(words) as string } });
  expect(await (await core.open()).say('other_echo', { message: 'x' })).toBe('x');
});

test('reports the HTTP status of a URL that does not speak MCP', async () => {
  const web = createServer((_request, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>'),
  );
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as AddressInfo;
  await using core = await startCore({
    servers: { page: { url: `http://127.0.0.1:${port}/nothing` }, other: fixture('echo') },
  });
  await expect
    .poll(() => core.server('page').state)
    .toMatchObject({ kind: 'error', error: { message: expect.stringMatching(/page.*404/s) as string } });
  web.close();
});

test('reports an invalid URL as a config error', async () => {
  await using core = await startCore({ servers: { wrong: { url: 'not a url' }, other: fixture('echo') } });
  expect(problemsOf(core)).toMatchObject([{ severity: 'error', server: 'wrong' }]);
});
