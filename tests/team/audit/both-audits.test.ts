/** The audit behaves alike in a home's files and in a team's database: noted, read, paged, exported and verified. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FileJsonDocument } from '../../../src-main/core/base/json-document.ts';
import { createLog } from '../../../src-main/core/base/log.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { FileAudit } from '../../../src-main/core/trust/audit/file-audit.ts';
import type { AuditRecorder } from '../../../src-main/core/trust/audit/audit-log.ts';
import type { AuditKeys } from '../../../src-main/core/trust/audit/audit-keys.ts';
import { readAll, readPage } from '../../../src-main/core/trust/audit/read-audit-log.ts';
import { verifyLog } from '../../../src-main/core/trust/audit/verify-audit-log.ts';
import { AuditTable } from '../../../src-main/team/audit/audit-table.ts';
import { TeamAuditWriter } from '../../../src-main/team/audit/audit-writer.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { TeamKeys } from '../../../src-main/team/documents/team-keys.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { call, decision, keyBeside } from '../../core/trust/audit/fixture.ts';

interface Place {
  readonly open: () => AuditRecorder;
  readonly keys: () => AuditKeys;
}

const masker = new Masker();
masker.setSecrets(['hunter2-hunter2']);
const now = (): number => 1_767_225_600_000;

const places: Readonly<Record<string, () => Promise<Place>>> = {
  'files of a home': () => {
    const folder = mkdtempSync(join(tmpdir(), 'tooltray-audit-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const open = (): AuditRecorder => new FileAudit({ folder, keys: keyBeside(folder), masker, log: createLog(), now });
    return Promise.resolve({ open, keys: () => keyBeside(folder).get() });
  },
  'a team’s database': async () => {
    const database = new Database({ url: await teamDatabase(), most: 2 });
    onTestFinished(() => database.close());
    const keys = new TeamKeys([Buffer.alloc(32, 5)]).audit();
    const quiet = { warn: () => undefined, info: () => undefined };
    const parts = { keys, seen: new FileJsonDocument('/nowhere'), masker, log: quiet, now };
    return {
      open: () => new TeamAuditWriter({ ...parts, rows: new AuditTable(database.sql) }),
      keys: () => keys,
    };
  },
};

describe.each(Object.entries(places))('in %s', (_, begin) => {
  test('several writers make one chain, read newest first and exported oldest first', async () => {
    const place = await begin();
    for (let writer = 0; writer < 3; writer++) {
      const audit = place.open();
      for (let at = 0; at < 150; at++) audit.note(call({ session: `${writer} ${at}` }));
      audit.note(decision({ id: `d${writer}`, sentence: 'With hunter2-hunter2 \u0000 \ud800 in it.' }));
      await audit.close();
    }
    const { log } = place.open();
    const { publicKey: ownKey } = place.keys();
    const verified = await verifyLog({ log, ownKey });
    expect(verified).toMatchObject({ holds: true, unsigned: 0, first: 1, keys: [ownKey] });
    expect(await verifyLog({ log, ownKey, known: { seq: 1, hash: 'x'.repeat(43) } })).toMatchObject({ holds: false });
    const sessions: string[] = [];
    for await (const { record } of readAll(log, { kinds: ['call'] }, 200))
      if (record.kind === 'call') sessions.push(record.session);
    expect([sessions.at(-1), sessions.length]).toEqual(['2 149', sessions.length]);
    const decided: string[] = [];
    for (let before: number | undefined; ;) {
      const page = await readPage(log, { kinds: ['decision'] }, 2, before);
      for (const record of page.entries)
        if (record.kind === 'decision') decided.push(`${record.id} ${record.sentence}`);
      before = page.next;
      if (before === undefined) break;
    }
    expect(decided.map((text) => text.slice(0, 2))).toEqual(['d2', 'd1', 'd0']);
    expect(decided.join()).not.toContain('hunter2');
  });

  test('stores a digest in place of a text, by which the text is recognized', async () => {
    const place = await begin();
    const audit = place.open();
    audit.note(decision());
    await audit.close();
    expect(audit.digest('said')).toEqual(place.keys().digest('said'));
  });
});
