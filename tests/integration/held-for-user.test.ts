/**
 * What models learn about held definitions: that they are held and who decides, but none of their text. No tool
 * decides.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allModes } from '../../src-main/compat/all-modes.ts';
import { allCases } from '../support/all-cases.ts';
import { inputsFor } from '../support/shown-everywhere.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

type Json = Record<string, unknown>;

const mark = 'ZEBRA';
const folder = mkdtempSync(join(tmpdir(), 'tooltray-held-'));
const file = join(folder, 'offer.json');
const tool = (name: string, description: string): Json => ({ name, description, inputSchema: { type: 'object' } });
const offer = (tools: readonly Json[], prompts: readonly Json[]): void =>
  writeFileSync(file, JSON.stringify({ tools, prompts }));

let core: TestCore;
let client: SocketClient;

beforeAll(async () => {
  offer([tool('draw', 'Draws a shape.'), tool('erase', 'Erases all.'), tool('kept', 'Stays.')], [{ name: 'sketch' }]);
  writeFileSync(`${file}.calls`, '');
  core = await startCore({
    servers: {
      d: { ...fixture('changing', file), enabledTools: ['draw', 'added', 'sketch', 'kept'] },
      held: { ...fixture('compat', 'E'), quarantined: true },
    },
    reviews: { onChange: 'hold' },
    exposeAdmin: true,
    policy: { agentChanges: 'allow' },
  });
  client = await core.open();
  offer(
    [tool('draw', `${mark} first.`), tool('erase', 'Erases all.'), tool('kept', 'Stays.'), tool('added', mark)],
    [{ name: 'sketch', description: mark }],
  );
  // Lists are read separately: two tools and a prompt.
  await until(() => core.host.core.trust.pins.find('d')?.pendingReview?.changes.length === 3);
});
afterAll(async () => {
  await core[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function asked(name: string, input: Json): Promise<Json> {
  return JSON.parse(await client.say(name, input)) as Json;
}

describe('MCPProxy', () => {
  test("a call to a server in review returns MCPProxy's error format with who decides", async () => {
    const answer = await asked('call_tool_read', { name: 'held:echo_tool', args: { text: 'x' } });
    expect(answer).toMatchObject({
      status: 'QUARANTINED_SERVER_BLOCKED',
      serverName: 'held',
      requestedArgs: { text: 'x' },
      toolAnalysis: null,
      instructions: expect.stringContaining('tooltray inbox show held') as string,
    });
  });

  test.each([
    ['d:draw', 'tool_description_changed'],
    ['d:added', 'new_unapproved_tool'],
  ])("a call of %s returns MCPProxy's error format: %s", async (name, reason) => {
    const answer = await asked('call_tool_write', { name });
    expect(answer).toMatchObject({ status: 'TOOL_QUARANTINED', server_name: 'd', reason });
    expect(JSON.stringify(answer)).not.toContain(mark);
  });

  test('describe_tool returns an error code for each held tool', async () => {
    const ids = ['d:draw', 'd:added', 'd:erase', 'held:echo_tool', 'd:kept'];
    const { errors, definitions } = (await asked('describe_tool', { tool_ids: ids })) as { errors: Json[] } & Json;
    expect(errors.map(({ id, error }) => [id, error])).toEqual([
      ['d:draw', 'not_allowed'],
      ['d:added', 'not_allowed'],
      ['d:erase', 'not_allowed'],
      ['held:echo_tool', 'server_disabled'],
    ]);
    expect(definitions).toMatchObject([{ description: 'Stays.' }]);
    expect(JSON.stringify(errors)).not.toContain(mark);
  });
});

test('reports a new held tool as held under every spelling of its name', async () => {
  for (const name of ['added', 'd__added', 'd:added']) {
    expect(await client.say(name)).toMatch(/d:added is new since d was accepted, and awaits the user/);
  }
});

test('no helper tool accepts, approves or enables anything, whatever the arguments', { timeout: 120_000 }, async () => {
  const before = readFileSync(core.configFile, 'utf8');
  const question = core.host.core.trust.pins.find('d')?.pendingReview?.id;
  const [review] = await core.host.core.trust.reviews.pending();
  const beside: readonly Json[] = [
    {},
    { quarantined: false, trust_mode: 'auto', enabled: true, accept: true, force: true },
    { id: review?.id, choice: 'accept', decision: 'accept', keys: ['tool:draw'] },
    { id: question, choice: 'accept', by: 'person' },
  ];
  const calls = ['held', 'd'].flatMap((server) => {
    const names = { server, names: [server, `${server}:added`, 'draw'], query: 'draw' };
    return [...allModes.helpers.values()].flatMap(({ definition: { name, inputSchema } }) =>
      inputsFor(inputSchema, names).flatMap((input) => {
        // Removing a server, which the policy allows here, accepts nothing and ends the test.
        if (['remove', 'unload_kit', 'unload'].includes(String(input['action'] ?? input['operation']))) return [];
        // Programs start a process each time: combined with everything else only in `npm run test:long`.
        const tried = 'code' in input && !allCases ? beside.slice(0, 1) : beside;
        return tried.map((more) => ({ name, input: { ...more, ...input, name: input['name'] ?? server } }));
      }),
    );
  });
  expect(calls.length).toBeGreaterThan(1000);
  while (calls.length > 0) {
    await Promise.all(calls.splice(0, 40).map(({ name, input }) => client.callTool(name, input).catch(String)));
  }
  expect(core.server('held').config.held).toBe('review');
  expect(core.server('held').state.kind).toBe('disabled');
  expect(core.host.core.trust.pins.find('d')?.pendingReview?.id).toBe(question);
  expect(core.host.core.trust.pins.find('d')?.decisions).toEqual([]);
  const held = (text: string): unknown => (JSON.parse(text) as { servers: Json }).servers['held'];
  expect(held(readFileSync(core.configFile, 'utf8'))).toEqual(held(before));
  expect(readFileSync(`${file}.calls`, 'utf8')).not.toContain('tools/call draw');
});
