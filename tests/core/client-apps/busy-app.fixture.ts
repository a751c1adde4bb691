/**
 * An app that continuously rewrites its own config file in place: `node busy-app.fixture.ts <file> <writes>`. Counts
 * lost writes.
 */
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
  // For microseconds between a replacement and its rollback, the file is older than what was written.
  for (let look = 0; (settings.count ?? 0) !== count - 1 && look < 10; look++) {
    await sleep(10);
    settings = read();
  }
  if ((settings.count ?? 0) !== count - 1) lost++;
  writeFileSync(file, JSON.stringify({ ...settings, count }, undefined, 2));
  await sleep(Math.random() * 4);
}
process.stdout.write(String(lost));
