/** A built core with six real servers, their own listings, and data to ask them about. */
import { expect, vi } from 'vitest';
import { spawnRaw } from '../support/raw-client.ts';
import { type BuiltCore, shimCommand, startBuiltCore } from './built-core.ts';
import { DirectServers } from './list-directly.ts';
import { PrivateHome } from './private-home.ts';
import { makeMaterial, type Material, realServers, type ServerEntry } from './real-servers.ts';

/** Results pass unchanged, so `read_resource` is the only helper tool besides the servers' own. */
const told = { results: { threshold: 0 }, slowCallSeconds: 0 };

export interface World extends AsyncDisposable {
  readonly home: PrivateHome;
  readonly core: BuiltCore;
  readonly entries: Readonly<Record<string, ServerEntry>>;
  /** Names of all tools in mode `proxy`, sorted, derived from the servers' own listings, and `read_resource`. */
  readonly names: readonly string[];
  readonly material: Material;
}

/**
 * Resolves once the core lists the same as the servers: server-everything adds tools once it knows its client. Browser
 * calls require `browser`.
 */
export async function openWorld(browser?: string): Promise<World> {
  const home = new PrivateHome();
  const entries = realServers(home, browser);
  const [core, direct] = await Promise.all([startBuiltCore(entries, home, told), DirectServers.open(entries, home)]);
  try {
    const names = await agreedNames(home, direct);
    return { home, core, entries, names, material: makeMaterial(home), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    await direct[Symbol.asyncDispose]();
  }

  async function close(): Promise<void> {
    await core[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  }
}

async function agreedNames(home: PrivateHome, direct: DirectServers): Promise<string[]> {
  const { command, args } = shimCommand('test');
  await using shim = spawnRaw(command, args, { env: home.env, cwd: home.workFolder });
  await shim.client.initialize();
  // Awaited here, because the shim is stopped when this function ends.
  return await vi.waitFor(
    async () => {
      const { tools } = await shim.client.request('tools/list');
      const listed = (tools as { name: string }[]).map(({ name }) => name).sort();
      expect(listed).toEqual([...(await direct.listedNames()), 'read_resource'].sort());
      return listed;
    },
    { timeout: 20_000, interval: 200 },
  );
}
