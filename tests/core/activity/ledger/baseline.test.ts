/** What an app would have loaded without us, and when it would have. */
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

test('each server’s list counts once for the first list, its instructions once for the introduction', () => {
  const baseline = new Baseline();
  const servers = [server('a', ['x'], 'Use x.'), server('b', ['y']), server('c', [])];
  expect(owes(baseline.introduce(servers))).toEqual({ instructions: ['a'], lists: [] });
  expect(owes(baseline.list('tools', servers))).toEqual({ instructions: [], lists: ['a', 'b'] });
});

test('a server that comes later counts when it comes, if the app has asked for lists at all', () => {
  const [asked, silent] = [new Baseline(), new Baseline()];
  const [a, b] = [server('a', ['x']), server('b', ['y'], 'Hello.')];
  asked.introduce([a]);
  asked.list('tools', [a]);
  expect(owes(asked.serversChanged([a, b]))).toEqual({ instructions: ['b'], lists: ['b'] });
  expect(owes(asked.serversChanged([a, b]))).toEqual({ instructions: [], lists: [] });
  expect(owes(silent.serversChanged([a, b]))).toEqual({ instructions: [], lists: [] });
});

test('a list that we asked the app to read again counts only for servers whose list is another one', () => {
  const baseline = new Baseline();
  const [a, b] = [server('a', ['x']), server('b', ['y'])];
  baseline.list('tools', [a, b]);
  baseline.announce(['tools']);
  expect(owes(baseline.list('tools', [server('a', ['x']), server('b', ['y', 'z'])])).lists).toEqual(['b']);
});

test('a list that the app reads again of its own accord it would have read again everywhere', () => {
  const baseline = new Baseline();
  const servers = [server('a', ['x']), server('b', ['y'])];
  baseline.list('tools', servers);
  expect(owes(baseline.list('tools', servers)).lists).toEqual(['a', 'b']);
});
