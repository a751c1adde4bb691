/** Checks the names, comments, and texts of the sources for banned words. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bannedInSources } from './banned-words.ts';
import type { Document } from './check-documents.ts';

const sources = ['src-main/**/*.ts', 'src-renderer/**/*.{ts,svelte}'];

/** Phrases that the scan searches for in foreign texts are not prose of Tooltray. */
const foreignPhrases = 'src-main/core/trust/scan/';

const anyBanned = new RegExp(bannedInSources.map(([word]) => `(?:${word.source})`).join('|'), 'i');

/** Problems as `path:line: what`; empty if there are none. */
export function checkSources(root: string): string[] {
  return globSync(sources, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith(foreignPhrases))
    .toSorted()
    .flatMap((path) => sourceProblems({ path, text: readFileSync(join(root, path), 'utf8') }));
}

export function sourceProblems({ path, text }: Document): string[] {
  // Most files contain none, and are read once.
  if (!anyBanned.test(text)) return [];
  return text.split('\n').flatMap((line, index) =>
    bannedInSources.flatMap(([word, use]) => {
      const found = word.exec(line)?.[0];
      return found === undefined ? [] : [`${path}:${index + 1}: "${found}" (use: ${use})`];
    }),
  );
}
