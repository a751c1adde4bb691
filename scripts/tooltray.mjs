#!/usr/bin/env node
/**
 * The command line from a clone, on any Node.js from 20 on: sets the clone up where that has not been done, then runs
 * what is built with the pinned Node. `./tooltray` and, after `npm link`, `tooltray` run this.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findNode } from './setup/node-versions.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(root, 'dist', 'cli.js');

if (!existsSync(cli) || findNode(root) === undefined) {
  // Its output is progress; stdout belongs to the command.
  const code = await run(process.execPath, [join(root, 'scripts', 'setup.mjs'), '--build'], ['ignore', 2, 2]);
  if (code !== 0) process.exit(code);
}
process.exitCode = await run(findNode(root), [cli, ...process.argv.slice(2)], 'inherit');

/** Resolves with the exit code. Signals to this process are passed to the child. */
async function run(program, words, stdio) {
  const child = spawn(program, words, { stdio });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [code, signal] = await once(child, 'exit');
  return code ?? 128 + constants.signals[signal];
}
