/** Limits of skills' files: their size is that of the specification, and the frontmatter is short. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { listResources } from '../../../../src-main/core/catalog/resource-uris.ts';
import { listSkills } from '../../../../src-main/core/catalog/skills.ts';
import { readSkillTool } from '../../../../src-main/core/modes/read-skill.ts';
import { SkillRequests } from '../../../../src-main/core/sessions/views/skill-requests.ts';
import { RawJson } from '../../../../src-main/core/wire/raw-json.ts';
import { helperContext } from '../../modes/helper-context.ts';
import { serverWith } from '../../catalog/catalog-of.ts';

const uri = 'skill://a/b/SKILL.md';
const fileUri = 'skill://a/b/data.txt';

function skillWith(text: string, file = ''): object {
  const entryOf = (of: string, content: string): object => ({
    uri: of,
    size: Buffer.byteLength(content),
    digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
  });
  const frontmatter = { name: 'b', description: 'c', note: /^note: (.*)$/m.exec(text)?.[1] };
  return { uri, frontmatter, resources: [entryOf(uri, text), entryOf(fileUri, file)] };
}

function requestsFor(skill: object): SkillRequests {
  const listing = { tools: [], resources: [], resourceTemplates: [], skills: [skill] } as Parameters<
    typeof listSkills
  >[0][0]['listing'];
  const servers = [{ name: 'one', listing }];
  const skills = listSkills(servers, listResources(servers, false).resources);
  return new SkillRequests({ skills: () => skills, servers: () => [], settled: () => Promise.resolve(), settleMs: 0 });
}

function responseOf(text: string): RawJson {
  return new RawJson([Buffer.from(JSON.stringify({ contents: [{ uri: fileUri, text }] }))]);
}

test('accepts a file of 16 MiB, and rejects a response that no skill can need', async () => {
  const largest = 'x'.repeat(16 * 1024 * 1024);
  const requests = requestsFor(skillWith('', largest));
  await expect(requests.verify({ server: 'one', uri: fileUri }, responseOf(largest))).resolves.toBeUndefined();
  await expect(requests.verify({ server: 'one', uri: fileUri }, responseOf(largest + largest))).rejects.toMatchObject({
    code: 'not_allowed',
  });
});

test.each([
  ['of 16 KiB is compared with the entry', 0, true],
  ['that is longer counts as another one', 1, false],
])('a frontmatter %s', async (_what, more, isRead) => {
  const before = 'name: b\ndescription: c\nnote: ';
  const text = `---\n${before}${'n'.repeat(16 * 1024 - before.length + more)}\n---\nThe body`;
  const context = helperContext([serverWith('one', { skills: [skillWith(text)] } as Parameters<typeof serverWith>[1])]);
  Object.defineProperty(context, 'readResource', { value: () => Promise.resolve({ contents: [{ uri, text }] }) });
  const read = readSkillTool.run({ uri }, context);
  if (isRead) expect(JSON.stringify(await read)).toContain('The body');
  else await expect(read).rejects.toMatchObject({ code: 'not_allowed' });
});
