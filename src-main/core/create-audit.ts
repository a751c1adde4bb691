/** Connects a core's parts with its audit. */
import { join } from 'node:path';
import type { SelfHealing } from './admin/self-healing.ts';
import type { AdminEvent, ServerAdmin } from './admin/server-admin.ts';
import { errorText, toAppError } from './base/errors.ts';
import type { Log } from './base/log.ts';
import type { Masker } from './base/mask.ts';
import type { StoreHealth } from './health/store-health.ts';
import type { ConfigStore } from './config/config-store.ts';
import type { ProfileTokenStore } from './profiles/profile-tokens.ts';
import type { AppAccessStore } from './security/app-access.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { FileAudit } from './trust/audit/file-audit.ts';
import type { AuditRecorder } from './trust/audit/audit-log.ts';
import { VaultKey } from './trust/audit/audit-keys.ts';
import { ConfigChangeAuditor } from './trust/audit/config-change-auditor.ts';
import { describeChanges } from './trust/pins/pinned-definitions.ts';
import type { DataFlowDecision, DataFlowDecisions } from './trust/data-flow/data-flow-decisions.ts';
import { describeAllowed } from './trust/inbox/approval-source.ts';
import { PinRegistry } from './trust/pins/pin-registry.ts';
import type { PinStore } from './trust/pins/pin-store.ts';
import type { PinPolicy } from './trust/pins/pin-rules.ts';
import type { ClosedApproval, ApprovalQueue } from './trust/approvals.ts';

export function createAudit(
  dataDir: string,
  vault: SecretStore,
  masker: Masker,
  log: Log,
  health?: StoreHealth,
): FileAudit {
  const folder = join(dataDir, 'audit');
  return new FileAudit({ folder, keys: new VaultKey(vault), masker, log, health, now: Date.now });
}

interface Audited {
  readonly questions: ApprovalQueue;
  readonly decisions: DataFlowDecisions;
  readonly config: ConfigStore;
  readonly admin: ServerAdmin;
  readonly healing: SelfHealing;
}

/** Until the returned function is called. */
export function auditCoreEvents(
  audit: AuditRecorder,
  { config, questions, decisions, admin, healing }: Audited,
): () => Promise<void> {
  const watch = new ConfigChangeAuditor(audit);
  void watch.check(config.current);
  const stops = [
    config.changed.on((next) => void watch.check(next)),
    admin.recorded.on((note) => noteAdmin(audit, note)),
    questions.ended.on((ended) => noteAnswer(audit, ended)),
    decisions.revoked.on((gone) => noteTakenBack(audit, gone)),
    healing.applied.on(({ server, sentence, by }) =>
      audit.note({ kind: 'decision', about: 'launch', id: server, choice: 'accept', by, server, sentence }),
    ),
  ];
  return () => {
    for (const stop of stops) stop();
    return watch.idle();
  };
}

function noteAdmin(audit: AuditRecorder, { author, what, failure, decided }: AdminEvent): void {
  const { app, sessionId: session, tool } = author;
  if (failure !== undefined) {
    const { code } = toAppError(failure);
    audit.note({ kind: 'refusal', of: 'change', code, sentence: `${what} ${errorText(failure)}`, app, session, tool });
  } else if (decided !== undefined) {
    const { id, choice, by } = decided;
    const asker = by === 'person' ? {} : { app, session, tool };
    audit.note({
      kind: 'decision',
      about: ofProposals.has(choice) ? 'proposal' : 'server',
      id,
      choice,
      by,
      sentence: what,
      ...asker,
    });
  }
}

/** Events about proposals; all other events are about a server. */
const ofProposals: ReadonlySet<string> = new Set(['asked', 'done', 'approve', 'reject']);

/** The details of an approval are payloads, so only its sentence is recorded. */
function noteAnswer(audit: AuditRecorder, { question, answer }: ClosedApproval): void {
  const { id, app, sessionId: session, server, tool, sentence } = question;
  const choice = answer.how === 'answered' ? answer.choice : answer.how;
  const by = answer.how === 'answered' ? answer.by : 'policy';
  audit.note({ kind: 'decision', about: 'question', id, choice, by, sentence, app, session, server, tool });
}

function noteTakenBack(audit: AuditRecorder, gone: readonly DataFlowDecision[]): void {
  const id = gone.map(({ server, destination }) => `${server} ${destination}`).join(', ');
  const sentence = `Taken back: ${describeAllowed(gone)}`;
  audit.note({
    kind: 'decision',
    about: 'question',
    id,
    choice: 'undo',
    by: 'person',
    server: gone[0]?.server,
    sentence,
  });
}

export function createPinRegistry(store: PinStore, audit: AuditRecorder, config: ConfigStore, log: Log): PinRegistry {
  const noted = notePins(audit);
  return new PinRegistry(store, {
    ...noted,
    onChange: () => config.current.reviews.onChange,
    onPassed: (server, changes) => {
      log.child(server).info(`Its definitions changed: ${describeChanges(changes)}.`);
      noted.onPassed(server, changes);
    },
    onWarning: (server, text) => log.child(server).warn(text),
    now: Date.now,
  });
}

/** Records changes of a server's definitions and the user's decisions on them. */
function notePins(audit: AuditRecorder): Pick<PinPolicy, 'onPassed' | 'onHeld' | 'onDecided'> {
  const note = (server: string, change: 'sent different instructions' | 'waits for review', sentence: string): void =>
    audit.note({ kind: 'server', change, server, sentence });
  return {
    onPassed: (server, changes) => note(server, 'sent different instructions', `${describeChanges(changes)}.`),
    onHeld: (server, changes) => note(server, 'waits for review', `${describeChanges(changes)}.`),
    onDecided: (server, { id, choice, by, decided }, isUndone) => {
      const names = Object.keys(decided).map((key) => key.slice(key.indexOf(':') + 1) || 'its instructions');
      const what = `${choice === 'accept' ? 'New' : 'Accepted'} texts of ${server} are in use: ${names.join(', ')}.`;
      const sentence = isUndone ? `Taken back: ${what}` : what;
      const made = { about: 'definitions', id, by: isUndone ? 'person' : by, server, sentence } as const;
      audit.note({ kind: 'decision', ...made, choice: isUndone ? 'undo' : choice, canUndo: !isUndone });
    },
  };
}

/** Returns a function that stops it. */
export function auditAppAccess(audit: AuditRecorder, store: AppAccessStore): () => void {
  return store.changed.on(({ app, change }) => audit.note({ kind: 'access', app, change }));
}

/** Returns a function that stops it. */
export function auditProfileTokens(audit: AuditRecorder, tokens: ProfileTokenStore): () => void {
  return tokens.changed.on(({ change, token: { id, profile, expiresAt } }) => {
    const until = change === 'given' ? ` It ends on ${new Date(expiresAt).toISOString().slice(0, 10)}.` : '';
    const sentence = `Token ${id} of the profile ${profile} was ${change}.${until}`;
    audit.note({ kind: 'access', change, profile, token: id, sentence });
  });
}
