#!/usr/bin/env node
/**
 * The command line on any Node.js from 20 on: from the npm package (`npx tooltray`), and from a clone, which it sets up
 * where that has not been done and runs with the pinned Node. `./tooltray` and, after `npm link`, `tooltray` run this.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fetchNode, runsBuilt } from './setup/fetch-node.mjs';
import { findNode } from './setup/node-versions.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(root, 'dist', 'cli.js');

const setup = join(root, 'scripts', 'setup.mjs');

if (existsSync(setup)) await runClone();
else await runPackage();

async function runClone() {
  if (!existsSync(cli) || findNode(root) === undefined) {
    // Its output is progress; stdout belongs to the command.
    const code = await run(process.execPath, [setup, '--build'], ['ignore', 2, 2]);
    if (code !== 0) process.exit(code);
  }
  process.exitCode = await run(findNode(root), [cli, ...process.argv.slice(2)], 'inherit');
}

async function runPackage() {
  if (runsBuilt()) {
    await import(pathToFileURL(cli).href);
    return;
  }
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  try {
    const node = await fetchNode(devDependencies.node);
    process.exitCode = await run(node, [cli, ...process.argv.slice(2)], 'inherit');
  } catch (error) {
    process.stderr.write(`tooltray: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Resolves with the exit code. Signals to this process are passed to the child. */
async function run(program, words, stdio) {
  const child = spawn(program, words, { stdio });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [code, signal] = await once(child, 'exit');
  return code ?? 128 + constants.signals[signal];
}
