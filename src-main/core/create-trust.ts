/** Safety parts of a core: secrets, audit, pinned definitions, the data-flow check, the scanner. */
import { SystemKeychain } from './secrets/keychain.ts';
import { SecretService } from './secrets/secret-service.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import type { ServerReviews } from './admin/server-reviews.ts';
import { CallAuditor } from './calls/audit-call.ts';
import type { CoreContext, Edition } from './core-context.ts';
import type { CoreStores } from './core-stores.ts';
import { createPinRegistry } from './create-audit.ts';
import { createDataFlow, type DataFlow } from './create-data-flow.ts';
import { HomeWatch } from './home-watch.ts';
import type { AuditRecorder } from './trust/audit/audit-log.ts';
import type { Inbox } from './trust/inbox/inbox.ts';
import { FileDigestCache } from './trust/pins/file-digest-cache.ts';
import type { PinRegistry } from './trust/pins/pin-registry.ts';
import { ScanThread } from './trust/scan/scan-thread.ts';

/** Safety of a core, and the decisions that wait for the user. */
export interface TrustGroup extends SafetyParts {
  /** Servers that the user has to review; accessible only to users. */
  readonly reviews: ServerReviews;
  /** All decisions that wait for the user; no session and no mode has access to it. */
  readonly inbox: Inbox;
}

/** The parts that need no server. */
interface SafetyParts {
  /** Stores secrets, which must not be in a file in plain text; accessible only to users and launches. */
  readonly vault: SecretStore;
  /** The user's operations on secrets; no session or mode has access. */
  readonly secrets: SecretService;
  /** Facts about the home's files. */
  readonly home: HomeWatch;
  /** Records decisions, refusals, changes and calls, chained and signed. */
  readonly audit: AuditRecorder;
  /** Passes calls on to the audit log. */
  readonly callAuditor: CallAuditor;
  /** Definitions that the user accepted, by server. */
  readonly pins: PinRegistry;
  /** SHA-256 digests of the servers' program files. */
  readonly fileDigests: FileDigestCache;
  /** Checks outgoing data against what was read; pending questions and the user's decisions. */
  readonly dataFlow: DataFlow;
  /** Scans texts of servers for the patterns of attacks. */
  readonly scans: ScanThread;
}

export function createSafety(
  { paths, env, config, log, masker, health }: CoreContext,
  stores: CoreStores,
  answerAt: Edition['approvalLocation'] | undefined,
): SafetyParts {
  const vault = stores.vault(env);
  const audit = stores.audit({ vault, masker, log: log.child('audit'), health, settings: config.reader('audit') });
  return {
    vault,
    secrets: new SecretService({
      vault,
      config,
      folders: [paths.dataDir, paths.logDir],
      keychain: new SystemKeychain(env),
    }),
    home: new HomeWatch(paths, vault),
    audit,
    callAuditor: new CallAuditor(audit),
    pins: createPinRegistry(stores.pins, audit, config, log),
    fileDigests: new FileDigestCache(),
    dataFlow: createDataFlow({ stores, settings: config.reader('dataFlow'), answerAt, log: log.child('flow') }),
    scans: new ScanThread(),
  };
}
