/** Searches and queries on a text in the page: pure, so that they can be tested without a worker. */
import { JSONPathEnvironment, type JSONValue } from 'json-p3';
import { parseSpelled, spellJson } from './spelled-json.ts';

export type TextQuestion =
  | { readonly op: 'find'; readonly text: string; readonly pattern: string }
  | { readonly op: 'query'; readonly text: string; readonly path: string };

export type TextAnswer =
  | {
      readonly op: 'find';
      readonly matches: readonly { readonly line: number; readonly text: string }[];
      readonly total: number;
    }
  | { readonly op: 'query'; readonly text: string; readonly truncated: boolean }
  | { readonly op: 'failed'; readonly message: string };

const maxMatches = 1000;
/** Maximum length of a matching line; its position leads to the rest. */
const longestMatch = 200;
const maxResultLength = 1_000_000;

/** Never throws. */
export function answerText(question: TextQuestion): TextAnswer {
  try {
    return question.op === 'find' ? findLines(question.text, question.pattern) : select(question.text, question.path);
  } catch (error) {
    return { op: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

function findLines(text: string, pattern: string): TextAnswer {
  const wanted = new RegExp(pattern, 'i');
  const found = text.split('\n').flatMap((line, at) => (wanted.test(line) ? [{ line: at + 1, text: line }] : []));
  const matches = found
    .slice(0, maxMatches)
    .map(({ line, text: words }) => ({ line, text: words.slice(0, longestMatch) }));
  return { op: 'find', matches, total: found.length };
}

function select(text: string, path: string): TextAnswer {
  const query = path.startsWith('$') ? path : `$${/^[.[]/.test(path) ? '' : '.'}${path}`;
  const nodes = new JSONPathEnvironment().query(query, parseSpelled(text) as JSONValue);
  const selected = nodes
    .values()
    .map((value) => spellJson(value))
    .join('\n');
  return { op: 'query', text: selected.slice(0, maxResultLength), truncated: selected.length > maxResultLength };
}
