/**
 * Runs tools for the user, as a client app called "You": through the same pipeline, with server-initiated requests
 * shown to the user and live updates for watchers. The latest runs are kept in memory while the core runs.
 */
import { AppError, errorText, toAppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import { type JsonObject, objectOrEmpty, textOrEmpty } from '../base/json.ts';
import { neutralizeControlCharacters, truncateName } from '../base/visible-text.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { userApp, localUser } from '../security/principal.ts';
import { viewExtension, viewType } from '../servers/extension-set.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { awaitReply } from '../wire/abortable-reply.ts';
import { scalarOf } from '../wire/raw-json.ts';
import { type CallerContext, type CallRequest, type CallStages, callTool, outcomeOfFailure } from './call-tool.ts';

/**
 * The session of sequential runs, so that the state that a server keeps for its client (a browser page, a folder)
 * survives from run to run.
 */
export const userSession = 'you';

/** The dashboard can ask the user and render user interfaces of tools. */
export const userCapabilities: JsonObject = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  extensions: { [viewExtension]: { mimeTypes: [viewType] } },
};

const maxRuns = 30;
/** Maximum number of open requests of one run, and of its log lines. */
const maxQuestions = 12;
const maxLogLines = 200;
const maxLogLineLength = 2000;

export interface RunClientRequest {
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
}

interface OpenQuestion extends RunClientRequest {
  readonly answer: (answer: RunReply) => void;
  readonly refuse: (error: Error) => void;
}

/** `sent`: what the server sent, undefined if it sent nothing; `given`: as it left the pipeline. */
export interface RunEnd {
  readonly endedAt: number;
  readonly outcome: 'ok' | 'tool_error' | 'failed' | 'cancelled' | 'blocked';
  /** The message of the server, or our own. */
  readonly error?: { readonly code: string; readonly message: string; readonly fix: string };
  readonly sent: Result | undefined;
}

export interface RunRequest {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The user interface of that server that requests the run; undefined: the user does. */
  readonly view?: string | undefined;
}

/** The user's reply: form content, a visited page, text in place of a model, or a refusal. */
export interface RunReply {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: JsonObject;
  readonly text?: string;
}

interface RunParts {
  readonly steps: CallStages;
  readonly version: string;
  /** Ends the session of the run. */
  readonly endSession: (sessionId: string) => Promise<void>;
}

export class ManualRun {
  readonly id: string;
  readonly request: RunRequest;
  readonly startedAt = Date.now();
  readonly changed = new Emitter<void>();
  readonly log: string[] = [];
  /** Increases with each update. */
  revision = 1;
  progress: JsonObject | undefined;
  end: RunEnd | undefined;
  readonly tool: CatalogEntry;
  readonly sessionId: string;
  readonly #stop = new AbortController();
  readonly #openQuestions = new Map<string, OpenQuestion>();
  #questions = 0;

  constructor(id: string, wish: RunRequest, tool: CatalogEntry, sessionId: string) {
    this.id = id;
    this.request = wish;
    this.tool = tool;
    this.sessionId = sessionId;
  }

  get openRequests(): readonly RunClientRequest[] {
    return [...this.#openQuestions.values()].map(({ id, method, params }) => ({ id, method, params }));
  }

  cancel(): void {
    this.#stop.abort();
  }

  /** Throws AppError `not_found` if the question is no longer open. */
  reply(question: string, answer: RunReply): void {
    const found = this.#openQuestions.get(question);
    if (found === undefined)
      throw new AppError('not_found', 'This request is no longer open.', {
        fix: 'The server continued without a response, or was stopped.',
      });
    found.answer(answer);
  }

  /** Resolves when there is an update newer than `after`, or when the signal aborts. */
  async waitForUpdate(after: number, signal: AbortSignal): Promise<void> {
    while (this.revision <= after && this.end === undefined && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = this.changed.on(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      stop();
    }
  }

  /** Never rejects. */
  async execute({ steps, version }: Pick<RunParts, 'steps' | 'version'>): Promise<void> {
    let sent: Result | undefined;
    const watched: CallStages = {
      ...steps,
      // The tool was resolved when the run was requested.
      resolve: () => this.tool,
      shape: (result, tool, request, context) => {
        sent = result;
        return steps.shape(result, tool, request, context);
      },
    };
    try {
      const given = await callTool(requestOf(this.request), this.#context(version), watched);
      const isError = scalarOf(given, 'isError') === true;
      this.#finish({ endedAt: Date.now(), outcome: isError ? 'tool_error' : 'ok', sent });
    } catch (error) {
      const { code, message, fix = '' } = toAppError(error);
      const outcome = outcomeOfFailure(error);
      // A server's error keeps its own message.
      const described =
        error instanceof RpcError ? { code: String(error.code), message: errorText(error), fix: '' } : undefined;
      this.#finish({ endedAt: Date.now(), outcome, error: described ?? { code, message, fix }, sent });
    }
  }

  #finish(end: RunEnd): void {
    this.end = end;
    const gone = new RpcError(rpcCode.aborted, 'The request is no longer waiting for a response.');
    for (const { refuse } of [...this.#openQuestions.values()]) refuse(gone);
    this.#tell();
  }

  #tell(): void {
    this.revision++;
    this.changed.emit();
  }

  /** The request to the pipeline, for a repeat of the call. */
  get callRequest(): CallRequest {
    return requestOf(this.request);
  }

  #context(version: string): CallerContext {
    return {
      principal: localUser,
      sessionId: this.sessionId,
      app: userApp,
      mode: 'direct',
      clientInfo: { name: userApp, version },
      clientCapabilities: userCapabilities,
      signal: this.#stop.signal,
      onProgress: ({ progress, total, message }) => {
        this.progress = neutralizeControlCharacters({ progress, total, message });
        this.#tell();
      },
      onLog: ({ level, data }) => {
        const words = typeof data === 'string' ? data : JSON.stringify(data);
        this.log.push(neutralizeControlCharacters(`${textOrEmpty(level)}: ${words}`.slice(0, maxLogLineLength)));
        if (this.log.length > maxLogLines) this.log.shift();
        this.#tell();
      },
      askClient: (method, params, signal) => this.#ask(method, params, signal),
      namesServers: false,
      acceptsInputRequired: false,
    };
  }

  #ask(method: string, params: JsonObject, signal: AbortSignal): Promise<Result> {
    if (method !== 'elicitation/create' && method !== 'sampling/createMessage')
      return Promise.reject(new RpcError(rpcCode.methodNotFound, `Manual runs do not support ${method}.`));
    if (this.#openQuestions.size >= maxQuestions)
      return Promise.reject(new RpcError(rpcCode.aborted, `This user already has ${maxQuestions} open requests.`));
    const id = String(++this.#questions);
    const reply = awaitReply(AbortSignal.any([signal, this.#stop.signal]), ({ answer, refuse }) => {
      const take = (given: RunReply): void => {
        try {
          answer(resultOf(method, given));
        } catch (error) {
          refuse(error as Error);
        }
      };
      this.#openQuestions.set(id, { id, method, params: neutralizeControlCharacters(params), answer: take, refuse });
      return () => {
        if (this.#openQuestions.delete(id)) this.#tell();
      };
    });
    this.#tell();
    return reply;
  }
}

/** A call by the user: its result is neither withheld nor replaced. */
function requestOf({ server, tool, arguments: args, view }: RunRequest): CallRequest {
  const request = { tool, server, arguments: args, spill: 'never' } as const;
  if (view === undefined) return request;
  return { ...request, declared: { reason: `Requested by the user interface ${truncateName(view)}` }, source: 'view' };
}

/** Throws RpcError if the user declines to answer in place of a model. */
function resultOf(method: string, { action, content, text = '' }: RunReply): Result {
  if (method === 'elicitation/create') return { action, ...(action === 'accept' && content && { content }) };
  if (action !== 'accept') throw new RpcError(-1, 'The user declined the sampling request.');
  return { role: 'assistant', content: { type: 'text', text }, model: 'a user', stopReason: 'endTurn' };
}

/** The confirmation that the tool's annotations require; undefined if the tool is read-only. */
export function confirmationNeeded({
  definition,
}: Pick<CatalogEntry, 'definition'>): 'writes' | 'destroys' | undefined {
  const { readOnlyHint, destructiveHint } = objectOrEmpty(definition['annotations']);
  if (readOnlyHint === true) return undefined;
  return destructiveHint === false ? 'writes' : 'destroys';
}

export class ManualRuns {
  readonly #parts: RunParts;
  readonly #runs = new Map<string, ManualRun>();
  #started = 0;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /**
   * Call only after the user has agreed, or for a read-only tool. `steps`: the pipeline that the tool's server belongs
   * to.
   */
  start(wish: RunRequest, tool: CatalogEntry, steps = this.#parts.steps): ManualRun {
    const ended = [...this.#runs.values()].filter(({ end }) => end !== undefined);
    if (this.#runs.size >= maxRuns) {
      const [oldest] = ended;
      if (oldest === undefined)
        throw new AppError('session_limit', `You already have ${maxRuns} runs in progress.`, {
          fix: 'Cancel one, or wait for one to finish.',
        });
      this.#runs.delete(oldest.id);
    }
    const run = new ManualRun(`run-${++this.#started}`, wish, tool, this.#sessionFor(tool.server));
    this.#runs.set(run.id, run);
    void run
      .execute({ ...this.#parts, steps })
      .then(() => (run.sessionId === userSession ? undefined : this.#parts.endSession(run.sessionId)));
    return run;
  }

  /** A server-initiated request names its session, not the call, so concurrent runs get separate sessions. */
  #sessionFor(server: string): string {
    const taken = new Set(
      [...this.#runs.values()].flatMap(({ end, tool, sessionId }) =>
        end === undefined && tool.server === server ? sessionId : [],
      ),
    );
    if (!taken.has(userSession)) return userSession;
    let nth = 2;
    while (taken.has(`${userSession}-${nth}`)) nth++;
    return `${userSession}-${nth}`;
  }

  /** Throws AppError `not_found`. */
  find(id: string): ManualRun {
    const run = this.#runs.get(id);
    if (run === undefined)
      throw new AppError('not_found', 'This run is no longer available.', {
        fix: 'See its record in Activity, or run it again.',
      });
    return run;
  }

  /** Also ends running calls. */
  close(): void {
    for (const run of this.#runs.values()) run.cancel();
  }
}
