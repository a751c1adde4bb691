/**
 * `tooltray pin NAME`: pins a server with a floating package version (`npx x`, `uvx x@latest`) to the version that
 * ran last, or a given one.
 */
import { withCore } from '../../core-access.ts';
import { command, commonFlags } from '../../command.ts';
import { oneLine, printResult } from '../../terminal.ts';

export const pin = command({
  words: 'NAME',
  flags: { version: { value: 'V', help: 'Version (default: last used)' }, ...commonFlags },
  async run({ config, json, version }, [server = '']) {
    const input = { server, ...(version !== undefined && { version }) };
    const done = await withCore(config, (core) => core.ask('lockVersion', input));
    printResult(json, done, () => [`${oneLine(done.server)} pinned to ${oneLine(done.package)} ${done.version}.`]);
    return 0;
  },
});
