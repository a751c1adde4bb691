/** `.toolmux_cache.json` next to a ToolMux config: its descriptions are used where Tooltray has none. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

const config = JSON.stringify({
  mode: 'gateway',
  cache_model: 'some-model',
  servers: { echo: fixture('compat', 'E') },
});

function cacheOf(model: string, made: string): string {
  const descriptions = { echo_tool: 'Says\u200b it back', nothing: 7 };
  const hash = createHash('sha256').update(made).digest('hex');
  return JSON.stringify({
    version: '1.0',
    config_hash: `sha256:${hash}`,
    model,
    servers: { echo: { tool_count: 3, descriptions }, gone: null },
  });
}

async function shown(core: TestCore): Promise<string> {
  const { tools } = (await (await core.open()).request('tools/list')) as { tools?: unknown };
  return JSON.stringify(tools);
}

test.each([
  ['agent-generated', config, true],
  ['algorithmic', config, false],
  ['agent-generated', `${config} `, false],
])('uses descriptions made by %s only for an unchanged config: %#', async (model, made, isTaken) => {
  const home = await mkdtemp(join(tmpdir(), 'tooltray-toolmux-'));
  await writeFile(join(home, '.toolmux_cache.json'), cacheOf(model, made));
  await using core = await startCore(config, { home });
  expect((await shown(core)).includes('Says it back')).toBe(isTaken);
  const descriptions = core.host.core.calls.descriptions;
  await descriptions.save('echo', new Map([['echo_tool', { text: 'Ours', own: 'other' }]]), 'test');
  expect(await shown(core)).not.toContain('Says it back');
  await core.host.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});
