/**
 * A process that keeps texts of calls without end, until it is killed. Takes the file; says how many are on disk. With `now` it keeps one
 * and says when that began.
 */
import { PayloadStore } from '../../../src-main/core/activity/call-payloads.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { saidOf, silentLog, textLimits } from './texts-fixture.ts';

const file = process.argv[2] ?? '';
const texts = new PayloadStore({ file, masker: new Masker(), settings: () => textLimits, log: silentLog() });

if (process.argv[3] === 'now') {
  const startedAt = Date.now();
  const held = texts.stage(saidOf('never written'), startedAt);
  if (typeof held === 'function') held(1);
  process.stdout.write(`${startedAt}\n`);
  await new Promise(() => setInterval(() => undefined, 60_000));
}

/** Twenty calls at a time, each as long as its number says; the answer tells that all before are written. */
for (let id = 1; ;) {
  for (let of = 0; of < 20; of++, id++) {
    const held = texts.stage(saidOf(`call ${id} ${'x'.repeat((id * 37) % 5000)}`), id);
    if (typeof held === 'function') held(id);
  }
  const last = { id: id - 1, startedAt: id - 1, unkept: undefined, sides: ['sent'], from: 0, length: 10 } as const;
  await texts.find(last);
  process.stdout.write(`${id - 1}\n`);
}
