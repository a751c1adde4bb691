/** Any change of a record made without the key is found, with its place. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAudit, call, filesOf, linesOf, openFolder, verify, writeLines, writtenLog } from './fixture.ts';

/** Findings of `verify` after `spoil`, as record and kind. */
async function foundAfter(spoil: (lines: string[]) => readonly string[], calls = 10): Promise<readonly string[]> {
  using open = openFolder();
  await writtenLog(open.folder, calls);
  writeLines(open.folder, spoil(linesOf(open.folder)));
  const { findings, holds } = await verify(open.folder);
  expect(holds).toBe(findings.length === 0);
  return findings.map(({ seq, what }) => `${seq} ${what}`);
}

/** The same line with a recomputed hash. */
function rehashed(line: string): string {
  const body = line.slice(0, line.lastIndexOf(',"hash":"'));
  return `${body},"hash":"${createHash('sha256').update(body).digest('base64url')}"}`;
}

test('verifies an unchanged log', async () => {
  expect(await foundAfter((lines) => lines)).toEqual([]);
});

test('finds the record of a flipped bit anywhere in its line', async () => {
  using open = openFolder();
  await writtenLog(open.folder, 10);
  const file = filesOf(open.folder)[0] as string;
  const whole = readFileSync(file);
  const start = whole.indexOf('{"seq":5,');
  const end = whole.indexOf(0x0a, start);
  for (let at = start; at < end; at++) {
    const spoilt = Buffer.from(whole);
    spoilt[at] = (spoilt[at] as number) ^ 0x01;
    writeFileSync(file, spoilt);
    const { findings } = await verify(open.folder);
    expect(findings.map(({ seq, what }) => `${seq} ${what}`)).toEqual(['5 changed']);
  }
});

test.each([2, 5, 12])('finds a dropped record: %i', async (seq) => {
  // Record 12 is the last one: nothing follows it.
  const found = await foundAfter((lines) => lines.filter((line) => !line.startsWith(`{"seq":${seq},`)));
  expect(found).toEqual([seq === 12 ? '12 cut' : `${seq} missing`]);
});

test('reports several dropped records as one finding', async () => {
  using open = openFolder();
  await writtenLog(open.folder, 10);
  writeLines(
    open.folder,
    linesOf(open.folder).filter((line) => !/^\{"seq":[456],/.test(line)),
  );
  expect((await verify(open.folder)).findings).toMatchObject([{ sentence: 'Records 4 to 6 are missing.' }]);
});

test('finds swapped records', async () => {
  const found = await foundAfter((lines) => [...lines.slice(0, 4), lines[5]!, lines[4]!, ...lines.slice(6)]);
  expect(found).toEqual(['5 misplaced']);
});

test('finds a duplicated record', async () => {
  expect(await foundAfter((lines) => [...lines.slice(0, 6), lines[3]!, ...lines.slice(6)])).toEqual(['4 doubled']);
});

test('finds a line that is not a record', async () => {
  expect(await foundAfter((lines) => [...lines.slice(0, 6), '{"seq":7}', ...lines.slice(6)])).toEqual(['7 foreign']);
});

test('finds a record that was rewritten with a matching hash by the next one', async () => {
  const found = await foundAfter((lines) =>
    lines.map((line, at) => (at === 4 ? rehashed(line.replace('cursor', 'zursor')) : line)),
  );
  expect(found).toEqual(['5 changed']);
});

test('finds a recomputed chain at the next head', async () => {
  const found = await foundAfter((lines) => {
    let prev = /"hash":"([\w-]{43})"/.exec(lines[3]!)![1]!;
    return lines.map((line, at) => {
      if (at < 4) return line;
      const made = rehashed(line.replace('cursor', 'zursor').replace(/"prev":"[\w-]{43}"/, `"prev":"${prev}"`));
      prev = /"hash":"([\w-]{43})"/.exec(made)![1]!;
      return made;
    });
  });
  expect(found).toEqual(['12 changed', '12 badly signed']);
});

test('reports a log without its heads as unsigned', async () => {
  const found = await foundAfter((lines) => {
    let prev = 'A'.repeat(43);
    return lines
      .filter((line) => !line.includes('"kind":"head"'))
      .map((line, at) => {
        const made = rehashed(
          line.replace(/"seq":\d+/, `"seq":${at + 1}`).replace(/"prev":"[\w-]{43}"/, `"prev":"${prev}"`),
        );
        prev = /"hash":"([\w-]{43})"/.exec(made)![1]!;
        return made;
      });
  }, 600);
  expect(found.filter((one) => one.endsWith('unsigned'))).not.toEqual([]);
});

test('finds a truncated log by the head stored beside it', async () => {
  expect(await foundAfter((lines) => lines.slice(0, 7))).toEqual(['12 cut']);
});

test("finds a truncated log by the user's copy of a head if the stored one was reverted", async () => {
  using open = openFolder();
  await writtenLog(open.folder, 3);
  const [short, noted] = [linesOf(open.folder), readFileSync(join(open.folder, 'head.json'))];
  await writtenLog(open.folder, 5);
  const { head } = await verify(open.folder);
  writeLines(open.folder, short);
  writeFileSync(join(open.folder, 'head.json'), noted);
  expect((await verify(open.folder)).holds).toBe(true);
  expect((await verify(open.folder, head)).findings).toMatchObject([{ seq: head?.seq, what: 'cut' }]);
});

test('finds a missing file at the start or in the middle', async () => {
  using open = openFolder();
  const audit = openAudit(open.folder, { limits: { segmentBytes: 10_000 } });
  for (let at = 0; at < 200; at++) {
    audit.note(call());
    if (at % 10 === 0) audit.flush();
  }
  await audit.close();
  const files = filesOf(open.folder);
  const firsts = files.map((file) => Number(/(\d+)\.jsonl$/.exec(file)![1]));
  rmSync(files[1]!);
  expect((await verify(open.folder)).findings).toMatchObject([
    { sentence: `Records ${firsts[1]} to ${firsts[2]! - 1} are missing.` },
  ]);
  rmSync(files[0]!);
  expect((await verify(open.folder)).findings).toMatchObject([
    { sentence: `Records 1 to ${firsts[2]! - 1} are missing.` },
  ]);
});

test('reports a changed key and a missing key', async () => {
  using open = openFolder();
  await writtenLog(open.folder, 1);
  rmSync(join(open.folder, 'key'));
  expect((await verify(open.folder)).findings).toMatchObject([
    {
      what: 'badly signed',
      sentence: expect.stringContaining(
        'The key of this home is missing, so the signing keys cannot be checked.',
      ) as string,
    },
  ]);
  await writtenLog(open.folder, 1);
  const { holds, keys, notes } = await verify(open.folder);
  expect({ holds, keys: keys.length }).toEqual({ holds: true, keys: 2 });
  expect(notes).toEqual([`The first heads are signed with keys other than the key of this home: ${keys[0]}.`]);
});

test('rejects a log signed with a foreign key', async () => {
  using own = openFolder();
  using other = openFolder();
  await writtenLog(own.folder, 5);
  await writtenLog(other.folder, 5);
  writeFileSync(filesOf(own.folder)[0]!, readFileSync(filesOf(other.folder)[0]!));
  rmSync(join(own.folder, 'head.json'));
  expect((await verify(own.folder)).findings).toMatchObject([
    { what: 'badly signed', sentence: 'No head is signed with the key of this home.' },
  ]);
});

test('lists the limits of the proof in every result', async () => {
  using open = openFolder();
  expect((await verify(open.folder)).limits).toHaveLength(3);
});
