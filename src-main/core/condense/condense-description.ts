/** A tool's description as one short line: filler away, first sentence, cut at a word. */

import { firstClause } from './clauses.ts';

const fillers = [
  'Only works within allowed directories',
  'Use this tool when you need to',
  'Use this tool to',
  'This tool allows you to',
  'This tool is used to',
  'This tool can be used to',
  'This tool will',
  'You can use this tool to',
].map((phrase) => new RegExp(phrase, 'gi'));

/** A full stop ends a sentence before white space only, so "v2.0" stays whole; the CJK ones need none. */
const sentenceEnd = /[.!?](?=\s|$)|[。！？]/;

/**
 * Condenses as ToolMux does, step for step, so that both show the same text.
 * @param max most characters (code points) of the answer
 */
export function condenseDescription(text: string | undefined, max = 80): string {
  if (text === undefined) return '';
  let line = withoutFillers(text);
  const end = sentenceEnd.exec(line);
  if (end !== null) line = line.slice(0, end.index + 1);
  return cutAtWord(trimStops(line), max);
}

/** As one line, without phrases that say nothing. */
export function withoutFillers(text: string): string {
  let line = text.replace(/\s+/g, ' ').trim();
  for (const filler of fillers) {
    // Only where a phrase went: ".NET" may begin with its dot.
    if (line.search(filler) !== -1) line = line.replace(filler, '').replace(/^[\s,.:;]+/, '');
  }
  return upperFirst(line.replace(/ {2,}/g, ' '));
}

/** The same line, but where it would be cut in the middle of a sentence it ends where a reader can stop. */
export function condenseLine(text: string | undefined, max = 80): string {
  const line = condenseDescription(text, Infinity);
  return line.length <= max ? line : firstClause(line, max);
}

/** By hand: a pattern bound to the end takes quadratic time on a megabyte of dots. */
function trimStops(line: string): string {
  let end = line.length;
  while (end > 0 && '.。'.includes(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end).trimEnd();
}

function upperFirst(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
}

/** Counts code points, so a pair of surrogates is never torn. */
function cutAtWord(text: string, max: number): string {
  // Twice the length always holds enough code points, and a description may be megabytes long.
  if (max === Infinity) return text;
  const characters = Array.from(text.slice(0, 2 * max + 2));
  if (characters.length <= max) return text;
  const cut = characters.slice(0, max).join('');
  const space = cut.lastIndexOf(' ');
  return space > 0 ? cut.slice(0, space) : cut;
}
