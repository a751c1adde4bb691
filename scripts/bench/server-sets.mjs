/** The sets of servers whose listings are measured: our fixtures, and the real ones where they are installed. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entry, fixture, root } from './places.mjs';

const fixtures = ['echo', 'echo-sdk', 'odd', 'asker', 'conformance'];

/** Config entries by name; `real` is undefined where `npm run test:clients` has not installed them. */
export async function serverSets(stack) {
  const ours = Object.fromEntries(fixtures.map((name) => [name, entry(fixture(name))]));
  return { 'fixture servers': ours, 'real servers': await realSet(stack) };
}

async function realSet(stack) {
  if (!existsSync(join(root, '.cache', 'real', '.installed'))) return undefined;
  const { realServers } = await import('../../tests/real/real-servers.ts');
  const path = mkdtempSync(join(tmpdir(), 'tooltray-bench-real-'));
  stack.defer(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  const folder = (name) => {
    mkdirSync(join(path, name), { recursive: true });
    return join(path, name);
  };
  return realServers({ path, folder }, undefined);
}
