/** Finds the file of a worker thread: beside the TypeScript source, or where the build put it. */
import { existsSync } from 'node:fs';

/**
 * The URL of worker `name`, given the `import.meta.url` of the module that starts it.
 * From sources that is `<name>.ts` beside it; in the bundle `<name>.js` beside the chunk or one folder up (dist/chunks/).
 */
export function workerLocation(name: string, moduleUrl: string): URL {
  if (new URL(moduleUrl).pathname.endsWith('.ts')) return new URL(`./${name}.ts`, moduleUrl);
  const beside = new URL(`./${name}.js`, moduleUrl);
  return existsSync(beside) ? beside : new URL(`../${name}.js`, moduleUrl);
}
