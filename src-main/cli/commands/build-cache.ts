/** `tooltray build-cache`: lists every server once and caches the result, so that later starts respond at once. */
import { join } from 'node:path';
import { ensurePrivateDir } from '../../core/base/app-paths.ts';
import { Masker } from '../../core/base/mask.ts';
import { formatCount } from '../../core/base/text-format.ts';
import { secretValuesOf } from '../../core/config/config-secrets.ts';
import { ListingCache } from '../../core/servers/listing-cache.ts';
import type { ProbeSuccess, ProbeResult } from '../../core/servers/probe-connection.ts';
import { cliPaths, openCliConfig } from '../cli-config.ts';
import { command, commonFlags } from '../command.ts';
import { isFailed, pickServers, probeData, probeLines, probeServers } from '../probe.ts';
import { printResult, printProgress } from '../terminal.ts';

export const buildCache = command({
  flags: commonFlags,
  async run({ config, json }) {
    const store = await openCliConfig(config);
    const { wanted, off } = pickServers(store, undefined);
    printProgress(`Listing ${formatCount(wanted.length, 'server')} …`);
    const probes = await probeServers(wanted, store.current);
    const answered = probes.filter((probe): probe is ProbeSuccess => !isFailed(probe));
    const folder = cliPaths().cacheDir;
    ensurePrivateDir(folder);
    const cache = new ListingCache(join(folder, 'listings'));
    await Promise.all(answered.map((probe) => remember(cache, probe)));
    const masker = new Masker(secretValuesOf(store.current));
    const ok = answered.length === probes.length;
    const servers = probes.map((probe) => probeData(probe, masker));
    printResult(json, { ok, folder, servers }, () => [
      ...probeLines(probes, off, masker),
      '',
      summary(answered, probes),
    ]);
    return ok ? 0 : 1;
  },
});

/** Client features used by a server are learned from calls, not listings, so earlier knowledge is kept. */
async function remember(cache: ListingCache, { server, handshake, listing }: ProbeSuccess): Promise<void> {
  const before = await cache.read(server.hash);
  await cache.write({ hash: server.hash, at: Date.now(), handshake, listing, asks: before?.asks ?? [] });
}

function summary(answered: readonly ProbeSuccess[], probes: readonly ProbeResult[]): string {
  const tools = answered.reduce((sum, { listing }) => sum + listing.tools.length, 0);
  return `Cached ${formatCount(tools, 'tool')} from ${answered.length} of ${formatCount(probes.length, 'server')}.`;
}
