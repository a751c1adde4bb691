/** `tooltray test [NAME]`: connects once to each server, or the named one, and prints one line each. */
import { Masker } from '../../core/base/mask.ts';
import { formatCount } from '../../core/base/text-format.ts';
import { secretValuesOf } from '../../core/config/config-secrets.ts';
import { openCliConfig } from '../cli-config.ts';
import { command, commonFlags } from '../command.ts';
import { isFailed, pickServers, probeData, probeLines, probeServers } from '../probe.ts';
import { oneLine, printResult, printProgress } from '../terminal.ts';

export const test = command({
  words: '[NAME]',
  flags: commonFlags,
  notes: ['Opens separate connections. Exits with 1 if a server fails.'],
  async run({ config, json }, [name]) {
    const store = await openCliConfig(config);
    const { wanted, off: disabled, broken: invalid } = pickServers(store, name);
    printProgress(`Testing ${formatCount(wanted.length, 'server')} …`);
    const probes = await probeServers(wanted, store.current);
    const masker = new Masker(secretValuesOf(store.current));
    const ok = invalid.length === 0 && !probes.some(isFailed);
    const servers = probes.map((probe) => probeData(probe, masker));
    printResult(json, { ok, servers, off: disabled.map((server) => server.name), broken: invalid }, () => {
      const unusable = invalid.map(
        (one) => `${oneLine(one)}: its entry cannot be used. See: tooltray config validate.`,
      );
      const lines = [...probeLines(probes, disabled, masker), ...unusable];
      return lines.length > 0 ? lines : ['No servers. Add one with: tooltray add NAME COMMAND'];
    });
    return ok ? 0 : 1;
  },
});
