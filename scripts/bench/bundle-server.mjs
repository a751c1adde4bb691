/**
 * Bundles a fixture server with the packages it uses, as Tooltray itself is bundled: else its start would be measured
 * with a handicap.
 */
import { join } from 'node:path';
import { build } from 'vite';
import { cacheDir, root } from './places.mjs';

/** Resolves to the bundle's file. */
export async function bundleServer(name) {
  const outDir = join(cacheDir, name);
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: join(root, 'tests', 'fixtures', 'servers', `${name}.ts`),
      outDir,
      emptyOutDir: true,
      target: 'node20',
      minify: true,
    },
  });
  return join(outDir, `${name}.js`);
}
