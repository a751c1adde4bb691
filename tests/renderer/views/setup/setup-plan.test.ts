/** The first setup as one plan: its contents, and the savings. */
import { expect, test } from 'vitest';
import type { AppRow, ImportableServer } from '../../../../src-main/core/client-apps/app-rows.ts';
import type { OfferTest } from '../../../../src-main/core/admin/offer-tests.ts';
import {
  choiceOf,
  hasPlan,
  planHeadline,
  progressText,
  shrinkOf,
} from '../../../../src-renderer/views/setup/setup-plan.ts';

const app = (id: string, more: Partial<AppRow> = {}): AppRow => ({
  id,
  name: id,
  installed: true,
  running: false,
  connected: 'no',
  via: 'none',
  split: false,
  revoked: false,
  configFile: `/home/u/.${id}.json`,
  servers: 1,
  problem: '',
  link: undefined,
  ...more,
});
const offer = (id: string, apps: readonly string[]): ImportableServer => ({
  id,
  name: id,
  app: '',
  apps,
  endpoint: 'npx x',
  secrets: [],
  sealable: [],
  losses: [],
  already: undefined,
});
const tested = (id: string, listTokens: number, stage: OfferTest['stage'] = 'passed'): OfferTest => ({
  id,
  stage,
  since: 0,
  tools: 1,
  listTokens,
  reason: '',
  fix: '',
});
const nothing = { apps: new Set<string>(), servers: new Set<string>() };
const apps = [app('claude'), app('cursor')];
const offers = [offer('files', ['claude', 'cursor']), offer('own', ['cursor']), offer('other', [])];

test('connects every app and moves every server unless the user unticks one', () => {
  const all = choiceOf(apps, offers, nothing);
  expect([all.apps, all.servers.map(({ id }) => id)]).toEqual([
    ['claude', 'cursor'],
    ['files', 'own', 'other'],
  ]);
  // The server of an app that is not connected stays there; one that no known app has is copied.
  const some = choiceOf(apps, offers, { apps: new Set(['cursor']), servers: new Set(['other']) });
  expect([some.apps, some.servers.map(({ id }) => id)]).toEqual([['claude'], ['files']]);
});

test('is offered only before an app is connected, and only if a server can be brought over', () => {
  expect(hasPlan(apps, 2)).toBe(true);
  expect(hasPlan(apps, 0)).toBe(false);
  expect(hasPlan([app('claude', { connected: 'yes' }), app('cursor')], 2)).toBe(false);
  expect(hasPlan([app('claude', { problem: 'not readable' })], 2)).toBe(false);
});

test('counts entries, and duplicates once each', () => {
  expect(planHeadline(apps, offers)).toMatch(/2 apps run 4 servers, 1 of them twice/);
  expect(planHeadline(apps, [offer('a', ['claude'])])).not.toMatch(/of them/);
});

test('says how much the tool lists shrink only where they do', () => {
  const card = (name: string, tokens: number) => ({ name, tokens, line: '', tools: 0, reason: undefined });
  const modes = (mode: string) => ({ mode, modes: [card('auto', 0), card('proxy', 0), card('search', 254)] });
  const tests = [tested('a', 15_000), tested('b', 4_700)];
  expect(shrinkOf(tests, modes('auto'))).toEqual({ before: 19_700, after: 254 });
  // Auto may list them all, shortened.
  expect(shrinkOf([tested('a', 9_000)], modes('auto'))).toBeUndefined();
  expect(shrinkOf([tested('a', 9_000)], modes('search'))).toEqual({ before: 9_000, after: 254 });
  expect(shrinkOf(tests, modes('proxy'))).toBeUndefined();
  expect(shrinkOf([], modes('search'))).toBeUndefined();
});

test('reports how many servers are tested and how many failed', () => {
  expect(progressText([tested('a', 1), tested('b', 0, 'failed'), tested('c', 0, 'listing')], 5)).toBe(
    'Tested 2 of 5 · 1 failed',
  );
});
