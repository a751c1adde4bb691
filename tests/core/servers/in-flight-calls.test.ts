/** Promises of the calls in flight: a question goes to one session or to none. */
import { expect, test } from 'vitest';
import { InFlightCalls } from '../../../src-main/core/servers/in-flight-calls.ts';
import { contextOf } from './servers-harness.ts';

const [anna, bert] = [contextOf('anna'), contextOf('bert')];
const never = new AbortController().signal;

test('while one session alone is calling it is the one meant', () => {
  const calls = new InFlightCalls();
  calls.add(1, anna);
  calls.add(2, contextOf('anna'));
  expect(calls.ownerOf(undefined)?.sessionId).toBe('anna');
});

test('while several are calling, or none, nobody is meant', () => {
  const calls = new InFlightCalls();
  expect(calls.ownerOf(undefined)).toBeUndefined();
  calls.add(1, anna);
  calls.add(2, bert);
  expect(calls.ownerOf(undefined)).toBeUndefined();
});

test('a question on the stream of a call belongs to that call', () => {
  const calls = new InFlightCalls();
  calls.add(1, anna);
  calls.add(2, bert);
  expect(calls.ownerOf(2)).toBe(bert);
});

test('on a private connection it is always the owner, by the latest call', () => {
  const owner = contextOf('anna');
  const calls = new InFlightCalls(() => owner);
  expect(calls.ownerOf(undefined)).toBe(owner);
  calls.add(1, anna);
  expect(calls.ownerOf(undefined)).toBe(anna);
});

test('an unclear question waits until the others have got their answers', async () => {
  const calls = new InFlightCalls();
  calls.add(1, anna);
  calls.add(2, bert);
  const whose = calls.resolveOwner(undefined, never);
  calls.remove(2, true);
  expect(await whose).toBe(anna);
});

test('a question of a call that was given up meanwhile is not put to the one who is left', async () => {
  const calls = new InFlightCalls();
  calls.add(1, anna);
  calls.add(2, bert);
  const whose = calls.resolveOwner(undefined, never);
  calls.remove(2, false);
  calls.remove(1, true);
  expect(await whose).toBeUndefined();
});

test('whoever calls only after the question is not meant', async () => {
  const calls = new InFlightCalls();
  calls.add(1, anna);
  calls.add(2, bert);
  const whose = calls.resolveOwner(undefined, never);
  calls.add(3, contextOf('carl'));
  calls.remove(1, true);
  calls.remove(2, true);
  expect(await whose).toBeUndefined();
});

test('a question that the server takes back is not put to anybody', async () => {
  const calls = new InFlightCalls();
  calls.add(1, anna);
  calls.add(2, bert);
  const taken = new AbortController();
  const whose = calls.resolveOwner(undefined, taken.signal);
  taken.abort();
  calls.remove(2, true);
  expect(await whose).toBeUndefined();
});
