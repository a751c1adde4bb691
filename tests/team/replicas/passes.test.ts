import { describe, expect, test } from 'vitest';
import {
  digestOf,
  type PassClaims,
  PassReader,
  passedHeaders,
  signPass,
} from '../../../src-main/team/replicas/passes.ts';
import { TeamKeys } from '../../../src-main/team/records/team-keys.ts';
import { type Seals, sealsFor } from '../../../src-main/team/replicas/seals.ts';

const sealsOf = (byte: number, use = 'passes'): Seals => sealsFor(new TeamKeys([Buffer.alloc(32, byte)]), use);
const seals = sealsOf(1);
const claims: PassClaims = {
  to: 'b_000000',
  place: { path: '/mcp', holder: 'person' },
  person: { tenant: 'main', user: 'ada' },
  digest: digestOf('{}'),
};
const passed = { method: 'POST', headers: passedHeaders({ 'mcp-session-id': 's', accept: 'a', cookie: 'no' }) };
const readAt = (now: number, replica = 'b_000000'): PassReader => new PassReader(seals, replica, () => now);

test('a pass is read once, says who came, and no cookie or token goes along', () => {
  const pass = signPass(seals, claims, passed, 1_000_000);
  const reader = readAt(1_000_000);
  expect(passed.headers).toEqual({ accept: 'a', 'mcp-session-id': 's' });
  expect(reader.read(pass, passed)).toMatchObject(claims);
  expect(reader.read(pass, passed)).toBeUndefined();
});

describe('a pass opens nothing', () => {
  const now = 1_000_000;
  const pass = signPass(seals, claims, passed, now);
  const forged = Buffer.from(
    JSON.stringify({ ...claims, person: { tenant: 'main', user: 'eve' }, at: now, nonce: 'n' }),
  );
  test.each([
    ['of another method', () => readAt(now).read(pass, { ...passed, method: 'DELETE' })],
    [
      'for another session',
      () => readAt(now).read(pass, { ...passed, headers: { ...passed.headers, 'mcp-session-id': 't' } }),
    ],
    ['at another replica', () => readAt(now, 'c_000000').read(pass, passed)],
    ['too late', () => readAt(now + 31_000).read(pass, passed)],
    ['too early', () => readAt(now - 31_000).read(pass, passed)],
    [
      'with others for whom it was made',
      () => readAt(now).read(`${forged.toString('base64url')}.${pass.split('.')[1]}`, passed),
    ],
    ['by another key', () => new PassReader(sealsOf(2), 'b_000000', () => now).read(pass, passed)],
    ['by the key for ids', () => new PassReader(sealsOf(1, 'ids'), 'b_000000', () => now).read(pass, passed)],
    ['that is none', () => readAt(now).read('x', passed)],
    ['that is missing', () => readAt(now).read(undefined, passed)],
  ])('%s', (_how, read) => expect(read()).toBeUndefined());
});

test('of what was used it is remembered only what could be brought again', () => {
  let now = 1_000_000;
  const reader = new PassReader(seals, 'b_000000', () => now);
  for (let at = 0; at < 50; at++) reader.read(signPass(seals, claims, passed, now), passed);
  expect(reader.remembered).toBe(50);
  now += 61_000;
  reader.read(signPass(seals, claims, passed, now), passed);
  expect(reader.remembered).toBe(1);
});
