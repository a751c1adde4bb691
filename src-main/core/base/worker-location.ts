/** Finds the file of a worker thread: beside the TypeScript source, or where the build put it. */
import { existsSync } from 'node:fs';

/**
 * The URL of the worker whose source is `<path>.ts` as seen from the module that starts it, given the `import.meta.url` of that.
 * The bundle has all workers side by side: `<name>.js` beside the chunk or one folder up (dist/chunks/).
 */
export function workerLocation(path: string, moduleUrl: string): URL {
  if (new URL(moduleUrl).pathname.endsWith('.ts')) return new URL(`./${path}.ts`, moduleUrl);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const beside = new URL(`./${name}.js`, moduleUrl);
  return existsSync(beside) ? beside : new URL(`../${name}.js`, moduleUrl);
}
