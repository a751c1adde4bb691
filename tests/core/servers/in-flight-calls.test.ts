/** InFlightCalls attributes a server request to one session or to none. */
import { expect, test } from 'vitest';
import { InFlightCalls } from '../../../src-main/core/servers/in-flight-calls.ts';
import { contextOf } from './servers-harness.ts';

const [anna, bert] = [contextOf('anna'), contextOf('bert')];
const never = new AbortController().signal;

test('attributes a request to the only session with calls in flight', () => {
  const calls = new InFlightCalls();
  calls.add(1, anna);
  calls.add(2, contextOf('anna'));
  expect(calls.ownerOf(undefined)?.sessionId).toBe('anna');
});

test('attributes a request to no session if several or none have calls in flight', () => {
  const calls = new InFlightCalls();
  expect(calls.ownerOf(undefined)).toBeUndefined();
  calls.add(1, anna);
  calls.add(2, bert);
  expect(calls.ownerOf(undefined)).toBeUndefined();
});

test('attributes a request on the stream of a call to that call', () => {
  const calls = new InFlightCalls();
  calls.add(1, anna);
  calls.add(2, bert);
  expect(calls.ownerOf(2)).toBe(bert);
});

test('attributes a request on a private connection to its owner, with the latest call', () => {
  const owner = contextOf('anna');
  const calls = new InFlightCalls(() => owner);
  expect(calls.ownerOf(undefined)).toBe(owner);
  calls.add(1, anna);
  expect(calls.ownerOf(undefined)).toBe(anna);
});

test('attributes an ambiguous request once only one session has calls in flight', async () => {
  const calls = new InFlightCalls();
  calls.add(1, anna);
  calls.add(2, bert);
  const whose = calls.resolveOwner(undefined, never);
  calls.remove(2, true);
  expect(await whose).toBe(anna);
});

test('attributes a request to no session if another call in flight was cancelled', async () => {
  const calls = new InFlightCalls();
  calls.add(1, anna);
  calls.add(2, bert);
  const whose = calls.resolveOwner(undefined, never);
  calls.remove(2, false);
  calls.remove(1, true);
  expect(await whose).toBeUndefined();
});

test('does not attribute a request to a session that calls after it arrived', async () => {
  const calls = new InFlightCalls();
  calls.add(1, anna);
  calls.add(2, bert);
  const whose = calls.resolveOwner(undefined, never);
  calls.add(3, contextOf('carl'));
  calls.remove(1, true);
  calls.remove(2, true);
  expect(await whose).toBeUndefined();
});

test('attributes a request that the server cancels to no session', async () => {
  const calls = new InFlightCalls();
  calls.add(1, anna);
  calls.add(2, bert);
  const taken = new AbortController();
  const whose = calls.resolveOwner(undefined, taken.signal);
  taken.abort();
  calls.remove(2, true);
  expect(await whose).toBeUndefined();
});
