/** What styles of the page may say: the widths at which it changes its shape stand in one place. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rule, Source } from './source.ts';

/** The one place. */
export const breakpointsFile = 'src-renderer/theme/breakpoints.css';

/** A question of a style or a script about the size of the window. */
const literalSize =
  /@(?:media|container)\b[^{]*\b(?:width|height|inline-size|block-size)\b|matchMedia\([^)]*(?:width|height)|\binner(?:Width|Height)\b/g;
const named = /@media \((--[\w-]+)\) \{/g;
const defined = /@custom-media (--[\w-]+) /g;

export const breakpointsAreNamed: Rule = ({ path, text }) => {
  if (!path.startsWith('src-renderer/') || path === breakpointsFile) return [];
  return [...text.matchAll(literalSize)].map(
    ({ index }) => `${path}:${text.slice(0, index).split('\n').length} has a width of its own`,
  );
};

/** Names of widths that are used and are none, and those that nothing uses. */
export function strangeBreakpoints(sources: readonly Source[]): string[] {
  const names = (pattern: RegExp): string[] =>
    sources.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name]) => name ?? ''));
  const [used, known] = [new Set(names(named)), new Set(names(defined))];
  return [...used, ...known].filter((name) => !used.has(name) || !known.has(name)).sort();
}

/** What holds styles or asks about them: components, style sheets and scripts of the page. */
export function readStyles(root: string): Source[] {
  return globSync('src-renderer/**/*.{svelte,css,html,ts}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
