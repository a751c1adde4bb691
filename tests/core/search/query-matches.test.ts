/** Hits are ordered by score and id for any limit, filter and history. Randomness is seeded. */
import { expect, test } from 'vitest';
import { findTools } from '../../../src-main/core/modes/find-tools.ts';
import { boostRecentTools } from '../../../src-main/core/modes/boost-recent-tools.ts';
import { QueryMatches } from '../../../src-main/core/search/query-matches.ts';
import { serverWith } from '../catalog/catalog-of.ts';
import { helperContext, type TestContext } from '../modes/helper-context.ts';

const verbs = ['get', 'list', 'create', 'delete', 'update', 'start', 'stop', 'export'];
const nouns = ['issue', 'file', 'invoice', 'pod', 'weather', 'branch', 'message', 'event'];

/** A linear congruential generator with a fixed seed. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Many tools with few words, so that many have equal scores. */
function randomCatalog(random: (below: number) => number): TestContext {
  const word = (words: readonly string[]): string => words[random(words.length)] ?? '';
  const servers = Array.from({ length: 1 + random(6) }, (_, server) => {
    const tools = Array.from({ length: 1 + random(60) }, (__, at) => ({
      name: `${word(verbs)}_${word(nouns)}_${at}`,
      description: Array.from({ length: random(5) }, () => word(random(2) === 0 ? verbs : nouns)).join(' '),
      inputSchema: { type: 'object' },
    }));
    return serverWith(`server${server}`, { tools });
  });
  return helperContext(servers);
}

function randomNeed(random: (below: number) => number): string {
  const part = (): string => `${verbs[random(8)]} ${nouns[random(8)]}`;
  return Array.from({ length: 1 + random(3) }, part).join(random(2) === 0 ? ', ' : ' ');
}

/** Every match, sorted by score and ID with the language's own sort. */
function fullSort({ index }: TestContext, need: string): readonly { id: string; score: number }[] {
  return index
    .find(need)
    .best(Infinity)
    .map(({ id, score }) => ({ id, score }))
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

test('orders hits by score and id for any catalog, limit and filter', () => {
  const random = seeded(3);
  for (let round = 0; round < 40; round += 1) {
    const context = randomCatalog(random);
    const need = randomNeed(random);
    const all = fullSort(context, need);
    const found = context.index.find(need);
    const isChosen = (id: string): boolean => id.length % 3 !== 0;
    const chosen = all.filter(({ id }) => isChosen(id));
    for (const limit of [0, 1, 2, 7, 50, all.length, all.length + 5]) {
      const plain = found.best(limit).map(({ id, score }) => ({ id, score }));
      expect(plain).toEqual(all.slice(0, limit));
      expect(found.best(limit, isChosen).map(({ id }) => id)).toEqual(chosen.slice(0, limit).map(({ id }) => id));
    }
    expect(QueryMatches.count([found])).toBe(all.length);
    expect(QueryMatches.count([found], isChosen)).toBe(chosen.length);
  }
});

test('ranks recently used tools higher for any catalog and limit', () => {
  const random = seeded(11);
  for (let round = 0; round < 60; round += 1) {
    const context = randomCatalog(random);
    const need = `update ${nouns[random(8)]} ${nouns[random(8)]}`;
    const { catalog, index } = context;
    const all = fullSort(context, need);
    const used = new Set(all.map(({ id }) => id).filter(() => random(4) === 0));
    const limit = 1 + random(8);
    const { tools, more } = findTools([need], { catalog, index, usedTools: () => used }, { limit });
    const expected = boostRecentTools(all, used).slice(0, limit);
    expect(tools.map(({ tool, score }) => ({ id: tool.id, score }))).toEqual(expected);
    expect(more).toBe(all.length - expected.length);
  }
});

test('counts each matching tool once for several queries', () => {
  const random = seeded(29);
  for (let round = 0; round < 30; round += 1) {
    const context = randomCatalog(random);
    const needs = [randomNeed(random), randomNeed(random), randomNeed(random)];
    const all = new Set(needs.flatMap((need) => fullSort(context, need).map(({ id }) => id)));
    const { tools, more } = findTools(needs, context);
    expect(tools.length + more).toBe(all.size);
    const isChosen = (id: string): boolean => id.length % 3 !== 0;
    const some = findTools(needs, context, { accepts: ({ id }) => isChosen(id) });
    expect(some.tools.every(({ tool }) => isChosen(tool.id))).toBe(true);
    expect(some.tools.length + some.more).toBe([...all].filter(isChosen).length);
  }
});

test('ranks the opposite of a query last, however well it matches', () => {
  const random = seeded(5);
  for (let round = 0; round < 40; round += 1) {
    const context = randomCatalog(random);
    const need = `create ${nouns[random(8)]}`;
    const isOpposite = (id: string): boolean => id.includes(':delete_');
    const all = fullSort(context, need);
    const [doing, undoing] = [all.filter(({ id }) => !isOpposite(id)), all.filter(({ id }) => isOpposite(id))];
    for (const limit of [1, 5, 50]) {
      const ids = findTools([need], context, { limit }).tools.map(({ tool }) => tool.id);
      expect(ids).toEqual([...doing, ...undoing].slice(0, limit).map(({ id }) => id));
    }
  }
});
