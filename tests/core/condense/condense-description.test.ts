/** One-line descriptions of tools. */

import { describe, expect, test } from 'vitest';
import { condenseDescription, condenseLine } from '../../../src-main/core/condense/condense-tool.ts';

describe('the documented vectors', () => {
  test.each([
    ['Use this tool to read a file. More.', 'Read a file'],
    ['Call the v2.0 API now. Then', 'Call the v2.0 API now'],
    ['Is it ok? Yes.', 'Is it ok?'],
    ['Get data, e.g. users. More', 'Get data, e.g'],
    ['List items... then stop', 'List items'],
    ['A'.repeat(90), 'A'.repeat(80)],
    ['Line one\n\nLine two. three', 'Line one Line two'],
    ['Use this tool to', ''],
    ['', ''],
  ])('condenses %j to %j', (text, expected) => {
    expect(condenseDescription(text)).toBe(expected);
  });
});

test('removes filler in any case and place, with the punctuation after it', () => {
  expect(condenseDescription('only works within allowed directories: THIS TOOL WILL, list folders')).toBe(
    'List folders',
  );
  expect(condenseDescription('Reads a file Only works within allowed directories.')).toBe('Reads a file');
});

test('keeps a leading dot that belongs to a word', () => {
  expect(condenseDescription('.NET build runner')).toBe('.NET build runner');
});

test('truncates a long line at the last space before the limit', () => {
  const line = condenseDescription('Word '.repeat(30));
  expect(line).toBe('Word '.repeat(16).trim());
  expect(condenseDescription('One two three', 8)).toBe('One two');
});

test('never splits a character outside the basic plane', () => {
  expect(condenseDescription('😀'.repeat(90))).toBe('😀'.repeat(80));
  expect(condenseDescription('X'.repeat(79) + '😀😀')).toBe('X'.repeat(79) + '😀');
});

test('ends a Chinese or Japanese sentence without a space', () => {
  expect(condenseDescription('搜索网页内容。返回结果列表。')).toBe('搜索网页内容');
});

test('returns an empty line for a missing description', () => {
  expect(condenseDescription(undefined)).toBe('');
});

test('condenses a megabyte of dots and blanks without stalling', () => {
  expect(condenseDescription(`${'.'.repeat(1_000_000)}x`)).toBe('.'.repeat(80));
  expect(condenseDescription(`a${' '.repeat(1_000_000)}b.`)).toBe('A b');
});

test.each([
  ['Reads a file, e.g. a text. More of it.', 'Reads a file, e.g. a text'],
  ['Use this tool to read a page\nArgs:\n- path', 'Read a page'],
])('ends a line at the end of a sentence: %j', (text, line) => {
  expect(condenseLine(text)).toBe(line);
});
