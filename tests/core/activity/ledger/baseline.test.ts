/** What an app would have loaded without Tooltray, and when. */
import { expect, test } from 'vitest';
import {
  Baseline,
  type ListedServer,
  type BaselineIncrement,
} from '../../../../src-main/core/activity/ledger/baseline.ts';

function server(name: string, tools: readonly string[], instructions?: string): ListedServer {
  const listing = { tools: tools.map((tool) => ({ name: tool })), resources: [], resourceTemplates: [], prompts: [] };
  return { name, listing, instructions };
}

function owes({ instructions, lists }: BaselineIncrement): { instructions: string[]; lists: string[] } {
  return { instructions: instructions.map((one) => one.server), lists: lists.map((one) => one.server) };
}

test("counts each server's tool list and its instructions once", () => {
  const baseline = new Baseline();
  const servers = [server('a', ['x'], 'Use x.'), server('b', ['y']), server('c', [])];
  expect(owes(baseline.introduce(servers))).toEqual({ instructions: ['a'], lists: [] });
  expect(owes(baseline.list('tools', servers))).toEqual({ instructions: [], lists: ['a', 'b'] });
});

test('counts a server that is added later, if the app has requested lists', () => {
  const [asked, silent] = [new Baseline(), new Baseline()];
  const [a, b] = [server('a', ['x']), server('b', ['y'], 'Hello.')];
  asked.introduce([a]);
  asked.list('tools', [a]);
  expect(owes(asked.serversChanged([a, b]))).toEqual({ instructions: ['b'], lists: ['b'] });
  expect(owes(asked.serversChanged([a, b]))).toEqual({ instructions: [], lists: [] });
  expect(owes(silent.serversChanged([a, b]))).toEqual({ instructions: [], lists: [] });
});

test('counts a list that the app reads again after a notification only for servers that changed', () => {
  const baseline = new Baseline();
  const [a, b] = [server('a', ['x']), server('b', ['y'])];
  baseline.list('tools', [a, b]);
  baseline.announce(['tools']);
  expect(owes(baseline.list('tools', [server('a', ['x']), server('b', ['y', 'z'])])).lists).toEqual(['b']);
});

test('counts the whole list again when the app reads it again on its own', () => {
  const baseline = new Baseline();
  const servers = [server('a', ['x']), server('b', ['y'])];
  baseline.list('tools', servers);
  expect(owes(baseline.list('tools', servers)).lists).toEqual(['a', 'b']);
});
