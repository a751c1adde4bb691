/** What was said in the last calls: bounded while it is held, masked for whoever reads it. */
import { expect, test } from 'vitest';
import { CallDetails, type SaidText } from '../../../src-main/core/activity/call-details.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';

const secret = 'correct-horse-battery-staple';

function said(start: string, bytes = Buffer.byteLength(start)): SaidText {
  return { start, bytes };
}

function holding(details: CallDetails, id: number, start: string, bytes?: number): void {
  details.hold({ arguments: said('{}'), sent: said(start, bytes), given: undefined })(id);
}

test('nothing is masked until somebody looks, and nothing unmasked is ever seen', () => {
  let masked = 0;
  const masker = new (class extends Masker {
    override maskText(text: string): string {
      masked++;
      return super.maskText(text);
    }
  })([secret]);
  const details = new CallDetails(masker);
  details.hold({ arguments: said(`{"a":"${secret}"}`), sent: said(secret), given: said(`it is ${secret}`) })(1);
  const before = masked;
  expect([before, details.find(1)]).toEqual([0, { arguments: '{"a":"***"}', sent: '***', given: 'it is ***' }]);
});

test('a secret that has since left the config stays masked, and one that came since is masked, too', () => {
  const masker = new Masker([secret]);
  const details = new CallDetails(masker);
  holding(details, 1, `first ${secret}, then another-one-of-these`);
  masker.setSecrets(['another-one-of-these']);
  expect(details.find(1)?.sent).toBe('first ***, then ***');
});

test('a long text is begun and says how much more there was, without half a secret at its end', () => {
  const details = new CallDetails(new Masker([secret]));
  const long = 64 * 1024;
  // One is cut in two where what is held ends, one where what is shown does.
  const text = 'x'.repeat(long - 10) + secret + 'y'.repeat(4096 - secret.length) + secret + 'z'.repeat(1000);
  holding(details, 1, text);
  expect(details.find(1)?.sent).toMatch(/^x+\n\[5114 more bytes\]$/);
});

test('of an answer of which only the beginning was handed over the rest is told as well', () => {
  const details = new CallDetails(new Masker());
  holding(details, 1, 'é'.repeat(40_000), 1_000_000);
  expect(details.find(1)?.sent).toBe(`${'é'.repeat(40_000 - 4096)}\n[${1_000_000 - 2 * (40_000 - 4096)} more bytes]`);
});

test('a held beginning does not keep the whole text in memory', () => {
  const details = new CallDetails(new Masker());
  const before = process.memoryUsage().heapUsed;
  // Each a text of its own: a million letters, of which 70 000 are held.
  for (let id = 0; id < 200; id++) holding(details, id, Buffer.alloc(1_000_000, 97 + (id % 20)).toString('latin1'));
  globalThis.gc?.();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
});

test('the oldest are let go when there are too many, or their texts together are too long', () => {
  const details = new CallDetails(new Masker());
  for (let id = 1; id <= 501; id++) holding(details, id, 'short');
  expect([details.find(1), details.find(2)?.sent]).toEqual([undefined, 'short']);
  for (let id = 502; id <= 1000; id++) holding(details, id, 'y'.repeat(80_000));
  expect([details.find(502), details.find(1000)?.sent?.length]).toEqual([
    undefined,
    64 * 1024 + '\n[14464 more bytes]'.length,
  ]);
});
