#!/usr/bin/env node
/** Entry point of the command line. Client apps start `stdio`, so that loads only the shim. */
import { fileURLToPath } from 'node:url';

const [command, ...rest] = process.argv.slice(2);
const isShim = command === 'stdio' && !rest.some((word) => ['--standalone', '--help', '-h'].includes(word));

if (isShim) {
  const { runShim } = await import('./shim/run-shim.ts');
  process.exitCode = await runShim(rest, fileURLToPath(import.meta.url));
} else {
  const { runArguments } = await import('./cli/run-command.ts');
  process.exitCode = await runArguments(process.argv.slice(2));
}
