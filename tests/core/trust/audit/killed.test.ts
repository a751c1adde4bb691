/** A process killed while writing loses nothing that was written, and its log still verifies. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { readAll } from '../../../../src-main/core/trust/audit/read-audit-log.ts';
import { FileAuditLog } from '../../../../src-main/core/trust/audit/audit-segments.ts';
import { openFolder, verify, writtenLog } from './fixture.ts';

/** Kills a writer after a number of batches; resolves with the number of calls it reported as written. */
async function killedAfter(folder: string, batches: number): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'crash-writer.ts'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let said = 0;
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    said = Number(line);
    if (++seen === batches) child.kill('SIGKILL');
  }
  await closed;
  return said;
}

test('keeps every written call once, and verifies the log, after five kills during writes', async () => {
  using open = openFolder();
  let said = 0;
  for (const batches of [1, 3, 8, 15, 30]) {
    said += await killedAfter(open.folder, batches);
    const { holds, findings } = await verify(open.folder);
    expect({ holds, findings }).toEqual({ holds: true, findings: [] });
  }
  await writtenLog(open.folder, 1);
  expect((await verify(open.folder)).holds).toBe(true);
  let calls = 0;
  for await (const { record } of readAll(new FileAuditLog(open.folder), { kinds: ['call'] }))
    calls += record.kind === 'call' ? 1 : 0;
  // A batch that was written but not yet reported may exist as well.
  expect(calls).toBeGreaterThan(said);
  expect(calls).toBeLessThanOrEqual(said + 5 * 300 + 1);
});
