/** Files named in the documents must exist, under that path or name. */
import { globSync } from 'node:fs';

const documents = ['README.md', 'CONTRIBUTING.md', 'src-main/README.md', 'docs/**/*.md'];
const places = ['*.ts', '{src-main,src-renderer,scripts,tests}/**/*.{ts,mjs,mts,svelte}'];

const fileName = /(?<![\w./*-])(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|svelte)(?!\w|\.\w)/g;

/**
 * Names that do not match the end of any path in `paths`. Placeholders (`my-mode.ts`) and type declarations of
 * packages (`x.d.ts`) are ignored.
 */
export function missingFiles(text: string, paths: readonly string[]): string[] {
  const named = [...new Set(text.match(fileName))].filter((name) => !/\.d\.ts$|(^|\/)my-/.test(name));
  return named.filter((name) => !paths.some((path) => path === name || path.endsWith(`/${name}`)));
}

/** Names in the project's documents without a file, as `document: name`. */
export function namedButMissing(root: string, read: (document: string) => string): string[] {
  const paths = globSync(places, { cwd: root, exclude: ['**/node_modules/**'] }).map((path) =>
    path.replaceAll('\\', '/'),
  );
  return globSync(documents, { cwd: root }).flatMap((document) =>
    missingFiles(read(document), paths).map((name) => `${document}: ${name}`),
  );
}
