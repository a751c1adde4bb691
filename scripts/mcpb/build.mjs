/**
 * `npm run mcpb [-- FILE]`: builds release/tooltray-VERSION.mcpb, the bundle that installs Tooltray in Claude Desktop.
 * Pure JavaScript: Claude Desktop brings the Node.js that runs it.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { packExtension, validateManifest } from '@anthropic-ai/mcpb';
import { build } from 'vite';
import { bundleManifest } from './manifest.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const output = process.argv[2] ?? join(root, 'release', `tooltray-${version}.mcpb`);
const folder = `${output}.files`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(dirname(output), { recursive: true });
await buildServer();
writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(bundleManifest(version), undefined, 2)}\n`);
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
copyFileSync(join(root, 'resources', 'icons', '512x512.png'), join(folder, 'icon.png'));
if (!validateManifest(join(folder, 'manifest.json'))) process.exit(1);
if (!(await packExtension({ extensionPath: folder, outputPath: output, silent: true }))) process.exit(1);
rmSync(folder, { recursive: true });
console.log(output);

async function buildServer() {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    build: {
      ssr: join(root, 'src-main', 'mcpb.ts'),
      outDir: join(folder, 'server'),
      target: 'node20',
      minify: true,
      copyPublicDir: false,
      rolldownOptions: {
        platform: 'node',
        external: [/^node:/],
        output: { format: 'cjs', entryFileNames: 'index.cjs', codeSplitting: false },
      },
    },
  });
}
