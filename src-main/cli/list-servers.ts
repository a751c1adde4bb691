/** `tooltray --list-servers`: the lines that ToolMux prints, for scripts that read them. */
import { oneLine } from './plain-text.ts';
import { printJson, printLines } from './print.ts';
import { commonFlags, readFlags } from './read-flags.ts';
import { readServerRows } from './server-rows.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values } = readFlags(args, commonFlags, [0, 0], form);
  const { servers, config } = await readServerRows(values.config);
  if (values.json === true)
    printJson({ servers: servers.map(({ name, transport, endpoint }) => ({ name, transport, endpoint })) });
  else
    printLines(
      servers.map(({ name, transport, endpoint }) => `  ${oneLine(name)}: ${transport} - ${oneLine(endpoint)}`),
    );
  if (servers.length > 0) return 0;
  process.stderr.write(`tooltray: No servers in ${config}. Add one: tooltray add NAME COMMAND.\n`);
  return 1;
}
