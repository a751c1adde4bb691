/** Where a core keeps what it has to remember: files of a home, or what the replicas of a team share. */
import { join } from 'node:path';
import type { Env } from './base/app-paths.ts';
import { FileJsonDocument, type JsonDocument, MemoryJsonDocument } from './base/kept-document.ts';
import { profileTokensFile } from './profiles/profile-tokens.ts';
import { appAccessFile } from './security/app-access.ts';
import type { OpenRecordStore } from './security/private-records.ts';
import type { Log } from './base/log.ts';
import type { Masker } from './base/mask.ts';
import type { StoreHealth } from './health/store-health.ts';
import { createAudit } from './open-audit.ts';
import type { ActivityOptions } from './open-record.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { openVault } from './secrets/vault.ts';
import type { AuditRecorder } from './trust/audit/audit-log.ts';
import type { SpillStore as AnswerStore, SpillStoreOptions } from './spills/answer-store.ts';
import { DiskSpillStore } from './spills/spill-store.ts';
import { FilePinStore, type PinStore } from './trust/pins/pin-file.ts';

export interface CoreStores {
  /** What models asked for and nobody has decided. */
  readonly proposals: JsonDocument;
  /** What was decided, and what it takes to take it back. */
  readonly decisions: JsonDocument;
  /** What was decided for good about what leaves, and what was asked about it. */
  readonly flowDecisions: JsonDocument;
  readonly flowRecord: JsonDocument;
  readonly profileTokens: OpenRecordStore;
  /** Which client apps may connect. */
  readonly appAccess: OpenRecordStore;
  /** What servers in review listed when a person asked; of a desktop until its core ends. */
  readonly looks: JsonDocument;
  /** What was accepted of each server. */
  readonly pins: PinStore;
  /** What must not stand in a file as it is. */
  readonly vault: (env: Env) => SecretStore;
  /** What was decided, refused, changed and called, chained and signed. */
  readonly audit: (parts: AuditDeps) => AuditRecorder;
  /** Where the record goes besides (calls, steps, savings), and whether what was said in calls is kept. */
  readonly record: ActivityOptions;
  /** Answers that do not fit. */
  readonly answers: (options: SpillStoreOptions) => AnswerStore;
}

export interface AuditDeps {
  readonly vault: SecretStore;
  readonly masker: Masker;
  readonly log: Log;
  readonly health: StoreHealth;
}

/** Opens nothing yet. */
export function homeStores(dataDir: string): CoreStores {
  const document = (name: string, empty?: string): JsonDocument =>
    new FileJsonDocument(join(dataDir, `${name}.json`), empty);
  return {
    proposals: document('proposals'),
    decisions: document('decisions'),
    flowDecisions: document('flow-decisions'),
    flowRecord: document('flow-record', '{}'),
    profileTokens: profileTokensFile(dataDir),
    appAccess: appAccessFile(join(dataDir, 'app-access.json')),
    looks: new MemoryJsonDocument(),
    pins: new FilePinStore(join(dataDir, 'pins')),
    record: { keepsTexts: true },
    vault: (env) => openVault(dataDir, env),
    audit: ({ vault, masker, log, health }) => createAudit(dataDir, vault, masker, log, health),
    answers: (options) => new DiskSpillStore(options),
  };
}
