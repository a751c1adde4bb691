/** The documents name files; each of them has to be there, under that path or that name. */
import { globSync } from 'node:fs';

const documents = ['README.md', 'CONTRIBUTING.md', 'src-main/README.md', 'docs/**/*.md'];
const places = ['*.ts', '{src-main,src-renderer,scripts,tests}/**/*.{ts,mjs,mts,svelte}'];

const fileName = /(?<![\w./*-])(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|svelte)(?!\w|\.\w)/g;

/** Names that are the end of no path of `paths`. Placeholders (`my-mode.ts`) and declarations of packages (`x.d.ts`) are no files of ours. */
export function missingFiles(text: string, paths: readonly string[]): string[] {
  const named = [...new Set(text.match(fileName))].filter((name) => !/\.d\.ts$|(^|\/)my-/.test(name));
  return named.filter((name) => !paths.some((path) => path === name || path.endsWith(`/${name}`)));
}

/** Names in the documents of the project of which there is no file (any more), as `document: name`. */
export function namedButMissing(root: string, read: (document: string) => string): string[] {
  const paths = globSync(places, { cwd: root, exclude: ['**/node_modules/**'] }).map((path) =>
    path.replaceAll('\\', '/'),
  );
  return globSync(documents, { cwd: root }).flatMap((document) =>
    missingFiles(read(document), paths).map((name) => `${document}: ${name}`),
  );
}
