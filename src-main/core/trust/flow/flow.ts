/**
 * Asks the user before a call sends something to a destination that only a result named, or sends keys or card numbers. Notes in
 * each session what calls and results name. Every call passes here, in the pipeline; no model can answer what is asked.
 */
import { createHash } from 'node:crypto';
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { FlowSettings } from '../../config/app-config.ts';
import { awaitTelling } from '../../wire/await-telling.ts';
import type { Result } from '../../wire/message.ts';
import { fact } from '../../wire/raw-json.ts';
import { type Principal, userOnRecord } from '../../security/principal.ts';
import type { Answer, AskedQuestion, Questions } from '../questions.ts';
import type { Destination } from './destinations.ts';
import type { FlowDecisions } from './flow-decisions.ts';
import { flowQuestion, flowSentence, refusal } from './flow-question.ts';
import type { FlowOutcome, FlowRecord } from './flow-record.ts';
import { type FlowSession, FlowSessions } from './flow-sessions.ts';
import { decisionKey, type Finding, judgeCall, type Look, lookAtCall } from './judge-call.ts';
import { withoutSensitive } from './sensitive.ts';
import type { Origin } from './session-memory.ts';
import { type FlowTool, RolesOfTools, type ToolRoles } from './tool-roles.ts';

/** Of a call's context, what is needed here. */
export interface FlowContext {
  readonly principal: Pick<Principal, 'tenant' | 'user'>;
  readonly app: string;
  readonly sessionId: string;
  /** What belongs together where a session is not all of it (2026-07-28 over HTTP). */
  readonly memoryId?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** Its client app can be given a handle, so that a call may take as long as it takes. */
  readonly mayGoOn?: (() => boolean) | undefined;
}

/** What a call goes out with. */
export interface Released {
  readonly args: JsonObject | undefined;
  /** Absent where there was nothing to decide. */
  readonly verdict?: FlowVerdict;
}

/** What was decided of a call that went out, for the record. */
export interface FlowVerdict {
  /**
   * `recorded`: it would have been asked for; `masked`: keys and cards were; `allowed before`: it was decided for good; `allowed once`,
   * `allowed always`: what the person said.
   */
  readonly verdict: 'recorded' | 'masked' | 'allowed before' | 'allowed once' | 'allowed always';
  /** Why it came to that: `read`, `unsure`, `secret`. */
  readonly rule: string;
  /** The question that was answered, where there was one just now, and where that was. */
  readonly question?: string;
  readonly by?: string;
}

interface FlowParts {
  readonly settings: () => FlowSettings;
  readonly questions: Questions;
  readonly decisions: FlowDecisions;
  readonly record: FlowRecord;
  readonly now: () => number;
  /** As people call an app. */
  readonly nameOfApp: (app: string) => string;
  /** Where people answer, in words; absent: on this machine. */
  readonly answerAt?: (() => string) | undefined;
  /** What went wrong behind a call's back. */
  readonly onTrouble: (error: unknown) => void;
}

/** How long a yes for one call waits for it to be made, and a no stands, in ms. */
const onceMs = 10 * 60_000;
const noMs = 60 * 60_000;

export class Flow {
  readonly roles: RolesOfTools;
  readonly #parts: FlowParts;
  readonly #sessions: FlowSessions;
  /** Questions whose answers are seen to. */
  readonly #followed = new WeakSet<Promise<Answer>>();

  constructor(parts: FlowParts) {
    this.#parts = parts;
    this.#sessions = new FlowSessions(parts.now, parts.onTrouble);
    this.roles = new RolesOfTools(() => parts.settings().roles);
  }

  /**
   * Lets a call go on, with the arguments it goes on with and what was decided. Throws or rejects with AppError not_allowed where the person said no or
   * has not answered in time, cancelled where it was given up meanwhile. Returns at once for a call that sends nothing.
   */
  release(tool: FlowTool, args: JsonObject | undefined, context: FlowContext): Promise<Released> | Released {
    if (this.#parts.settings().mode === 'off') return { args };
    const session = this.#sessions.of(context);
    const roles = this.roles.of(tool);
    if (!roles.sends) {
      session.memory.noteArguments(args);
      return { args };
    }
    const look = lookAtCall(roles, args);
    // Most calls go where the session's calls went before: they need no search.
    const unknown = look.destinations.filter((to) => !session.memory.isKnownNamed(to));
    if (unknown.length === 0) return this.#decide(tool, args, { ...look, destinations: [] }, [], session, context);
    return this.#trace(tool, args, { ...look, destinations: unknown }, session, context);
  }

  async #trace(
    tool: FlowTool,
    args: JsonObject | undefined,
    look: Look,
    session: FlowSession,
    context: FlowContext,
  ): Promise<Released> {
    await session.memory.settle();
    const origins: Origin[] = [];
    for (const to of look.destinations) origins.push(await session.memory.originOf(to, tool.server));
    return this.#decide(tool, args, look, origins, session, context);
  }

  /** What a tool answered, on its way to whoever called; an answer given again counts as well. */
  noteAnswer(tool: FlowTool, args: JsonObject | undefined, result: Result, context: FlowContext): void {
    if (this.#parts.settings().mode === 'off') return;
    const session = this.#sessions.of(context);
    if (session.once.size > 0 && fact(result, 'resultType') !== 'input_required')
      session.once.delete(callKey(tool, args, context));
    this.#note(session, result, tool.id, tool.server, this.roles.of(tool));
  }

  /** Notes what a model read otherwise: a stored result, a resource, a prompt, the error of a failed call. */
  noteText(of: string, server: string, read: Result | string, context: FlowContext): void {
    if (this.#parts.settings().mode === 'off') return;
    this.#note(this.#sessions.of(context), read, of, server, this.roles.ofReading(of, server));
  }

  /** The session is over. */
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
    look: Look,
    origins: readonly Origin[],
    session: FlowSession,
    context: FlowContext,
  ): Promise<Released> | Released {
    const { settings, decisions } = this.#parts;
    const { mode, secrets } = settings();
    const findings = judgeCall(look, origins, this.roles.of(tool), session.memory);
    const open = findings.filter((finding) => !decisions.has(tool.server, decisionKey(finding)));
    const masks = secrets === 'mask' && open.some(({ why }) => why === 'secret');
    const asked = open.filter(({ why }) => why !== 'secret' || secrets === 'ask');
    const sent = masks ? (withoutSecrets(args) as JsonObject) : args;
    if (masks) this.#noteOutcome(tool, open, context, 'masked');
    const added = look.destinations.filter((_to, at) => origins[at]?.kind === 'new');
    const pass = (verdict?: FlowVerdict): Released => passed(sent, added, session, verdict);
    if (asked.length === 0) {
      if (masks) return pass({ verdict: 'masked', rule: 'secret' });
      const decided = findings.filter((finding) => !open.includes(finding));
      return pass(decided.length === 0 ? undefined : { verdict: 'allowed before', rule: ruleOf(decided) });
    }
    const rule = ruleOf(asked);
    if (mode === 'record') {
      this.#noteOutcome(tool, asked, context, 'recorded');
      return pass({ verdict: 'recorded', rule });
    }
    if (session.hasOnce(callKey(tool, sent, context))) return pass({ verdict: 'allowed once', rule });
    const refused = asked.find((finding) => session.hasNo(decisionKey(finding)));
    if (refused !== undefined) throw refusal(tool, [refused], { kind: 'refused' });
    return this.#ask(tool, sent, asked, session, context).then(({ question, choice, by }) =>
      pass({ verdict: choice === 'always' ? 'allowed always' : 'allowed once', rule, question, by }),
    );
  }

  /** Resolves when the person lets it go. */
  async #ask(
    tool: FlowTool,
    args: JsonObject | undefined,
    findings: readonly Finding[],
    session: FlowSession,
    context: FlowContext,
  ): Promise<{ readonly question: string; readonly choice: string; readonly by: string }> {
    const { openMinutes, waitSeconds } = this.#parts.settings();
    const key = callKey(tool, args, context);
    let asked: AskedQuestion;
    try {
      asked = this.#parts.questions.ask(
        flowQuestion(
          tool,
          args,
          findings,
          { ...context, appName: this.#parts.nameOfApp(context.app), person: userOnRecord(context.principal) },
          key,
          openMinutes * 60_000,
        ),
      );
    } catch (error) {
      throw error instanceof AppError && error.code === 'session_limit'
        ? refusal(tool, findings, { kind: 'not asked' })
        : error;
    }
    this.#follow(asked, tool, findings, session, context, key);
    const waitMs = context.mayGoOn?.() === true ? openMinutes * 60_000 : waitSeconds * 1000;
    const answer = await waitFor(asked, waitMs, context);
    const { id } = asked.question;
    if (answer?.how === 'answered' && answer.choice !== 'no')
      return { question: id, choice: answer.choice, by: answer.by };
    if (answer?.how === 'answered') throw refusal(tool, findings, { kind: 'refused', id });
    this.#noteOutcome(tool, findings, context, 'unanswered');
    throw refusal(tool, findings, { kind: 'unanswered', id, at: this.#parts.answerAt?.() });
  }

  /** What the person said counts also where nobody waits for it any more. */
  #follow(
    { answer }: AskedQuestion,
    tool: FlowTool,
    findings: readonly Finding[],
    session: FlowSession,
    context: FlowContext,
    key: string,
  ): void {
    if (this.#followed.has(answer)) return;
    this.#followed.add(answer);
    void answer.then((given) => {
      if (given.how !== 'answered') return;
      const keys = findings.map(decisionKey);
      this.#noteOutcome(tool, findings, context, given.choice === 'no' ? 'refused' : 'allowed');
      if (given.choice === 'no') for (const one of keys) session.no.set(one, given.at + noMs);
      if (given.choice === 'once') session.once.set(key, given.at + onceMs);
      if (given.choice !== 'always') return;
      const { at, by } = given;
      const decided = keys.map((destination) => ({ server: tool.server, destination, at, app: context.app, by }));
      this.#parts.decisions.add(decided).catch(this.#parts.onTrouble);
    });
  }

  #noteOutcome(tool: FlowTool, findings: readonly Finding[], { app }: FlowContext, outcome: FlowOutcome): void {
    const sentence = flowSentence(tool, findings, this.#parts.nameOfApp(app));
    this.#parts.record.note({ at: this.#parts.now(), app, tool: tool.id, sentence, outcome });
  }
}

/** `added`: destinations that were new and are the session's own from now on. */
function passed(
  args: JsonObject | undefined,
  added: readonly Destination[],
  { memory }: FlowSession,
  verdict: FlowVerdict | undefined,
): Released {
  memory.noteArguments(args);
  for (const to of added) memory.noteSent(to);
  return { args, ...(verdict && { verdict }) };
}

function ruleOf(findings: readonly Finding[]): string {
  return [...new Set(findings.map(({ why }) => why))].join(', ');
}

/** The very call: a further try of it is the same one. */
function callKey({ id }: FlowTool, args: JsonObject | undefined, { memoryId, sessionId }: FlowContext): string {
  return createHash('sha256')
    .update(JSON.stringify([memoryId ?? sessionId, id, args ?? {}]))
    .digest('base64');
}

function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return withoutSensitive(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets(item)]));
}

/** The answer; undefined where the time was over. */
async function waitFor(
  { answer, question }: AskedQuestion,
  limitMs: number,
  context: FlowContext,
): Promise<Answer | undefined> {
  const over = Promise.withResolvers<undefined>();
  const late = setTimeout(() => over.resolve(undefined), limitMs);
  const message = (): string => `Waits for the person to answer question ${question.id} in Tooltray`;
  try {
    return await awaitTelling(Promise.race([answer, over.promise]), { limitMs, message }, context);
  } finally {
    clearTimeout(late);
  }
}
