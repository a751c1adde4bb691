/** The cost of a server's list is what each connected app is shown of it. */
import { expect, test } from 'vitest';
import { stateBuilders } from '../../../src-main/rpc/build-state.ts';
import { fixture, startCore } from '../../support/start-core.ts';

test('apps in different modes list different parts of the same servers', async () => {
  const servers = { big: fixture('eight-tools', 'files'), small: fixture('echo') };
  await using core = await startCore({ servers, mode: 'search' });
  const rows = async () =>
    Object.fromEntries(
      (await stateBuilders(core.host.rpcDeps).servers()).map(({ name, listTokens, listed }) => [
        name,
        { listTokens, listed },
      ]),
    );
  const nobody = { apps: [], mode: 'search', tokens: 0 };
  expect(await rows()).toMatchObject({ big: { listed: [nobody] }, small: { listed: [nobody] } });

  await core.open({}, { app: 'Codex', mode: 'proxy' });
  await core.open({}, { app: 'Cursor', mode: 'gateway' });
  const { big, small } = await rows();
  expect(big?.listed.map(({ apps, mode }) => [apps, mode])).toEqual([
    [['Codex'], 'proxy'],
    [['Cursor'], 'gateway'],
  ]);
  const [[bigTools = 0, bigTool = 0], [smallTools = 0, smallTool = 0]] = [big, small].map(
    (row) => row?.listed.map(({ tokens }) => tokens) ?? [],
  ) as [number[], number[]];
  // The tools of each, and its one tool in mode gateway: not a share of a total.
  expect(bigTools).toBeGreaterThan(3 * smallTools);
  expect(bigTool).toBeLessThan(bigTools);
  expect(Math.min(smallTools, smallTool)).toBeGreaterThan(0);
  expect(bigTools).toBeLessThanOrEqual(big?.listTokens ?? 0);
});
