/** The tool of the Everything server that exists only as a task (2025-11-25), for apps without tasks. */
import { describe, expect, test } from 'vitest';
import { startCore } from '../support/start-core.ts';
import { havePackages, programOf } from './real-packages.ts';

const present = await havePackages();

describe.skipIf(!present)('simulate-research-query', () => {
  test('returns its result directly and through call_tool, like any other tool', { timeout: 120_000 }, async () => {
    const everything = programOf('@modelcontextprotocol/server-everything');
    await using core = await startCore({ servers: { everything }, slowCallSeconds: 0 });
    const [proxy, search] = [await core.open({}, { mode: 'proxy' }), await core.open({}, { mode: 'search' })];
    const topic = 'quokkas';
    const answers = await Promise.all([
      proxy.say('simulate-research-query', { topic }),
      search.say('call_tool', { name: 'simulate-research-query', arguments: { topic } }),
    ]);
    for (const answer of answers) expect(answer).toContain('Research Report: quokkas');
  });
});
