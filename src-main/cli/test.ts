/** `tooltray test [NAME]`: connects to each server once, on a line of its own, and says how it went. */
import { Masker } from '../core/base/mask-secrets.ts';
import { secretsOf } from '../core/config/secrets-of.ts';
import { count } from './count.ts';
import { openCliConfig } from './open-cli-config.ts';
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
  if (values.json === true)
    printJson({
      ok,
      servers: probes.map((probe) => probeData(probe, masker)),
      off: off.map(({ name }) => name),
      broken,
    });
  else
    printLines([
      ...probeLines(probes, off, masker),
      ...broken.map((name) => `${name}: its entry cannot be used. See: tooltray validate.`),
    ]);
  return ok ? 0 : 1;
}
