/** The audit of a core: who tells it what. */
import { join } from 'node:path';
import type { Healing } from './admin/healing.ts';
import type { AdminNote, ServerAdmin } from './admin/server-admin.ts';
import { errorText, toAppError } from './base/errors.ts';
import type { Log } from './base/log.ts';
import type { Masker } from './base/mask.ts';
import type { StoreHealth } from './health/store-health.ts';
import type { ConfigStore } from './config/config-store.ts';
import type { ProfileTokens } from './profiles/profile-tokens.ts';
import type { AppAccessStore } from './security/app-access.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { Audit } from './trust/audit/audit.ts';
import type { AuditBook } from './trust/audit/audit-log.ts';
import { VaultKey } from './trust/audit/keys.ts';
import { ConfigWatch } from './trust/audit/config-watch.ts';
import { describeChanges } from './trust/pins/offer.ts';
import type { FlowDecision, FlowDecisions } from './trust/flow/flow-decisions.ts';
import { tellAllowed } from './trust/inbox/question-items.ts';
import { PinBook } from './trust/pins/pin-book.ts';
import type { PinShelf } from './trust/pins/pin-file.ts';
import type { PinRules } from './trust/pins/pin-rules.ts';
import type { EndedQuestion, Questions } from './trust/questions.ts';

export function openAudit(dataDir: string, vault: SecretStore, masker: Masker, log: Log, health?: StoreHealth): Audit {
  const folder = join(dataDir, 'audit');
  return new Audit({ folder, keys: new VaultKey(vault), masker, log, health, now: Date.now });
}

interface Audited {
  readonly questions: Questions;
  readonly decisions: FlowDecisions;
  readonly config: ConfigStore;
  readonly admin: ServerAdmin;
  readonly healing: Healing;
}

/** Until the returned function is called. */
export function followCore(
  audit: AuditBook,
  { config, questions, decisions, admin, healing }: Audited,
): () => Promise<void> {
  const watch = new ConfigWatch(audit);
  void watch.look(config.current);
  const stops = [
    config.changed.on((next) => void watch.look(next)),
    admin.noted.on((note) => noteAdmin(audit, note)),
    questions.ended.on((ended) => noteAnswer(audit, ended)),
    decisions.takenBack.on((gone) => noteTakenBack(audit, gone)),
    healing.healed.on(({ server, sentence, by }) =>
      audit.note({ kind: 'decision', about: 'launch', id: server, choice: 'accept', by, server, sentence }),
    ),
  ];
  return () => {
    for (const stop of stops) stop();
    return watch.idle();
  };
}

function noteAdmin(audit: AuditBook, { author, what, failure, decided }: AdminNote): void {
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

/** What is said to anything else is said of a server. */
const ofProposals: ReadonlySet<string> = new Set(['asked', 'done', 'approve', 'reject']);

/** Details of a question are texts of calls: its sentence is what is kept. */
function noteAnswer(audit: AuditBook, { question, answer }: EndedQuestion): void {
  const { id, app, sessionId: session, server, tool, sentence } = question;
  const choice = answer.how === 'answered' ? answer.choice : answer.how;
  const by = answer.how === 'answered' ? answer.by : 'policy';
  audit.note({ kind: 'decision', about: 'question', id, choice, by, sentence, app, session, server, tool });
}

function noteTakenBack(audit: AuditBook, gone: readonly FlowDecision[]): void {
  const id = gone.map(({ server, destination }) => `${server} ${destination}`).join(', ');
  const sentence = `Taken back: ${tellAllowed(gone)}`;
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

export function openPins(shelf: PinShelf, audit: AuditBook, config: ConfigStore, log: Log): PinBook {
  const noted = notePins(audit);
  return new PinBook(shelf, {
    ...noted,
    onChange: () => config.current.reviews.onChange,
    onPassed: (server, changes) => {
      log.child(server).info(`What it says changed: ${describeChanges(changes)}.`);
      noted.onPassed(server, changes);
    },
    onOddity: (server, text) => log.child(server).warn(text),
    now: Date.now,
  });
}

/** What the pins tell of a server's texts and of the person's word on them. */
function notePins(audit: AuditBook): Pick<PinRules, 'onPassed' | 'onHeld' | 'onDecided'> {
  const note = (server: string, change: 'said other things' | 'waits for review', sentence: string): void =>
    audit.note({ kind: 'server', change, server, sentence });
  return {
    onPassed: (server, changes) => note(server, 'said other things', `${describeChanges(changes)}.`),
    onHeld: (server, changes) => note(server, 'waits for review', `${describeChanges(changes)}.`),
    onDecided: (server, { id, choice, by, decided }, isUndone) => {
      const names = Object.keys(decided).map((key) => key.slice(key.indexOf(':') + 1) || 'what it says of itself');
      const what = `${choice === 'accept' ? 'New' : 'Accepted'} texts of ${server} are in use: ${names.join(', ')}.`;
      const sentence = isUndone ? `Taken back: ${what}` : what;
      const made = { about: 'definitions', id, by: isUndone ? 'person' : by, server, sentence } as const;
      audit.note({ kind: 'decision', ...made, choice: isUndone ? 'undo' : choice, canUndo: !isUndone });
    },
  };
}

/** Returns how to stop. */
export function followAccess(audit: AuditBook, store: AppAccessStore): () => void {
  return store.changed.on(({ app, change }) => audit.note({ kind: 'access', app, change }));
}

/** Returns how to stop. */
export function followTokens(audit: AuditBook, tokens: ProfileTokens): () => void {
  return tokens.changed.on(({ change, token: { id, profile, ends } }) => {
    const until = change === 'given' ? ` It ends on ${new Date(ends).toISOString().slice(0, 10)}.` : '';
    const sentence = `Token ${id} of the profile ${profile} was ${change}.${until}`;
    audit.note({ kind: 'access', change, profile, token: id, sentence });
  });
}
