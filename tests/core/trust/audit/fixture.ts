/** An audit log in a folder of its own. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../../../src-main/core/base/log.ts';
import { Masker } from '../../../../src-main/core/base/mask.ts';
import { FileAudit, type AuditOptions } from '../../../../src-main/core/trust/audit/file-audit.ts';
import type { CallEntry, DecisionEntry } from '../../../../src-main/core/trust/audit/audit-entries.ts';
import { AuditKeys, type KeySource } from '../../../../src-main/core/trust/audit/audit-keys.ts';
import { ensurePrivateDir } from '../../../../src-main/core/base/app-paths.ts';
import { Emitter } from '../../../../src-main/core/base/emitter.ts';
import { readOrCreateToken } from '../../../../src-main/core/security/access-token.ts';
import { type Verification, verifyLog } from '../../../../src-main/core/trust/audit/verify-audit-log.ts';
import { FileAuditLog } from '../../../../src-main/core/trust/audit/audit-segments.ts';

export interface OpenFolder extends Disposable {
  readonly folder: string;
}

export function openFolder(): OpenFolder {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

export function openAudit(folder: string, options: Partial<AuditOptions> = {}): FileAudit {
  const keys = keyBeside(folder);
  const now = (): number => 1_767_225_600_000;
  return new FileAudit({ folder, keys, masker: new Masker(), log: createLog(), now, ...options });
}

interface FileKey extends KeySource {
  get(): AuditKeys;
}

/** A key in the file `key` next to the log. */
export function keyBeside(folder: string): FileKey {
  let keys: AuditKeys | undefined;
  const read = (): AuditKeys => {
    ensurePrivateDir(folder);
    return new AuditKeys(Buffer.from(readOrCreateToken(join(folder, 'key')), 'base64url'));
  };
  return { decided: new Emitter(), get: () => (keys ??= read()) };
}

export function call(over: Partial<CallEntry> = {}): CallEntry {
  return {
    kind: 'call',
    app: 'cursor',
    session: 's1',
    mode: 'proxy',
    server: 'github',
    tool: 'create_issue',
    arguments: { bytes: 12, hmac: 'a'.repeat(43) },
    result: { bytes: 340, hmac: 'b'.repeat(43) },
    outcome: 'ok',
    ms: 12.5,
    ...over,
  };
}

export function decision(over: Partial<DecisionEntry> = {}): DecisionEntry {
  return {
    kind: 'decision',
    about: 'definitions',
    id: 'd1',
    choice: 'accept',
    by: 'dashboard',
    server: 'github',
    sentence: 'New texts of github are in use: create_issue.',
    ...over,
  };
}

/** A closed log of `calls` calls. */
export async function writtenLog(folder: string, calls: number, options: Partial<AuditOptions> = {}): Promise<void> {
  const audit = openAudit(folder, options);
  for (let at = 0; at < calls; at++) audit.note(call({ session: `s${at}` }));
  await audit.close();
}

export function filesOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .map((name) => join(folder, name));
}

/** Lines of the only file, without its last line feed. */
export function linesOf(folder: string): string[] {
  return readFileSync(filesOf(folder)[0] as string, 'utf8')
    .trimEnd()
    .split('\n');
}

export function writeLines(folder: string, lines: readonly string[]): void {
  writeFileSync(filesOf(folder)[0] as string, lines.map((line) => `${line}\n`).join(''));
}

export function verify(folder: string, known?: { seq: number; hash: string }): Promise<Verification> {
  const ownKey = existsSync(join(folder, 'key')) ? keyBeside(folder).get().publicKey : undefined;
  return verifyLog({ log: new FileAuditLog(folder), ownKey, known });
}
