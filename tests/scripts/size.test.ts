/** `npm run size`: the arithmetic of the sizing model, and its table in the docs. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { assumptions, sizeOf } from '../../scripts/team/size/model.mjs';

const root = `${import.meta.dirname}/../..`;
const size = (...args: string[]): string =>
  execFileSync(process.execPath, ['scripts/team/size/run.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
  });

test('the values for a thousand users match a calculation by hand', () => {
  const { callsASecond, atPeak, activityGBADay, keptGB, streams, streamGB, personalGB, tokensNotSentADay } =
    sizeOf(1000);
  expect(callsASecond).toBeCloseTo(200_000 / 86_400);
  expect(atPeak).toBeCloseTo((5 * 200_000) / 86_400);
  expect(activityGBADay).toBeCloseTo(0.0568);
  expect([keptGB, streams, streamGB, personalGB]).toEqual([4.2, 150, 0.0186, 16]);
  expect(tokensNotSentADay).toBe(450_000_000);
});

test.each(Object.keys(assumptions))('%s changes the result', (name) => {
  const users = 10_000_000;
  expect(sizeOf(users, { [name]: assumptions[name]![1] * 3 })).not.toEqual(sizeOf(users));
});

test('needs at least two replicas, and one spare', () => {
  expect(sizeOf(1)['replicas']).toBe(2);
  // 116,000 calls a second of 0.23 ms use 26.6 cores; at half load: 54.
  expect(sizeOf(10_000_000)['replicas']).toBe(55);
});

test('rejects an invalid number and an unknown name', () => {
  expect(() => size('--users', 'many')).toThrow(/wants a number above 0/);
  expect(() => size('--frobs', '2')).toThrow(/--frobs/);
});

test('the table in the docs is what the script prints', () => {
  const page = readFileSync(`${root}/docs/team/sizing.md`, 'utf8');
  expect(page).toContain(size('--users', '10,1000,100000').trimEnd());
});
