/**
 * Makes the image of the Python engine if there is none of these sources, for the build and for what runs from sources;
 * prints its path.
 */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { engineFiles, buildSnapshot } from '../../src-main/core/code-runner/python-worker/python-engine.ts';

const worker = new URL('../../src-main/core/code-runner/python-worker/python-worker.ts', import.meta.url);
const files = engineFiles(worker.href);
const path = fileURLToPath(files.image);
if (!existsSync(path)) {
  mkdirSync(dirname(path), { recursive: true });
  // Whole or not at all: others may be reading.
  writeFileSync(`${path}.${process.pid}`, await buildSnapshot(files));
  renameSync(`${path}.${process.pid}`, path);
}
process.stdout.write(path);
