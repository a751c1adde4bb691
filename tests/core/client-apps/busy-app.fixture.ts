/** An app that rewrites its own config file all the time, in place: `node busy-app.fixture.ts <file> <writes>`. Counts what was lost. */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

interface Settings {
  count?: number;
}

const [file = '', writes = '0'] = process.argv.slice(2);
const read = (): Settings => JSON.parse(readFileSync(file, 'utf8')) as Settings;
let lost = 0;
for (let count = 1; count <= Number(writes); count++) {
  let settings = read();
  // Between a replacement and its being taken back lie microseconds, in which the file is older than what was written to it.
  for (let look = 0; (settings.count ?? 0) !== count - 1 && look < 10; look++) {
    await sleep(10);
    settings = read();
  }
  if ((settings.count ?? 0) !== count - 1) lost++;
  writeFileSync(file, JSON.stringify({ ...settings, count }, undefined, 2));
  await sleep(Math.random() * 4);
}
process.stdout.write(String(lost));
