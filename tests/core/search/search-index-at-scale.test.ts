/** Searches that need many tools or many edits. Randomness is seeded. */

import { expect, test } from 'vitest';
import type { SearchDocument } from '../../../src-main/core/search/search-document.ts';
import { SearchIndex } from '../../../src-main/core/search/search-index.ts';

const verbs = ['get', 'list', 'create', 'delete', 'update', 'search', 'run', 'export'];
const nouns = [
  'issue',
  'file',
  'invoice',
  'userProfile',
  'pod',
  'weather',
  'branch',
  'データ',
  'message',
  'calendarEvent',
];

/** A linear congruential generator with a fixed seed. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomTool(server: string, number: number, random: (below: number) => number): SearchDocument {
  const word = (list: readonly string[]): string => list[random(list.length)] ?? '';
  const name = `${word(verbs)}_${word(nouns)}_${number}`;
  const description = Array.from({ length: 5 + random(20) }, () => word(random(2) === 0 ? verbs : nouns)).join(' ');
  return {
    id: `${server}:${name}`,
    server,
    name,
    description,
    inputSchema: { properties: { [word(nouns)]: { description: word(verbs) } } },
  };
}

function toolsOf(server: string, count: number, random: (below: number) => number): SearchDocument[] {
  return Array.from({ length: count }, (_, number) => randomTool(server, number, random));
}

test('returns the same results after any edits as a new index', () => {
  const random = seeded(7);
  const edited = new SearchIndex();
  const truth = new Map<string, SearchDocument[]>();
  for (let step = 0; step < 120; step += 1) {
    const server = `server${random(8)}`;
    if (random(4) === 0) {
      edited.removeServer(server);
      truth.delete(server);
    } else {
      const tools = toolsOf(server, random(12), random);
      edited.replaceServer(server, tools);
      truth.set(server, tools);
    }
    const fresh = new SearchIndex();
    for (const [name, tools] of [...truth].reverse()) fresh.replaceServer(name, tools);
    const query = `${verbs[random(8)]} ${nouns[random(10)]} ${random(2) === 0 ? 'profil' : 'serch'}`;
    expect(edited.search(query, { limit: 50 })).toEqual(fresh.search(query, { limit: 50 }));
    const wrongName = `get_isue_${random(5)}`;
    expect(edited.suggest(wrongName)).toEqual(fresh.suggest(wrongName));
  }
});

test('leaves no trace of thousands of edits with new words in its results', () => {
  const random = seeded(5);
  const edited = new SearchIndex();
  const truth = new Map<string, SearchDocument[]>();
  for (let step = 0; step < 1_500; step += 1) {
    const server = `server${random(20)}`;
    const tools = toolsOf(server, random(10), random).map((tool) => ({ ...tool, title: `build${step}` }));
    edited.replaceServer(server, tools);
    truth.set(server, tools);
  }
  const fresh = new SearchIndex();
  for (const [name, tools] of truth) fresh.replaceServer(name, tools);
  expect(edited.size).toBe(fresh.size);
  for (const query of ['list invoice', 'build7', 'serch wether', 'get_file_3', 'server1 export pod', 'build1499'])
    expect(edited.search(query, { limit: 50 })).toEqual(fresh.search(query, { limit: 50 }));
  expect(edited.suggest('get_fiel')).toEqual(fresh.suggest('get_fiel'));
});

test('finds each of ten thousand tools by its name', () => {
  const random = seeded(11);
  const index = new SearchIndex();
  const all = Array.from({ length: 100 }, (_, server) => toolsOf(`server${server}`, 100, random));
  all.forEach((tools, server) => index.replaceServer(`server${server}`, tools));
  expect(index.size).toBe(10_000);
  for (const tools of all) {
    const wanted = tools[random(100)];
    expect(index.search(`${wanted?.server}__${wanted?.name}`, { limit: 1 }).hits[0]?.id).toBe(wanted?.id);
  }
  expect(index.search('weather').total).toBeGreaterThan(1_000);
});

test('reads only the beginning of a query of 100 kB', () => {
  const index = new SearchIndex();
  index.replaceServer('s', toolsOf('s', 500, seeded(3)));
  const start = 'weather '.repeat(500);
  expect(index.search(start + 'invoice '.repeat(12_000))).toEqual(index.search('weather'));
  const unknown = Array.from({ length: 15_000 }, (_, i) => `wethr${i.toString(36)}`).join(' ');
  expect(index.search(unknown).total).toBeLessThanOrEqual(500);
});
