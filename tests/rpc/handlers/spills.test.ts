/** Lines of kept answers, as the inspector reads them. */
import { expect, onTestFinished, test } from 'vitest';
import { fixture, startCore } from '../../support/start-core.ts';
import { ask } from '../dashboard-client.ts';

test('lines that are too long together come a few at a time, whole and without a note among them', async () => {
  const core = await startCore({ servers: { echo: fixture('echo') } }, { askToken: true });
  onTestFinished(() => core[Symbol.asyncDispose]());
  const client = await core.open();
  const lines = Array.from({ length: 1000 }, (_, index) => `${index} `.padEnd(3000, 'x'));
  const answer = JSON.stringify(await client.callTool('echo', { message: lines.join('\n') }));
  const id = /tooltray:\/\/spill\/([a-z0-9]+)/.exec(answer)?.[1] ?? '';
  const read: string[] = [];
  for (let rounds = 0; rounds < 40 && read.length < lines.length; rounds++) {
    const page = await ask(core, 'spillLines', { id, fromLine: read.length + 1, count: 1000 });
    read.push(...(page['lines'] as string[]));
    expect(JSON.stringify(page).length).toBeLessThan(110_000);
  }
  expect(read.map((line) => line.length).filter((length) => length < 3000)).toEqual([]);
  expect(read.length).toBe(1000);
  expect(await ask(core, 'spillLines', { id, fromLine: 2000, count: 10 })).toMatchObject({ lines: [] });
});
