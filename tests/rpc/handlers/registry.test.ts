/** A user's way through a registry: search, view, preview, test, add; secrets are stored in the vault and in no file. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serverSecretPrefix } from '../../../src-main/core/secrets/secret-store.ts';
import { registryFile, startRegistry } from '../../fixtures/registry/registry-server.ts';
import { allCases } from '../../support/all-cases.ts';
import { ready, startCore, type TestCore } from '../../support/start-core.ts';
import { ask } from '../dashboard-client.ts';

type Json = Record<string, unknown>;

async function start(url: string): Promise<TestCore> {
  const core = await startCore({ servers: {}, registries: [{ name: 'official', url }] }, { askToken: true });
  onTestFinished(() => core[Symbol.asyncDispose]());
  return core;
}

const everything = {
  server: 'io.github.modelcontextprotocol/everything',
  version: '2026.8.31',
  option: 'package-0',
  inputs: { 'env-EVERYTHING_PASS': 'open-sesame-42', 'env-LOG_LEVEL': 'debug' },
};

const secrets = async (core: TestCore): Promise<string[]> =>
  (await core.host.core.trust.vault.names(serverSecretPrefix)).map(({ name }) => name);

test('returns a search with its next cursor and a server with its details, without internals', async () => {
  await using registry = await startRegistry();
  const core = await start(registry.url);
  const page = await ask(core, 'registrySearch', { query: 'many', limit: 40 });
  expect([(page['servers'] as Json[]).length, page['next']]).toEqual([40, 'io.github.many/tool-39:1.0.0']);
  const found = await ask(core, 'registryServer', { server: everything.server });
  expect(found).toMatchObject({
    registry: 'official',
    name: 'everything',
    server: {
      publisher: 'io.github.modelcontextprotocol',
      repository: 'https://github.com/modelcontextprotocol/servers',
    },
  });
  expect(JSON.stringify([page, found])).not.toContain('"plan"');
  expect(await ask(core, 'registries', {})).toEqual({ registries: [{ name: 'official', url: registry.url }] });
});

test('a preview shows all that would run, what it means, what is missing, and no secret', async () => {
  const core = await start(registryFile);
  const preview = await ask(core, 'registryPreview', everything);
  expect(preview).toMatchObject({
    words: ['npx', '-y', '@modelcontextprotocol/server-everything@2026.8.31', 'stdio'],
    variables: [
      { name: 'EVERYTHING_PASS', value: '***' },
      { name: 'LOG_LEVEL', value: 'debug' },
    ],
    problems: [],
  });
  expect(JSON.stringify(preview['meanings'])).toContain('It receives the secret EVERYTHING_PASS, which npx can read');
  expect(JSON.stringify(preview)).not.toContain('sesame');
  const empty = await ask(core, 'registryPreview', { ...everything, inputs: {} });
  expect(empty['problems']).toEqual([
    { id: 'env-EVERYTHING_PASS', label: 'EVERYTHING_PASS', sentence: 'EVERYTHING_PASS is required.' },
  ]);
});

// Its hundred packages are downloaded from npm, which may exceed the start timeout.
test.runIf(allCases)(
  'tests and adds the real package in its sandbox, with its secret only in the vault',
  async () => {
    const core = await start(registryFile);
    expect(await ask(core, 'registryTest', everything)).toMatchObject({ ok: true });
    expect(await secrets(core)).toEqual([]);
    const added = await ask(core, 'registryAdd', { ...everything, name: 'all' });
    expect(added).toMatchObject({ kind: 'added', name: 'all', inReview: false, trial: { ok: true } });
    const text = await readFile(core.configFile, 'utf8');
    expect((JSON.parse(text) as { servers: Json }).servers['all']).toMatchObject({
      env: { EVERYTHING_PASS: '${secret:EVERYTHING_PASS}', LOG_LEVEL: 'debug' },
      isolation: { mode: 'auto', network: true },
      registry: { name: 'official', server: everything.server, version: everything.version },
    });
    await ready(core.server('all'));
    const client = await core.open();
    const told = JSON.stringify(await client.callTool('get-env', {}));
    expect(told).toContain('EVERYTHING_PASS');
    expect(text).not.toContain('sesame');
    const detail = await ask(core, 'serverDetail', { server: 'all' });
    expect(detail['provenance']).toMatchObject({
      origin:
        'Runs @modelcontextprotocol/server-everything with npx, version 2026.8.31. Added from the registry "official" as ' +
        `${everything.server} ${everything.version}.`,
    });
  },
  180_000,
);

describe('nothing remains of', () => {
  test('a server that does not start; added without a test, it is in review with its secret', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tooltray-registry-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [name, version] = ['a/broken', '1.0.0'];
    const environmentVariables = [{ name: 'EVERYTHING_PASS', isSecret: true, isRequired: true }];
    const absent = {
      registryType: 'npm',
      identifier: 'tooltray-there-is-no-such-package',
      version,
      environmentVariables,
    };
    await writeFile(join(folder, 'list.json'), JSON.stringify([{ name, version, packages: [absent] }]));
    const core = await start(join(folder, 'list.json'));
    const inputs = { 'env-EVERYTHING_PASS': 'open-sesame-42' };
    const wish = { server: name, version, option: 'package-0', inputs, name: 'b' };
    expect(await ask(core, 'registryAdd', wish)).toMatchObject({ kind: 'failed', trial: { ok: false } });
    expect([await secrets(core), core.host.core.servers.manager.all.length]).toEqual([[], 0]);
    const added = await ask(core, 'registryAdd', { ...wish, untested: true });
    expect(added).toEqual({ kind: 'added', name: 'b', inReview: true });
    expect(core.server('b').config).toMatchObject({ enabled: false, held: 'review' });
    expect(await secrets(core)).toEqual(['secret/EVERYTHING_PASS']);
  }, 120_000);

  test.each([
    ['an answer that is missing', { inputs: {} }, 'EVERYTHING_PASS is required.'],
    ['an answer to nothing that was asked', { inputs: { ...everything.inputs, PATH: '/evil' } }, 'has no input named'],
    ['a version that is not there', { version: '0.0.1' }, 'has no server'],
    ['a way that is not there', { option: 'package-7' }, 'has no way'],
  ])('%s', async (_, change, why) => {
    const core = await start(registryFile);
    const refused = ask(core, 'registryAdd', { ...everything, ...change, name: 'x' });
    await expect(refused.then((answer) => JSON.stringify(answer))).resolves.toContain(why);
    expect([await secrets(core), core.host.core.servers.manager.all.length]).toEqual([[], 0]);
  });
});
