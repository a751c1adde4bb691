/** A process that stores results until it is killed. Takes the home as its argument; prints when it has stored one. */
import { openStore, origin, textResult } from './spill-fixture.ts';

const open = await openStore({}, { home: process.argv[2] ?? '' });
for (let at = 0; ; at++) {
  const length = [3_000_000, 50, 40_000, 800_000][at % 4] ?? 0;
  await open.store.spill(textResult(`${'abcdefgh'.charAt(at % 8).repeat(length)}:${length}`), origin);
  process.stdout.write('kept\n');
}
