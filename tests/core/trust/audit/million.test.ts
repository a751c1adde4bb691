/** A million records are verified as they are read, with memory that does not grow with the log. */
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { call, filesOf, openAudit, openFolder, verify } from './fixture.ts';

const records = 1_000_000;

test('finds each changed record among a million, with bounded memory', { timeout: 300_000 }, async () => {
  using open = openFolder();
  const audit = openAudit(open.folder, { limits: { segments: 100 } });
  for (let at = 0; at < records; at++) {
    audit.note(call({ session: `s${at}` }));
    if (at % 5000 === 0) audit.flush();
  }
  await audit.close();

  let most = 0;
  const before = process.memoryUsage().rss;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  const begun = performance.now();
  const whole = await verify(open.folder);
  const took = performance.now() - begun;
  clearInterval(watch);
  expect(whole).toMatchObject({ holds: true, unsigned: 0 });
  expect(whole.records).toBeGreaterThan(records);
  expect(most - before).toBeLessThan(150e6);
  console.log(
    `${whole.records} records verified in ${Math.round(took)} ms, ${Math.round((most - before) / 1e6)} MB more`,
  );

  const [file] = filesOf(open.folder).slice(-2);
  const at = readFileSync(file as string).indexOf('"cursor"');
  const descriptor = openSync(file as string, 'r+');
  writeSync(descriptor, '"cursos"', at);
  closeSync(descriptor);
  const third = filesOf(open.folder)[2] as string;
  const lines = readFileSync(third, 'utf8').split('\n');
  writeFileSync(third, lines.toSpliced(1000, 1).join('\n'));
  expect((await verify(open.folder)).findings.map(({ what }) => what).toSorted()).toEqual(['changed', 'missing']);
});
