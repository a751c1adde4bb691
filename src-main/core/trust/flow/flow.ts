/**
 * Holds what leaves against what was read: notes in each session what calls name and answers hold, and asks the person before a
 * call sends to where only an answer led. Every call passes here, in the pipeline; no model can answer what is asked.
 */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { FlowSettings } from '../../config/app-config.ts';
import { awaitTelling } from '../../wire/await-telling.ts';
import type { Result } from '../../wire/message.ts';
import { fact } from '../../wire/raw-json.ts';
import { type Principal, userOnRecord } from '../../security/principal.ts';
import type { Answer, AskedQuestion, Questions } from '../questions.ts';
import type { FlowDecisions } from './flow-decisions.ts';
import { flowQuestion, flowSentence, refusal } from './flow-question.ts';
import type { FlowOutcome, FlowRecord } from './flow-record.ts';
import {
  decisionKey,
  type Finding,
  isJudgedAtOnce,
  judgeCall,
  type Judgement,
  type Look,
  lookAtCall,
} from './judge-call.ts';
import { withoutSensitive } from './sensitive.ts';
import { memoryLimits, SessionMemory, type Source } from './session-memory.ts';
import { type FlowTool, RolesOfTools } from './tool-roles.ts';

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
  /** Why it came to that: `read`, `unsure`, `private`, `secret`. */
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

/** Slices of about 32,000 characters that a call may read before it lets others on. */
const atOnce = 8;
/** A session that calls nothing for so long is quiet, in ms. */
const quietMs = 20;
/** How long a yes for one call waits for it to be made, and a no stands, in ms. */
const onceMs = 10 * 60_000;
const noMs = 60 * 60_000;

export class Flow {
  readonly roles: RolesOfTools;
  readonly #parts: FlowParts;
  readonly #sessions: FlowSessions;
  /** What reads answers of sessions that are quiet. */
  readonly #readLast = new WeakMap<FlowSession, NodeJS.Timeout>();
  /** Questions whose answers are seen to. */
  readonly #followed = new WeakSet<Promise<Answer>>();

  constructor(parts: FlowParts) {
    this.#parts = parts;
    this.#sessions = new FlowSessions(parts.now);
    this.roles = new RolesOfTools(() => parts.settings().roles);
  }

  /**
   * Lets a call go on, with the arguments it goes on with and what was decided. Throws or rejects with AppError not_allowed where the person said no or
   * has not answered in time, cancelled where it was given up meanwhile. Returns at once for a call that sends nothing.
   */
  release(tool: FlowTool, args: JsonObject | undefined, context: FlowContext): Promise<Released> | Released {
    if (this.#parts.settings().mode === 'off') return { args };
    const session = this.#sessions.of(context);
    if (!this.roles.of(tool).sends) {
      session.memory.noteTold(args);
      return { args };
    }
    const look = lookAtCall(this.roles.of(tool), args);
    const settled = isJudgedAtOnce(look, session.memory, tool.server) ? undefined : this.#settle(session.memory);
    if (settled === undefined) return this.#decide(tool, args, look, session, context);
    return settled.then(() => this.#decide(tool, args, look, session, context));
  }

  /** What a tool answered, on its way to whoever called; an answer given again counts as well. */
  noteAnswer(tool: FlowTool, args: JsonObject | undefined, result: Result, context: FlowContext): void {
    if (this.#parts.settings().mode === 'off') return;
    const session = this.#sessions.of(context);
    if (session.once.size > 0 && fact(result, 'resultType') !== 'input_required')
      session.once.delete(callKey(tool, args, context));
    const { private: isPrivate, foreign, messages } = this.roles.of(tool);
    if (isPrivate || foreign)
      this.#note(session, result, { ...this.#source(tool.id, tool.server), private: isPrivate, foreign, messages });
  }

  /** What a model read otherwise: an answer kept on disk, a resource, a prompt, what a failed call said. */
  noteText(of: string, server: string, said: Result | string, context: FlowContext): void {
    if (this.#parts.settings().mode === 'off') return;
    const roles = this.roles.ofReading(of, server);
    if (roles.private || roles.foreign)
      this.#note(this.#sessions.of(context), said, { ...this.#source(of, server), ...roles });
  }

  /** The session is over. */
  forget(sessionId: string): void {
    this.#sessions.forget(sessionId);
  }

  #source(of: string, server: string): Pick<Source, 'of' | 'server' | 'at'> {
    return { of, server, at: this.#parts.now() };
  }

  #note(session: FlowSession, said: Result | string, source: Source): void {
    const { memory } = session;
    memory.noteRead(said, source);
    if (memory.isBehind) void this.#settle(memory)?.catch(this.#parts.onTrouble);
    else if (memory.isNearlyRead && !this.#readLast.has(session)) this.#readLater(session);
  }

  /** When the session is quiet, as it is while a model thinks: what is read then, no call waits for. One timer runs, however many calls come. */
  #readLater(session: FlowSession): void {
    this.#readLast.set(session, setTimeout(() => this.#readNow(session), quietMs).unref());
  }

  /** One slice in a turn. */
  #readNow(session: FlowSession): void {
    this.#readLast.delete(session);
    try {
      const isQuiet = this.#parts.now() - session.usedAt >= quietMs;
      if (!isQuiet || session.memory.readOn()) this.#readLater(session);
    } catch (error) {
      this.#parts.onTrouble(error);
    }
  }

  /** Reads what waits: a little at once, more in turns with everybody else. */
  #settle(memory: SessionMemory): Promise<void> | undefined {
    for (let slice = 0; slice < atOnce; slice++) if (!memory.readOn()) return undefined;
    return (async () => {
      do await nextTurn();
      while (memory.readOn());
    })();
  }

  #decide(
    tool: FlowTool,
    args: JsonObject | undefined,
    look: Look,
    session: FlowSession,
    context: FlowContext,
  ): Promise<Released> | Released {
    const { settings, decisions } = this.#parts;
    const { mode, secrets } = settings();
    const judgement = judgeCall(tool, this.roles.of(tool), look, session.memory, (key) => session.sent.get(key) ?? '');
    const { findings } = judgement;
    const open = findings.filter((finding) => !decisions.has(tool.server, decisionKey(finding)));
    const masks = secrets === 'mask' && open.some(({ why }) => why === 'secret');
    const asked = open.filter(({ why }) => why !== 'secret' || secrets === 'ask');
    const sent = masks ? (withoutSecrets(args) as JsonObject) : args;
    if (masks) this.#noteOutcome(tool, open, context, 'masked');
    const pass = (verdict?: FlowVerdict): Released => this.#pass(sent, judgement, session, verdict);
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

  #pass(
    args: JsonObject | undefined,
    { carried }: Judgement,
    session: FlowSession,
    verdict: FlowVerdict | undefined,
  ): Released {
    session.memory.noteTold(args);
    for (const { key, text } of carried) session.noteSent(key, text);
    return { args, ...(verdict && { verdict }) };
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

// What is remembered for each session, within bounds for all of them: the one that was not used for longest gives way.

/** For all sessions together, in bytes, and in number. */
const mostBytes = 128 * 1024 * 1024;
const mostSessions = 300;
/** Where sessions do not end (2026-07-28 over HTTP), what was read so long ago is over, in ms. */
const idleMs = 6 * 60 * 60_000;
/** How many of those that had to be given up are known as such. */
const mostGivenUp = 10_000;
/** Sizes are added up once in so many new answers. */
const checkEvery = 200;

const mostSent = 50;
const longestSent = 4000;
const mostDecided = 500;

class FlowSession {
  readonly memory: SessionMemory;
  /** Calls that may be made once, and destinations that were refused; until when, in ms since 1970. */
  readonly once = new Map<string, number>();
  readonly no = new Map<string, number>();
  /** The last of what went to addresses that were new. */
  readonly sent = new Map<string, string>();
  readonly #now: () => number;
  usedAt: number;

  constructor(now: () => number, isUnsure: boolean) {
    this.#now = now;
    this.usedAt = now();
    this.memory = new SessionMemory(memoryLimits, isUnsure);
  }

  hasOnce(key: string): boolean {
    return this.#stands(this.once, key);
  }

  hasNo(key: string): boolean {
    return this.#stands(this.no, key);
  }

  noteSent(key: string, text: string): void {
    const all = `${this.sent.get(key) ?? ''} ${text}`.slice(-longestSent);
    this.sent.delete(key);
    this.sent.set(key, all);
    keepNewest(this.sent, mostSent);
  }

  #stands(decided: Map<string, number>, key: string): boolean {
    keepNewest(decided, mostDecided);
    const until = decided.get(key);
    if (until === undefined) return false;
    if (this.#now() < until) return true;
    decided.delete(key);
    return false;
  }
}

class FlowSessions {
  readonly #now: () => number;
  /** The one that was used last stands last. */
  readonly #sessions = new Map<string, FlowSession>();
  readonly #givenUp = new Set<string>();
  #uses = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  of({ memoryId, sessionId }: { readonly memoryId?: string | undefined; readonly sessionId: string }): FlowSession {
    const id = memoryId ?? sessionId;
    const now = this.#now();
    let session = this.#sessions.get(id);
    if (session !== undefined && now - session.usedAt > idleMs) session = undefined;
    if (session === undefined) {
      session = new FlowSession(this.#now, this.#givenUp.has(id));
      this.#sessions.delete(id);
      this.#sessions.set(id, session);
      this.#makeRoom();
    } else if (++this.#uses % checkEvery === 0) this.#makeRoom();
    session.usedAt = now;
    return session;
  }

  forget(id: string): void {
    this.#sessions.delete(id);
    this.#givenUp.delete(id);
  }

  /** A session whose memory had to be given up does not know any more where things came from. */
  #makeRoom(): void {
    const all = [...this.#sessions].sort(([, one], [, other]) => one.usedAt - other.usedAt);
    let bytes = all.reduce((sum, [, { memory }]) => sum + memory.bytes, 0);
    for (const [id, { memory }] of all.slice(0, -1)) {
      if (this.#sessions.size <= mostSessions && bytes <= mostBytes) return;
      bytes -= memory.bytes;
      this.#sessions.delete(id);
      this.#givenUp.add(id);
    }
    const [oldest] = this.#givenUp;
    if (this.#givenUp.size > mostGivenUp && oldest !== undefined) this.#givenUp.delete(oldest);
  }
}

function keepNewest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
