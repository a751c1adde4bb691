import { expect, test } from 'vitest';
import { firstClause, firstSentence, isImpliedBy, leadingSentences } from '../../../src-main/core/condense/clauses.ts';

test.each([
  ['The path (e.g. a folder). More of it.', 'The path (e.g. a folder)'],
  ['Use v2.0 of it! Then stop.', 'Use v2.0 of it!'],
  ['搜索网页内容。返回结果列表。', '搜索网页内容'],
  ['', ''],
])('returns the first clause of %j: %j', (text, clause) => {
  expect(firstClause(text, 60)).toBe(clause);
});

test.each([
  ['Says "stop." Then goes on.', 'Says "stop."'],
  ['Reads (see the manual.) and writes.', 'Reads (see the manual.) and writes.'],
  ['Reads a file! More.', 'Reads a file!'],
  ['Reads a page\nError Responses:\n400: Bad', 'Reads a page.'],
  ['Reads a page\n\nof a book', 'Reads a page.'],
  ['Reads a page of\na book\n- now', 'Reads a page of a book.'],
  ['Reads one of:\n- a page', 'Reads one of: - a page'],
  ['Show what changed in a file; every line is told with the one who wrote it.', 'Show what changed in a file'],
])('returns the first sentence of %j: %j', (text, sentence) => {
  expect(firstSentence(text, 40)).toBe(sentence);
});

test.each([
  [
    'List commits of a branch, with optional filtering by author, date range and file path of each.',
    'List commits of a branch',
  ],
  ['Show what changed in a file; every line is told with the one who wrote it last.', 'Show what changed in a file'],
  [
    'Clicks on an element of the page (by its uid), after it has come into view and is still.',
    'Clicks on an element of the page (by its uid)',
  ],
])('shortens a long sentence at a clause: %j', (text, clause) => {
  expect(firstClause(text, 50)).toBe(clause);
});

test('truncates at a complete word with an ellipsis if there is no clause', () => {
  expect(firstClause('Supercalifragilistic unbreakable interdependent organisational nomenclature', 60)).toBe(
    'Supercalifragilistic unbreakable interdependent…',
  );
});

test.each([
  [
    'Recursively search for files and directories matching a pattern below the folder',
    'Recursively search for files and directories',
  ],
  [
    'View commit history with optional filtering by author, date range, file path',
    'View commit history with optional filtering',
  ],
  [
    'Show line-by-line authorship of a file, displaying who last modified each line',
    'Show line-by-line authorship of a file',
  ],
  [
    'Performs a research operation that gathers, analyzes, and synthesizes information',
    'Performs a research operation',
  ],
  [
    'Read the relevant in-body (full-text) passages of one paper for a question',
    'Read the relevant in-body (full-text) passages of one paper',
  ],
  [
    'Resolves a name to a library ID that fits and returns matching libraries',
    'Resolves a name to a library ID that fits',
  ],
  [
    'Returns full details (headers and body) of a single request by its index',
    'Returns full details (headers and body) of a single request',
  ],
  [
    'Returns all of its details (headers and body) of one single network request by its index',
    'Returns all of its details of one single network request',
  ],
])('shortens %j before a trailing phrase if there is no clause', (text, clause) => {
  expect(firstClause(text, 62)).toBe(clause);
});

test('takes as many sentences as fit', () => {
  expect(leadingSentences('One is here. Two is here. Three would be too much of it.', 30)).toBe(
    'One is here. Two is here',
  );
});

test.each([
  ['The name of the repository', ['repo'], true],
  ['Path to the file', ['filePath'], true],
  ['Glob, not a regular expression', ['pattern'], false],
])('returns whether %j is implied by %j: %s', (text, names, said) => {
  expect(isImpliedBy(text, names)).toBe(said);
});

test('shortens a megabyte of text without stalling', () => {
  for (const text of ['. '.repeat(500_000), '('.repeat(1_000_000), 'a, which '.repeat(100_000)])
    expect(firstClause(text, 100).length).toBeLessThanOrEqual(100);
});
