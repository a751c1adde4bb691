/** Addresses of skills that several servers list. */
import { expect, test } from 'vitest';
import { listResources, type ResourceServer } from '../../../src-main/core/catalog/resource-uris.ts';
import { listSkills } from '../../../src-main/core/catalog/skills.ts';

const entry = (uri: string) => ({
  uri,
  frontmatter: { name: 'x', description: 'y' },
  resources: [{ uri, digest: 'sha256:0', size: 1 }],
});

function serverOf(name: string, skills: readonly string[], resources: readonly string[] = []): ResourceServer {
  const listing = {
    tools: [],
    resourceTemplates: [],
    skills: skills.map(entry),
    resources: resources.map((uri) => ({ uri, name: uri })),
  };
  return { name, listing };
}

function addressesOf(...servers: readonly ResourceServer[]): string[] {
  return listSkills(servers, listResources(servers, false).resources).map(({ listedUri }) => listedUri);
}

test.each([
  ['nothing of it', 'skill://other/note.md', true],
  ['a file of it', 'skill://a/b/note.md', false],
  ['its folder', 'skill://a/b', false],
  ['only the beginning of its name', 'skill://a/bc/note.md', true],
])('a skill keeps its address if another server lists %s', (_what, uri, isKept) => {
  const [address] = addressesOf(serverOf('one', ['skill://a/b/SKILL.md']), serverOf('two', [], [uri]));
  expect(address === 'skill://a/b/SKILL.md').toBe(isKept);
});

test('a skill keeps its address if its own server lists its files, and a skill inside of it', () => {
  const own = serverOf('one', ['skill://a/SKILL.md', 'skill://a/b/SKILL.md'], ['skill://a/note.md']);
  expect(addressesOf(own)).toEqual(['skill://a/SKILL.md', 'skill://a/b/SKILL.md']);
});

test('omits a skill whose address has more than 32 slashes', () => {
  const [kept, omitted] = [29, 30].map((depth) => `skill://${'a/'.repeat(depth)}b/SKILL.md`);
  expect(addressesOf(serverOf('one', [kept as string, omitted as string]))).toEqual([kept]);
});
