/**
 * Examines all files of a home: its folders, and the data that protects the user (audit, pinned definitions,
 * approvals).
 */
import { tryParsePlainJson } from './base/json.ts';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppPaths } from './base/app-paths.ts';
import { errorText, toAppError } from './base/errors.ts';
import { ConfigApproval, lostSentence } from './config/config-approval.ts';
import { examineFolders } from './health/examine-folders.ts';
import type { FileFacts, HomeFacts } from './health/findings.ts';
import { acceptanceKey } from './secrets/acceptance-key.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { AuditKeys } from './trust/audit/audit-keys.ts';
import { FileAuditLog } from './trust/audit/audit-segments.ts';
import { verifyLog } from './trust/audit/verify-audit-log.ts';
import { unreadablePins } from './trust/pins/pin-store.ts';

/** Never rejects: a failing check is a result itself. `withAudit`: verifies the whole audit log. */
export async function examineHome(
  paths: AppPaths,
  vault: SecretStore,
  { withAudit = true }: { readonly withAudit?: boolean } = {},
): Promise<HomeFacts> {
  const { dataDir } = paths;
  const [home, ...files] = await Promise.all([
    examineFolders(paths),
    guarded(join(dataDir, 'audit'), () =>
      withAudit ? auditFacts(join(dataDir, 'audit'), vault) : Promise.resolve([]),
    ),
    guarded(join(dataDir, 'pins'), () => pinFacts(join(dataDir, 'pins'))),
    guarded(dataDir, () => documentFacts(dataDir)),
    guarded(join(dataDir, 'accepted-config.json'), () => acceptedFacts(join(dataDir, 'accepted-config.json'), vault)),
  ]);
  return { folders: home.folders, files: [...home.files, ...files.flat()] };
}

async function guarded(path: string, look: () => Promise<readonly FileFacts[]>): Promise<readonly FileFacts[]> {
  try {
    return await look();
  } catch (error) {
    const fix = 'Check that the file is yours and readable.';
    return [{ path, level: 'problem', summary: `${path} could not be checked: ${errorText(error)}`, fix }];
  }
}

async function auditFacts(folder: string, vault: SecretStore): Promise<readonly FileFacts[]> {
  const keys = await AuditKeys.inVault(vault).catch((error: unknown) => {
    if (toAppError(error).code === 'secret_locked') return 'locked' as const;
    throw error;
  });
  const isLocked = keys === 'locked';
  const ownKey = isLocked ? undefined : keys?.publicKey;
  const { holds, found, findings, records } = await verifyLog({ log: new FileAuditLog(folder), ownKey, isLocked });
  if (holds || records + found === 0) return [];
  const more = found > 1 ? ` and ${found - 1} more` : '';
  const summary = `The audit log in ${folder} failed verification: ${findings[0]?.sentence ?? ''}${more}`;
  return [{ path: folder, level: 'problem', summary, fix: 'See: tooltray audit verify' }];
}

async function pinFacts(folder: string): Promise<readonly FileFacts[]> {
  return (await unreadablePins(folder)).map((path) => ({
    path,
    level: 'problem',
    summary: `The record of pinned definitions ${path} is damaged.`,
    fix: 'Review the affected servers in the inbox: tooltray inbox',
  }));
}

/** JSON files with invalid content, which is not in use. Files with a check of their own are excluded. */
async function documentFacts(folder: string): Promise<readonly FileFacts[]> {
  const names = await readdir(folder).catch(() => []);
  const documents = names.filter((name) => name.endsWith('.json') && name !== 'accepted-config.json');
  const facts = documents.map(async (name): Promise<readonly FileFacts[]> => {
    const path = join(folder, name);
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined || tryParsePlainJson(text) !== undefined) return [];
    const fix = 'Stop Tooltray, then restore a backup or remove the file.';
    return [{ path, level: 'problem', summary: `${path} is damaged; its content is not used.`, fix }];
  });
  return (await Promise.all(facts)).flat();
}

async function acceptedFacts(path: string, vault: SecretStore): Promise<readonly FileFacts[]> {
  const lost = await new ConfigApproval(path, false, acceptanceKey(vault)).lost();
  if (lost === undefined) return [];
  const fix =
    lost === 'locked'
      ? 'Unlock it: tooltray secret unlock'
      : 'Review the pending items and approve them again: tooltray inbox';
  return [{ path, level: 'problem', summary: `${lostSentence(lost)} It is ${path}.`, fix }];
}
