/** Recently used tools, which rank higher in searches. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call, openActivity } from './fixture.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'used-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('returns tools whose calls succeeded, the latest last, also across a restart', async () => {
  {
    await using open = openActivity(folder);
    open.activity.record(call({ tool: 'read' }));
    open.activity.record(call({ tool: 'broken', outcome: 'tool_error' }));
    open.activity.flush();
    expect([...open.activity.usedTools()]).toEqual(['files:read']);
    open.activity.record(call({ tool: 'write' }));
    open.activity.record(call({ tool: 'read' }));
    open.activity.flush();
    expect([...open.activity.usedTools()]).toEqual(['files:write', 'files:read']);
  }
  await using again = openActivity(folder);
  expect([...again.activity.usedTools()]).toEqual(['files:write', 'files:read']);
});

test('remembers the 200 most recent tools', async () => {
  await using open = openActivity(folder);
  expect(open.activity.usedTools().size).toBe(0);
  for (let i = 0; i < 300; i += 1) open.activity.record(call({ tool: `t${i}` }));
  open.activity.flush();
  expect(open.activity.usedTools().size).toBe(200);
  expect(open.activity.usedTools().has('files:t99')).toBe(false);
  expect(open.activity.usedTools().has('files:t100')).toBe(true);
});

test('returns no tools if the records cannot be read', async () => {
  await using open = openActivity(join(folder, 'not a folder', 'x'));
  writeFileSync(join(folder, 'not a folder'), '');
  expect(open.activity.usedTools().size).toBe(0);
});
