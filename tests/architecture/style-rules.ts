/** Rules for the page's styles: breakpoints are defined in one place. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rule, Source } from './source.ts';

/** The only place. */
export const breakpointsFile = 'src-renderer/theme/breakpoints.css';

/** A media query or script that depends on the window's size. */
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

/** Breakpoints that are used but not defined, and unused ones. */
export function strangeBreakpoints(sources: readonly Source[]): string[] {
  const names = (pattern: RegExp): string[] =>
    sources.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name]) => name ?? ''));
  const [used, known] = [new Set(names(named)), new Set(names(defined))];
  return [...used, ...known].filter((name) => !used.has(name) || !known.has(name)).sort();
}

/** Files with styles or media queries: components, style sheets, and scripts of the page. */
export function readStyles(root: string): Source[] {
  return globSync('src-renderer/**/*.{svelte,css,html,ts}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
