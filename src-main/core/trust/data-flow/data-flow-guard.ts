/**
 * Asks the user before a call sends data to a destination that only a result named, or sends keys or card numbers.
 * Tracks per session what calls and results name. Every call passes here; a model cannot answer the question.
 */
import { createHash } from 'node:crypto';
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { DataFlowSettings } from '../../config/app-config.ts';
import { awaitWithProgress } from '../../wire/await-with-progress.ts';
import type { Result } from '../../wire/message.ts';
import { scalarOf } from '../../wire/raw-json.ts';
import { type Principal, recordedUser } from '../../security/principal.ts';
import type { ApprovalOutcome, SubmittedApproval, ApprovalQueue } from '../approvals.ts';
import type { Destination } from './destinations.ts';
import type { DataFlowDecisions } from './data-flow-decisions.ts';
import { createApprovalRequest, describeDataFlow, dataFlowRefusal } from './data-flow-messages.ts';
import type { DataFlowOutcome, DataFlowStats } from './data-flow-stats.ts';
import { type FlowSession, FlowSessions } from './flow-sessions.ts';
import { decisionKey, type DataFlowFinding, evaluateCall, type CallInspection, inspectCall } from './evaluate-call.ts';
import { redactSensitive } from './sensitive-data.ts';
import type { Provenance } from './session-provenance.ts';
import { type FlowTool, ToolRoleResolver, type ToolRoles } from './tool-roles.ts';

/** The parts of a call's context used here. */
export interface DataFlowContext {
  readonly principal: Pick<Principal, 'user'>;
  readonly app: string;
  readonly sessionId: string;
  /** Key that groups the calls of one client if no session does (2026-07-28 over HTTP). */
  readonly memoryId?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** Whether the client app can receive a handle, so that the call has no time limit. */
  readonly mayGoOn?: (() => boolean) | undefined;
}

/** A call that may be sent. */
export interface ReleasedCall {
  readonly args: JsonObject | undefined;
  /** Absent if there was nothing to decide. */
  readonly verdict?: DataFlowVerdict;
}

/** The decision on a released call, for the record. */
export interface DataFlowVerdict {
  /**
   * `recorded`: it would have needed approval; `masked`: keys and cards were masked; `allowed before`: by a permanent
   * decision;
   * `allowed once`, `allowed always`: by the user's answer.
   */
  readonly verdict: 'recorded' | 'masked' | 'allowed before' | 'allowed once' | 'allowed always';
  /** The reason: `read`, `unsure`, `secret`. */
  readonly rule: string;
  /** The approval that was answered just now, and where. */
  readonly question?: string;
  readonly by?: string;
}

interface FlowParts {
  readonly settings: () => DataFlowSettings;
  readonly questions: ApprovalQueue;
  readonly decisions: DataFlowDecisions;
  readonly record: DataFlowStats;
  readonly now: () => number;
  /** Returns the display name of an app. */
  readonly nameOfApp: (app: string) => string;
  /** Describes where users decide; absent: on this machine. */
  readonly answerAt?: (() => string) | undefined;
  /** Called with errors that occur outside a call. */
  readonly onTrouble: (error: unknown) => void;
}

/** How long an approval for one call stays usable, and a refusal stays in force, in ms. */
const singleUseTtlMs = 10 * 60_000;
const refusalTtlMs = 60 * 60_000;

export class DataFlowGuard {
  readonly roles: ToolRoleResolver;
  readonly #parts: FlowParts;
  readonly #sessions: FlowSessions;
  /** Outcomes of approvals that already have a handler. */
  readonly #followed = new WeakSet<Promise<ApprovalOutcome>>();

  constructor(parts: FlowParts) {
    this.#parts = parts;
    this.#sessions = new FlowSessions(parts.now, parts.onTrouble);
    this.roles = new ToolRoleResolver(() => parts.settings().roles);
  }

  /**
   * Releases a call: returns its arguments and the decision. Returns synchronously for a call that sends nothing.
   * Throws or rejects with AppError `not_allowed` if the user denied it or did not decide in time, or `cancelled` if
   * the call was cancelled.
   */
  release(
    tool: FlowTool,
    args: JsonObject | undefined,
    context: DataFlowContext,
  ): Promise<ReleasedCall> | ReleasedCall {
    if (this.#parts.settings().mode === 'off') return { args };
    const session = this.#sessions.of(context);
    const roles = this.roles.of(tool);
    if (!roles.sends) {
      session.memory.noteArguments(args);
      return { args };
    }
    const look = inspectCall(roles, args);
    // Most calls go to destinations of earlier calls, which need no search.
    const unknown = look.destinations.filter((to) => !session.memory.isKnownNamed(to));
    if (unknown.length === 0) return this.#decide(tool, args, { ...look, destinations: [] }, [], session, context);
    return this.#trace(tool, args, { ...look, destinations: unknown }, session, context);
  }

  async #trace(
    tool: FlowTool,
    args: JsonObject | undefined,
    look: CallInspection,
    session: FlowSession,
    context: DataFlowContext,
  ): Promise<ReleasedCall> {
    await session.memory.settle();
    const origins: Provenance[] = [];
    for (const to of look.destinations) origins.push(await session.memory.originOf(to, tool.server));
    return this.#decide(tool, args, look, origins, session, context);
  }

  /** Records a result on its way to the caller; a cached result counts as well. */
  recordResult(tool: FlowTool, args: JsonObject | undefined, result: Result, context: DataFlowContext): void {
    if (this.#parts.settings().mode === 'off') return;
    const session = this.#sessions.of(context);
    if (session.once.size > 0 && scalarOf(result, 'resultType') !== 'input_required')
      session.once.delete(callKey(tool, args, context));
    this.#note(session, result, tool.id, tool.server, this.roles.of(tool));
  }

  /** Records what a model read otherwise: a spill, a resource, a prompt, the error of a failed call. */
  recordText(of: string, server: string, read: Result | string, context: DataFlowContext): void {
    if (this.#parts.settings().mode === 'off') return;
    this.#note(this.#sessions.of(context), read, of, server, this.roles.forSource(of, server));
  }

  /** Ends the session. */
  forget(sessionId: string): void {
    this.#sessions.forget(sessionId);
  }

  #note(
    session: FlowSession,
    read: Result | string,
    of: string,
    server: string,
    { foreign, messages }: Pick<ToolRoles, 'foreign' | 'messages'>,
  ): void {
    if (foreign) session.noteRead(read, { of, server, messages, at: this.#parts.now() });
  }

  #decide(
    tool: FlowTool,
    args: JsonObject | undefined,
    look: CallInspection,
    origins: readonly Provenance[],
    session: FlowSession,
    context: DataFlowContext,
  ): Promise<ReleasedCall> | ReleasedCall {
    const { settings, decisions } = this.#parts;
    const { mode, secrets } = settings();
    const findings = evaluateCall(look, origins, this.roles.of(tool), session.memory);
    const open = findings.filter((finding) => !decisions.has(tool.server, decisionKey(finding)));
    const masks = secrets === 'mask' && open.some(({ why }) => why === 'secret');
    const questionable = open.filter(({ why }) => why !== 'secret' || secrets === 'ask');
    const sent = masks ? (withoutSecrets(args) as JsonObject) : args;
    if (masks) this.#noteOutcome(tool, open, context, 'masked');
    const added = look.destinations.filter((_to, at) => origins[at]?.kind === 'new');
    const pass = (verdict?: DataFlowVerdict): ReleasedCall => passed(sent, added, session, verdict);
    if (questionable.length === 0) {
      if (masks) return pass({ verdict: 'masked', rule: 'secret' });
      const decided = findings.filter((finding) => !open.includes(finding));
      return pass(decided.length === 0 ? undefined : { verdict: 'allowed before', rule: ruleOf(decided) });
    }
    const rule = ruleOf(questionable);
    if (mode === 'record') {
      this.#noteOutcome(tool, questionable, context, 'recorded');
      return pass({ verdict: 'recorded', rule });
    }
    if (session.hasOnce(callKey(tool, sent, context))) return pass({ verdict: 'allowed once', rule });
    const refused = questionable.find((finding) => session.hasNo(decisionKey(finding)));
    if (refused !== undefined) throw dataFlowRefusal(tool, [refused], { kind: 'refused' });
    return this.#ask(tool, sent, questionable, session, context).then(({ question, choice, by }) =>
      pass({ verdict: choice === 'always' ? 'allowed always' : 'allowed once', rule, question, by }),
    );
  }

  /** Resolves when the user permits the call. */
  async #ask(
    tool: FlowTool,
    args: JsonObject | undefined,
    findings: readonly DataFlowFinding[],
    session: FlowSession,
    context: DataFlowContext,
  ): Promise<{ readonly question: string; readonly choice: string; readonly by: string }> {
    const { approvalTimeoutMinutes, waitSeconds } = this.#parts.settings();
    const key = callKey(tool, args, context);
    let submitted: SubmittedApproval;
    try {
      submitted = this.#parts.questions.submit(
        createApprovalRequest(
          tool,
          args,
          findings,
          { ...context, appName: this.#parts.nameOfApp(context.app), user: recordedUser(context.principal) },
          key,
          approvalTimeoutMinutes * 60_000,
        ),
      );
    } catch (error) {
      throw error instanceof AppError && error.code === 'session_limit'
        ? dataFlowRefusal(tool, findings, { kind: 'not asked' })
        : error;
    }
    this.#follow(submitted, tool, findings, session, context, key);
    const waitMs = context.mayGoOn?.() === true ? approvalTimeoutMinutes * 60_000 : waitSeconds * 1000;
    const answer = await waitFor(submitted, waitMs, context);
    const { id } = submitted.question;
    if (answer?.how === 'answered' && answer.choice !== 'no')
      return { question: id, choice: answer.choice, by: answer.by };
    if (answer?.how === 'answered') throw dataFlowRefusal(tool, findings, { kind: 'refused', id });
    this.#noteOutcome(tool, findings, context, 'unanswered');
    throw dataFlowRefusal(tool, findings, { kind: 'unanswered', id, at: this.#parts.answerAt?.() });
  }

  /** Applies the user's decision even if no call waits for it any more. */
  #follow(
    { answer }: SubmittedApproval,
    tool: FlowTool,
    findings: readonly DataFlowFinding[],
    session: FlowSession,
    context: DataFlowContext,
    key: string,
  ): void {
    if (this.#followed.has(answer)) return;
    this.#followed.add(answer);
    void answer.then((given) => {
      if (given.how !== 'answered') return;
      const keys = findings.map(decisionKey);
      this.#noteOutcome(tool, findings, context, given.choice === 'no' ? 'refused' : 'allowed');
      if (given.choice === 'no') for (const one of keys) session.no.set(one, given.at + refusalTtlMs);
      if (given.choice === 'once') session.once.set(key, given.at + singleUseTtlMs);
      if (given.choice !== 'always') return;
      const { at, by } = given;
      const decided = keys.map((destination) => ({ server: tool.server, destination, at, app: context.app, by }));
      this.#parts.decisions.add(decided).catch(this.#parts.onTrouble);
    });
  }

  #noteOutcome(
    tool: FlowTool,
    findings: readonly DataFlowFinding[],
    { app }: DataFlowContext,
    outcome: DataFlowOutcome,
  ): void {
    const sentence = describeDataFlow(tool, findings, this.#parts.nameOfApp(app));
    this.#parts.record.record({ at: this.#parts.now(), app, tool: tool.id, sentence, outcome });
  }
}

/** `added`: new destinations, which from now on count as the session's own. */
function passed(
  args: JsonObject | undefined,
  added: readonly Destination[],
  { memory }: FlowSession,
  verdict: DataFlowVerdict | undefined,
): ReleasedCall {
  memory.noteArguments(args);
  for (const to of added) memory.noteSent(to);
  return { args, ...(verdict && { verdict }) };
}

function ruleOf(findings: readonly DataFlowFinding[]): string {
  return [...new Set(findings.map(({ why }) => why))].join(', ');
}

/** Identifies a call, so that a retry is recognized. */
function callKey({ id }: FlowTool, args: JsonObject | undefined, { memoryId, sessionId }: DataFlowContext): string {
  return createHash('sha256')
    .update(JSON.stringify([memoryId ?? sessionId, id, args ?? {}]))
    .digest('base64');
}

function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return redactSensitive(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets(item)]));
}

/** The outcome; undefined after the time limit. */
async function waitFor(
  { answer, question }: SubmittedApproval,
  limitMs: number,
  context: DataFlowContext,
): Promise<ApprovalOutcome | undefined> {
  const over = Promise.withResolvers<undefined>();
  const late = setTimeout(() => over.resolve(undefined), limitMs);
  const message = (): string => `Waiting for the user to decide approval ${question.id} in Tooltray`;
  try {
    return await awaitWithProgress(Promise.race([answer, over.promise]), { limitMs, message }, context);
  } finally {
    clearTimeout(late);
  }
}
