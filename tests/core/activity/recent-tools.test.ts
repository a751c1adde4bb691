/** Recently used tools, by which models' searches rank. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { call, openActivity } from './fixture.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'used-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('returns tools whose calls succeeded, also those of earlier runs', async () => {
  {
    await using open = openActivity(folder);
    open.activity.record(call({ tool: 'read' }));
    open.activity.record(call({ tool: 'broken', outcome: 'tool_error' }));
    expect([...open.activity.usedTools()]).toEqual(['files:read']);
    open.activity.record(call({ tool: 'write' }));
    open.activity.record(call({ tool: 'read' }));
    expect([...open.activity.usedTools()]).toEqual(['files:write', 'files:read']);
  }
  await using again = openActivity(folder);
  // Known a moment after the first use.
  await until(() => again.activity.usedTools().size === 2);
  expect([...again.activity.usedTools()]).toEqual(['files:write', 'files:read']);
});

test('remembers 200 tools, and forgets the least recently used', async () => {
  {
    await using open = openActivity(folder);
    for (let i = 0; i < 300; i += 1) open.activity.record(call({ tool: `t${i}` }));
    expect(open.activity.usedTools().size).toBe(200);
  }
  await using again = openActivity(folder);
  await until(() => again.activity.usedTools().size === 200);
  expect(again.activity.usedTools().has('files:t99')).toBe(false);
  expect(again.activity.usedTools().has('files:t100')).toBe(true);
});

test('returns no tools if the database cannot be read', async () => {
  await using open = openActivity(join(folder, 'not a folder', 'x'));
  writeFileSync(join(folder, 'not a folder'), '');
  expect(open.activity.usedTools().size).toBe(0);
  await open.activity.flush();
  expect(open.activity.usedTools().size).toBe(0);
});
