import { expect, test, vi } from 'vitest';
import { PutOff } from '../../../src-main/core/base/put-off.ts';

test('what is put off is done in its order, by itself, and with what comes of it', async () => {
  const putOff = new PutOff();
  const done: number[] = [];
  putOff.add(() => {
    done.push(1);
    putOff.add(() => done.push(3));
  });
  putOff.add(() => done.push(2));
  expect(done).toEqual([]);
  await expect.poll(() => done).toEqual([1, 2, 3]);
});

test('no more than 500 are held', () => {
  const putOff = new PutOff();
  let done = 0;
  for (let n = 0; n < 501; n++) putOff.add(() => done++);
  expect(done).toBe(501);
});

test('one that fails does not keep the others from being done', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const putOff = new PutOff();
  const done: string[] = [];
  putOff.add(() => {
    throw new Error('broken');
  });
  putOff.add(() => done.push('next'));
  putOff.run();
  expect([done, warned.mock.calls.length]).toEqual([['next'], 1]);
  warned.mockRestore();
});

test('what comes fast is begun at once, and others have their turn between its parts', async () => {
  const putOff = new PutOff();
  let done = 0;
  let parts = 0;
  putOff.paused.on(() => parts++);
  const busy = (): void => {
    for (const until = performance.now() + 0.2; performance.now() < until;);
    done++;
  };
  for (let n = 0; n < 64; n++) putOff.add(busy);
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await turn();
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(64);
  while (!putOff.isEmpty) await turn();
  expect(parts).toBeGreaterThan(5);
});
