/** Recently used tools rank a little higher in a model's search. */
import { expect, test } from 'vitest';
import { findTools } from '../../../src-main/core/modes/find-tools.ts';
import { boostRecentTools } from '../../../src-main/core/modes/boost-recent-tools.ts';
import { serverWith } from '../catalog/catalog-of.ts';
import { helperContext } from './helper-context.ts';

const hits = [
  { id: 's:a', score: 10 },
  { id: 's:b', score: 9.5 },
  { id: 's:c', score: 9 },
  { id: 's:d', score: 2 },
];
const order = (...used: string[]): string[] => boostRecentTools(hits, new Set(used)).map(({ id }) => id);

test('ranks a recently used tool above slightly better matches', () => {
  expect(order('s:c')).toEqual(['s:a', 's:c', 's:b', 's:d']);
});

test('keeps the first match first, with the highest score', () => {
  for (const used of [['s:b'], ['s:b', 's:c', 's:d'], ['s:c', 's:elsewhere']]) {
    expect(order(...used)[0]).toBe('s:a');
    expect(boostRecentTools(hits, new Set(used)).every(({ score }) => score <= 10)).toBe(true);
  }
});

test('leaves a far worse match in place, and changes nothing without a history', () => {
  expect(boostRecentTools(hits, new Set(['s:d']))).toBe(hits);
  expect(boostRecentTools(hits, new Set())).toBe(hits);
  expect(boostRecentTools([], new Set(['s:a']))).toEqual([]);
});

test('passes recently used tools to a search', () => {
  const names = ['send_note', 'send_note_alpha', 'send_note_beta', 'send_note_gamma'];
  const tools = names.map((name) => ({ name, description: 'Send a note.', inputSchema: { type: 'object' } }));
  const { catalog, index } = helperContext([serverWith('mail', { tools })]);
  const found = (...used: string[]): string[] =>
    findTools(['send a note please'], { catalog, index, usedTools: () => new Set(used) }).tools.map(
      ({ tool }) => tool.name,
    );
  expect(found()).toEqual(['send_note', 'send_note_alpha', 'send_note_beta', 'send_note_gamma']);
  expect(found('mail:send_note_gamma')).toEqual(['send_note', 'send_note_gamma', 'send_note_alpha', 'send_note_beta']);
});

test('keeps the opposite of a need behind, however often it was used', () => {
  const tools = ['create_entity', 'create_page', 'delete_entity'].map((name) => ({
    name,
    description: 'Of the wiki.',
    inputSchema: { type: 'object' },
  }));
  const { catalog, index } = helperContext([serverWith('wiki', { tools })]);
  const usedTools = (): Set<string> => new Set(['wiki:delete_entity']);
  const found = findTools(['create an entity'], { catalog, index, usedTools }, { limit: 5 });
  expect(found.tools.map(({ tool }) => tool.name)).toEqual(['create_entity', 'create_page', 'delete_entity']);
});
