/**
 * Checks the prose of all documents: lines of at most 120 characters, code in one line, no banned words, and links to
 * files and headings that exist.
 */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { bannedWords } from './banned-words.ts';

const documents = ['*.md', 'docs/**/*.md', 'src-main/README.md'];
const maxLine = 120;

export interface Document {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Problems as `path:line: what`; empty if there are none. */
export function checkDocuments(root: string): string[] {
  const all = readDocuments(root);
  const anchors = new Map(all.map(({ path, text }) => [path, anchorsOf(text)]));
  return all.flatMap((document) => [
    ...longLines(document),
    ...brokenCode(document),
    ...wordProblems(document),
    ...linkProblems(document, anchors, (path) => existsSync(join(root, path))),
  ]);
}

export function readDocuments(root: string): Document[] {
  return globSync(documents, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => statSync(join(root, path)).isFile())
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** The text with code blocks emptied, so that lines keep their numbers. */
function withoutBlocks(text: string): string {
  return text.replace(/^( *)(`{3,})[\s\S]*?^\1\2 *$/gm, (block) => block.replace(/[^\n]/g, ''));
}

function withoutCode(text: string): string {
  return withoutBlocks(text).replace(/`[^`\n]+`/g, '``');
}

/** Lines of prose; tables, images, and lines that are one link may be longer. */
export function longLines({ path, text }: Document): string[] {
  const isExempt = (line: string): boolean =>
    /^\s*(?:\||!\[|http|\[[^\]]+\]: )/.test(line) || /^\s*[-*]?\s*\[[^\]]*\]\([^)]*\)\.?$/.test(line);
  return withoutBlocks(text)
    .split('\n')
    .flatMap((line, index) =>
      line.length > maxLine && !isExempt(line)
        ? [`${path}:${index + 1}: ${line.length} characters, at most ${maxLine}`]
        : [],
    );
}

/** Code that begins in one line and ends in the next. */
export function brokenCode({ path, text }: Document): string[] {
  return withoutBlocks(text)
    .split('\n')
    .flatMap((line, index) => ((line.split('`').length - 1) % 2 === 1 ? [`${path}:${index + 1}: code is broken`] : []));
}

/** Banned words outside of code. */
export function wordProblems({ path, text }: Document): string[] {
  // Link targets are file names, not prose.
  const lines = withoutCode(text)
    .replaceAll(/\]\([^)\s]+\)/g, ']')
    .split('\n');
  return lines.flatMap((line, index) =>
    bannedWords.flatMap(([word, use]) => {
      const found = word.exec(line)?.[0];
      return found === undefined ? [] : [`${path}:${index + 1}: "${found}" (use: ${use})`];
    }),
  );
}

/** Links inside the repository whose file or heading does not exist. */
export function linkProblems(
  { path, text }: Document,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
  exists: (path: string) => boolean,
): string[] {
  const prose = withoutCode(text);
  const inline = [...prose.matchAll(/\]\(([^)\s]+)\)/g)];
  const named = [...prose.matchAll(/^\[[^\]]+\]: (\S+)$/gm)];
  return [...inline, ...named].flatMap(({ 1: target = '' }) => {
    if (/^[a-z]+:/i.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    const to = file === '' ? path : normalize(join(dirname(path), file)).replaceAll('\\', '/');
    if (!exists(to)) return [`${path}: link to ${target}: no such file`];
    const isThere = anchor === undefined || anchors.get(to)?.has(anchor) !== false;
    return isThere ? [] : [`${path}: link to ${target}: no such heading`];
  });
}

/** Anchors of the headings, as GitHub makes them. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = [...withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm)].map(({ 1: heading = '' }) => {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set(anchors);
}
