/**
 * The model of the six benchmark tasks parses results of every mode: an unparsed format would look like a fault of the
 * mode.
 */
import { expect, test } from 'vitest';
import { guessed } from '../../scripts/bench/tasks/guess.mjs';
import { readOn } from '../../scripts/bench/tasks/reading-on.mjs';
import { severalIn } from '../../scripts/bench/tasks/several.mjs';
import { taskModes } from '../../scripts/bench/tasks/run-mode.mjs';
import { showsNames, toolsIn, toolsInSentence } from '../../scripts/bench/tasks/shown-tools.mjs';
import { modeScripts } from '../../scripts/bench/tokens/mode-scripts.mjs';
import { allModes } from '../../src-main/compat/all-modes.ts';
import { autoMode } from '../../src-main/core/config/mode-names.ts';

test('the benchmarks cover every mode', () => {
  const all = allModes.modes.map(({ name }) => name).toSorted();
  expect(taskModes.toSorted(), '`hands` in scripts/bench/tasks/run-mode.mjs').toEqual([autoMode, ...all].toSorted());
  expect(Object.keys(modeScripts).toSorted(), 'scripts/bench/tokens/mode-scripts.mjs').toEqual(all);
});

const servers = ['memory', 'git', 'chrome-devtools'];
const sig = '(entities: {name, entityType, observations: string[]}[])';

test.each([
  ['lines', `- memory_create_entities${sig} → {entities: object[]}: Creates them\n- git_log(path?): Shows commits`],
  [
    'lines without marks',
    `memory_create_entities${sig} — Creates them\ngit_log(path?): Shows commits\n7 more fit less.`,
  ],
  [
    'JSON with signatures',
    JSON.stringify([
      { name: 'memory_create_entities', sig, desc: 'Creates them' },
      { name: 'git_log', sig: '(path?)', desc: 'Shows commits' },
    ]),
  ],
  [
    'JSON by server',
    JSON.stringify({
      servers: {
        memory: { tools: [{ name: 'create_entities', signature: sig, description: 'Creates them' }] },
        git: { tools: [{ name: 'git_log', signature: '(path?)' }] },
      },
    }),
  ],
  [
    'a resource with JSON in it',
    JSON.stringify({
      type: 'resource',
      resource: {
        text: JSON.stringify([
          { name: 'memory:create_entities', inputSchema: { entities: sig } },
          { name: 'git:git_log' },
        ]),
      },
    }),
  ],
])('reads tools from %s', (_shape, text) => {
  const tools = toolsIn(text, { servers });
  expect(tools.map(({ name, server }) => [name.replace(/^memory[_:]|^git:/, ''), server])).toEqual([
    ['create_entities', 'memory'],
    ['git_log', 'git'],
  ]);
  expect(tools.map((tool) => showsNames(tool, ['entities', 'entityType', 'observations']))).toEqual([true, false]);
});

test("reads tools from gateway's description of a server", () => {
  const tools = toolsInSentence(
    'Tools: a_b (Makes, and more; required: x: {y, z}[]) [w?: string], c_d (Lists), e',
    'memory',
  );
  expect(tools.map(({ name }) => name)).toEqual(['a_b', 'c_d', 'e']);
  expect(tools.map((tool) => showsNames(tool, ['x', 'y', 'w']))).toEqual([true, false, false]);
});

test('a name that is marked as lossy does not count as shown', () => {
  expect(showsNames({ parameters: '(entities*~:[obj])' }, ['entities'])).toBe(false);
  expect(showsNames({ parameters: '(entities*:[obj], edits*~:[obj])' }, ['entities'])).toBe(true);
});

test('searches several needs at once only if the mode says how', () => {
  const one = { query: { type: 'string' } };
  expect(severalIn(one, 'Find tools by what you want to do.')).toBeUndefined();
  expect(severalIn(one, 'Find tools, best first; several with ";" between.')?.(['a', 'b'])).toEqual({ query: 'a; b' });
  expect(severalIn({ query: { type: ['string', 'array'] } }, '')?.(['a', 'b'])).toEqual({ query: ['a', 'b'] });
  expect(severalIn({ queries: {} }, '')?.(['a', 'b'])).toEqual({ queries: ['a', 'b'] });
});

test('guesses from plain words what was not shown, except nested lists', () => {
  const args = { entities: [{ name: 'Ada', entityType: 'person', observations: ['wrote'] }] };
  expect(guessed(args, (name) => name === 'entities')).toEqual({ entities: [{ name: 'Ada', type: 'person' }] });
  expect(guessed(args, () => true)).toEqual(args);
});

test.each([
  [
    'an example of a query, filled in',
    `Read on: call_tool {"name":"read_result","arguments":{"resultFile":"k","op":"query","query":"$.rows[?(@.id=='…')]"}}`,
    { name: 'read_result', arguments: { resultFile: 'k', op: 'query', query: "$.rows[?(@.name=='order 7')]" } },
  ],
  [
    'a grep, where there is no query',
    `Read on: call_tool {"name":"read_result","arguments":{"resultFile":"k","op":"grep","pattern":"WORD"}}`,
    { name: 'read_result', arguments: { resultFile: 'k', op: 'grep', pattern: 'order 7' } },
  ],
  [
    'an action that is spelled out',
    `Read it with call_tool: action='readresult', resultFile='k'.`,
    { action: 'readresult', resultFile: 'k' },
  ],
])('follows a notice by %s', async (_what, notice, expected) => {
  const asked: object[] = [];
  const session = {
    tools: [{ name: 'call_tool' }],
    steps: [{ name: 'call_tool' }],
    tool: () => undefined,
    call: (_name: string, args: object) => {
      asked.push(args);
      return Promise.resolve({ text: 'id: 3', isError: false });
    },
  };
  await readOn({ session, notice, wanted: { name: 'order 7' }, isFound: (text) => text.includes('id') });
  expect(asked).toEqual([expected]);
});
