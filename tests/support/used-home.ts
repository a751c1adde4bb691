/** A home that the version before has used: what came after it asks there about what was there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startCore } from './start-core.ts';

export async function usedHome(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'tooltray-used-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  await (await startCore({ servers: {} }, { home }))[Symbol.asyncDispose]();
  // That version wrote no such file.
  rmSync(join(home, 'data', 'environments.json'));
  return home;
}
