/** A missing config file: reading commands write none, the accepted config stays in use and can be restored. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveAppPaths } from '../../src-main/core/base/app-paths.ts';
import { addServer } from '../../src-main/core/config/edit-config.ts';
import { createFirstConfig, openConfig } from '../../src-main/host/open-config.ts';
import { dispatchRpc } from '../../src-main/rpc/dispatch-rpc.ts';
import { stateBuilders } from '../../src-main/rpc/build-state.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const own = { ownConfig: true };
const echo = fixture('echo');
const text = `{
  // A comment of mine.
  "mode": "proxy", "reviews": { "onChange": "warn" },
  "servers": { "a": ${JSON.stringify(echo)}, "b": ${JSON.stringify({ ...echo, enabled: false })} }
}`;

const names = ({ host }: TestCore): string[] => host.core.context.config.current.servers.map(({ name }) => name);
const store = ({ host }: TestCore) => host.core.context.config;

async function lose(core: TestCore): Promise<void> {
  await rm(core.configFile);
  await until(() => store(core).isMissing);
}

test('opens a home without a config, and writes one only when a core starts', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tooltray-missing-'));
  const paths = resolveAppPaths({ TOOLTRAY_HOME: home }, process.platform, homedir());
  const opened = await openConfig(paths.configFile, false, {}, paths);
  expect([opened.problems, opened.current.servers.map(({ name }) => name)]).toEqual([[], ['utils']]);
  expect(existsSync(paths.configFile)).toBe(false);
  await createFirstConfig(opened);
  expect(await readFile(paths.configFile, 'utf8')).toContain('"servers"');
  await rm(home, { recursive: true });
});

test("keeps a deleted file's config in use, and restores it byte for byte", async () => {
  await using core = await startCore(text, own);
  await lose(core);
  expect(names(core)).toEqual(['a', 'b']);
  const offered = (await stateBuilders(core.host.rpcDeps).attention()).map(({ action }) => action.kind);
  expect(offered).toEqual(['restore-config']);
  await dispatchRpc('restoreConfig', {}, core.host.rpcDeps, new AbortController().signal);
  expect(await readFile(core.configFile, 'utf8')).toBe(text);
  expect([names(core), store(core).pendingEdits, store(core).problems, store(core).isMissing]).toEqual([
    ['a', 'b'],
    [],
    [],
    false,
  ]);
});

test('accepts the file when the same content is written back', async () => {
  await using core = await startCore(text, own);
  await lose(core);
  await writeFile(core.configFile, text);
  await until(() => !store(core).isMissing);
  expect([names(core), store(core).pendingEdits]).toEqual([['a', 'b'], []]);
});

test('adds a server to the config in use, not to an empty one', async () => {
  await using core = await startCore(text, own);
  await lose(core);
  await store(core).update((before) => addServer(before, 'c', echo));
  expect([names(core), store(core).pendingEdits]).toEqual([['a', 'b', 'c'], []]);
});

test('starts with the accepted config if the file is missing, writes none, and restores it on request', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tooltray-missing-'));
  try {
    await using first = await startCore(text, { ...own, home });
    await first.host.stop();
    await rm(first.configFile);
    const paths = resolveAppPaths({ TOOLTRAY_HOME: home }, process.platform, homedir());
    const opened = await openConfig(paths.configFile, false, {}, paths);
    await createFirstConfig(opened);
    expect(existsSync(paths.configFile)).toBe(false);
    expect(opened.current.servers).toMatchObject([
      { name: 'a', enabled: true },
      { name: 'b', enabled: false },
    ]);
    expect(opened.problems).toMatchObject([{ severity: 'error', file: paths.configFile }]);
    await opened.restore();
    expect([opened.problems, opened.pendingEdits, opened.current.reviews.onChange]).toEqual([[], [], 'warn']);
  } finally {
    await rm(home, { recursive: true });
  }
});
