/** Stores of a core: files of a home, or storage shared by replicas. */
import { join } from 'node:path';
import type { Env } from './base/app-paths.ts';
import type { AuditSettings } from './config/app-config.ts';
import { FileJsonDocument, type JsonDocument, MemoryJsonDocument } from './base/json-document.ts';
import { profileTokensFile } from './profiles/profile-tokens.ts';
import { appAccessFile } from './security/app-access.ts';
import type { OpenRecordStore } from './security/record-store.ts';
import type { Log } from './base/log.ts';
import type { Masker } from './base/mask.ts';
import type { StoreHealth } from './health/store-health.ts';
import { createAudit } from './create-audit.ts';
import type { ActivityOptions } from './create-activity.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { openVault } from './secrets/vault.ts';
import type { AuditRecorder } from './trust/audit/audit-log.ts';
import type { SpillStore as AnswerStore, SpillStoreOptions } from './spills/spill-store.ts';
import { DiskSpillStore } from './spills/disk-spill-store.ts';
import { FilePinStore, type PinStore } from './trust/pins/pin-store.ts';

export interface CoreStores {
  /** Undecided requests of models. */
  readonly proposals: JsonDocument;
  /** Decisions, and the data needed to undo them. */
  readonly decisions: JsonDocument;
  /** Permanent data-flow decisions, and the recorded questions. */
  readonly dataFlowDecisions: JsonDocument;
  readonly dataFlowEvents: JsonDocument;
  readonly profileTokens: OpenRecordStore;
  /** Which client apps may connect. */
  readonly appAccess: OpenRecordStore;
  /** Previewed definitions of servers in review; on a desktop until its core ends. */
  readonly looks: JsonDocument;
  /** Accepted definitions of each server. */
  readonly pins: PinStore;
  /** Stores secrets, which must not be in a file in plain text. */
  readonly vault: (env: Env) => SecretStore;
  /** Records decisions, refusals, changes and calls, chained and signed. */
  readonly audit: (parts: AuditDeps) => AuditRecorder;
  /** Further destinations of the record (calls, steps, savings), and whether payloads are retained. */
  readonly record: ActivityOptions;
  /** Large results. */
  readonly spills: (options: SpillStoreOptions) => AnswerStore;
}

export interface AuditDeps {
  readonly vault: SecretStore;
  readonly masker: Masker;
  readonly log: Log;
  readonly health: StoreHealth;
  readonly settings: () => AuditSettings;
}

/** Opens nothing yet. */
export function homeStores(dataDir: string): CoreStores {
  const document = (name: string, empty?: string): JsonDocument =>
    new FileJsonDocument(join(dataDir, `${name}.json`), empty);
  return {
    proposals: document('proposals'),
    decisions: document('decisions'),
    dataFlowDecisions: document('data-flow-decisions'),
    dataFlowEvents: document('data-flow-events', '{}'),
    profileTokens: profileTokensFile(dataDir),
    appAccess: appAccessFile(join(dataDir, 'app-access.json')),
    looks: new MemoryJsonDocument(),
    pins: new FilePinStore(join(dataDir, 'pins')),
    record: { keepsTexts: true },
    vault: (env) => openVault(dataDir, env),
    audit: ({ vault, masker, log, health }) => createAudit(dataDir, vault, masker, log, health),
    spills: (options) => new DiskSpillStore(options),
  };
}
