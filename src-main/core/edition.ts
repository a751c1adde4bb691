/** Everything that an edition may use of the core besides `base`; held by tests/architecture. */
export type { ActivityLog } from './activity/activity-log.ts';
export type { SqlStatement } from './activity/activity-worker/questions.ts';
export type { StepSearch, StepTotals } from './activity/activity-worker/step-search.ts';
export { maxMeasuredCalls, outcomeCounts, type OutcomeCounts, type ServerLatency } from './activity/call-charts.ts';
export { type CallOutcome, callOutcomes, type CallRecord, isProblem, isProblemIn } from './activity/call-record.ts';
export type { Cause } from './activity/ledger/ledger-entry.ts';
export { type CauseSum, type SavingsQuery, type SavingsReport } from './activity/ledger/ledger-table.ts';
export { buildReport } from './activity/ledger/ledger.ts';
export { hourMs, hourOffsetMs } from './activity/local-time.ts';
export type { StepKind } from './activity/steps/step.ts';
export type { Admission, AdmitCall, CallerContext } from './calls/call-tool.ts';
export { describeLabels } from './calls/describe-labels.ts';
export { calledTool } from './calls/slow-calls.ts';
export type { CatalogEntry } from './catalog/catalog.ts';
export type { LiveCatalog } from './catalog/live-catalog.ts';
export { displayNameOf } from './client-apps/app-traits.ts';
export type { ConfigProblem, NamedQuota, ResultSettings } from './config/app-config.ts';
export type {
  HttpServerConfig,
  Isolation,
  ServerConfig,
  StdioServerConfig,
  TokenExchange,
} from './config/server-config.ts';
export type { ConfigStore } from './config/config-store.ts';
export { applyLayers, encodeSubject } from './config/layers/apply-layers.ts';
export { placementOf } from './config/placement.ts';
export { userValueNamesIn } from './config/replace-variables.ts';
export { coreGroups, type CoreGroups } from './core-groups.ts';
export type { CoreStores } from './core-stores.ts';
export { createProfileScope, everything, grantOf, readOnlyProfile } from './profiles/profile-scope.ts';
export { parseSecretVaultKey, resolveSecrets, secretVaultKey } from './secrets/resolve-secrets.ts';
export { generateKey, keyId, parseKey, seal, unseal } from './secrets/sealing.ts';
export { validateSecret } from './secrets/secret-service.ts';
export { type SecretStore, serverSecretPrefix, type VaultStatus } from './secrets/secret-store.ts';
export { isWholeUser, localUser, type Person, type Principal } from './security/principal.ts';
export { type ProtectedPaths, tooltrayPaths } from './security/protected-paths.ts';
export { type OpenRecordStore, parseRecords, type RecordStore } from './security/record-store.ts';
export { isCommonVariable } from './servers/launch/common-variables.ts';
export type { ResolvedEnv } from './servers/launch/find-command.ts';
export type { LaunchPolicy } from './servers/launch/launch-policy.ts';
export type { ProcessRegistry } from './servers/launch/process-registry.ts';
export { EnvironmentResolver } from './servers/launch/resolve-environment.ts';
export { Containers } from './servers/launch/sandbox/containers.ts';
export { ServerSandboxes } from './servers/launch/sandbox/server-sandboxes.ts';
export { isUnconfined, requiredIsolation } from './servers/launch/sandbox/required-isolation.ts';
export type { ManagedServer } from './servers/managed-server.ts';
export { HttpFetch } from './servers/network/http-fetch.ts';
export { callbackPageHeaders, escapeHtml, renderCallbackPage } from './servers/oauth/callback-page.ts';
export { clientMetadataDocument } from './servers/oauth/client-metadata-document.ts';
export {
  type GrantStore,
  grantVaultKey,
  parseAuthorization,
  serializeAuthorization,
} from './servers/oauth/grant-store.ts';
export { oauthError } from './servers/oauth/oauth-errors.ts';
export { OAuthManager } from './servers/oauth/oauth-manager.ts';
export type { AuthorizationState } from './servers/oauth/pending-authorization.ts';
export { isSafeUrl } from './servers/oauth/safe-urls.ts';
export type { ServerOAuth, TokenSource } from './servers/oauth/server-oauth.ts';
export type { PerUserAccess } from './servers/per-user-sign-in.ts';
export type { OpenUserTransport } from './servers/server-deps.ts';
export type { ServerManager } from './servers/server-manager.ts';
export { LazyTransport, type ResolveSecretsFn, serverLogFile } from './servers/transports/create-transport.ts';
export { ServerLog } from './servers/transports/server-log.ts';
export { StdioTransport } from './servers/transports/stdio-transport.ts';
export {
  httpRefusal,
  type HttpRefusal,
  idOf,
  parseBody,
  readTextBody,
  refusalOf,
  requestPath,
  retryLater,
} from './sessions/http/http-io.ts';
export type { Authenticated, HttpListener } from './sessions/http/http-listener.ts';
export type { InboundRequest } from './sessions/http/inbound-request.ts';
export type { SessionServices } from './sessions/session-settings.ts';
export { HomeLock } from './sessions/socket/home-lock.ts';
export { catalogAt, type Endpoint, parseEndpoint } from './sessions/views/endpoint.ts';
export { chunksOf } from './spills/disk-spill-store.ts';
export { idIn, SpillFinder, spillNotFoundError } from './spills/spill-finder.ts';
export { ReadCounts, type SpillFilter } from './spills/spill-index.ts';
export type { Pruned } from './spills/spill-pruner.ts';
export { type NamedSpill, spillResult } from './spills/spill-result.ts';
export type { SpillFile, SpillStore, SpillStoreOptions, SpillUsage } from './spills/spill-store.ts';
export { type Excerpt, toSpillError } from './spills/spill-writer-messages.ts';
export { ResultWriter, spillWriterUrl } from './spills/spill-writer.ts';
export {
  type OpenedSpill,
  type OriginalResult,
  type Spill,
  type SpilledResult,
  spillFileName,
  type SpillKind,
  type SpillOrigin,
  spillUri,
  tempFileStem,
} from './spills/spill.ts';
export { AuditBatch, PendingEntries, type PendingEntry } from './trust/audit/audit-batch.ts';
export type { AuditEntry, AuditRecord, Digest } from './trust/audit/audit-entries.ts';
export { AuditKeys } from './trust/audit/audit-keys.ts';
export type { AuditLog, AuditRecorder, OpenLog, SignedHead } from './trust/audit/audit-log.ts';
export { exportRecords, type LogTarget } from './trust/audit/export-otlp.ts';
export type { RecordLine } from './trust/audit/read-audit-log.ts';
export { describeRecord } from './trust/audit/describe-record.ts';
export { type ChainLink, genesisLink, maxUnsigned, parseLine, parseRecord } from './trust/audit/hash-chain.ts';
export type { DecisionResult, InboxItem } from './trust/inbox/inbox-item.ts';
export type { Inbox } from './trust/inbox/inbox.ts';
export {
  maxPinnedServers,
  parsePins,
  pinName,
  type PinnedServer,
  type PinStore,
  serializePins,
  type ServerPinStore,
} from './trust/pins/pin-store.ts';
export type { ConnectionBudgets } from './wire/byte-budget.ts';
export { isRequest, type Message, type Result, rpcCode, type RpcRequest } from './wire/message.ts';
export type { RawJson } from './wire/raw-json.ts';
export type { SendOptions, Transport, TransportHandlers } from './wire/transport.ts';
