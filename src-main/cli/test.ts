/** `tooltray test [NAME]`: connects to each server once, on a line of its own, and says how it went. */
import { Masker } from '../core/base/mask-secrets.ts';
import type { ServerConfig } from '../core/config/app-config.ts';
import { secretsOf } from '../core/config/secrets-of.ts';
import type { Probe } from '../core/servers/probe-connection.ts';
import { count } from './count.ts';
import { openCliConfig } from './open-cli-config.ts';
import { oneLine } from './plain-text.ts';
import { printJson, printLines, printProgress } from './print.ts';
import { isFailed, probeData, probeLines } from './probe-report.ts';
import { probeServers } from './probe-server.ts';
import { commonFlags, readFlags } from './read-flags.ts';
import { pickServers } from './pick-servers.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values, positionals } = readFlags(args, commonFlags, [0, 1], form);
  const store = await openCliConfig(values.config);
  const { wanted, off, broken } = pickServers(store, positionals[0]);
  printProgress(`Testing ${count(wanted.length, 'server')} …`);
  const probes = await probeServers(wanted, store.current);
  const masker = new Masker(secretsOf(store.current));
  const ok = broken.length === 0 && !probes.some(isFailed);
  const data = {
    ok,
    servers: probes.map((probe) => probeData(probe, masker)),
    off: off.map(({ name }) => name),
    broken,
  };
  if (values.json === true) printJson(data);
  else printLines(report(probes, off, broken, masker));
  return ok ? 0 : 1;
}

function report(
  probes: readonly Probe[],
  off: readonly ServerConfig[],
  broken: readonly string[],
  masker: Masker,
): string[] {
  const lines = probeLines(probes, off, masker);
  const unusable = broken.map((name) => `${oneLine(name)}: its entry cannot be used. See: tooltray validate.`);
  return lines.length + unusable.length > 0
    ? [...lines, ...unusable]
    : ['No servers yet. Add one: tooltray add NAME COMMAND.'];
}
