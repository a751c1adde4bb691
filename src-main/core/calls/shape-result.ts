/** The pipeline's stage `shape`: what a model gets of an answer. As it is, as TOON, or a summary while the whole lies on disk. */
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { ResultSettings } from '../config/app-config.ts';
import type { KeptAnswer, SpillOrigin } from '../results/spill.ts';
import { payloadBytes, resultBytes } from '../results/result-bytes.ts';
import { setMediaAside } from '../results/set-media-aside.ts';
import { type TopOfData, toToonResult, topOfData } from '../results/toon-result.ts';
import type { Result } from '../wire/message.ts';
import { fact, RawJson, toObject } from '../wire/raw-json.ts';
import type { CallerContext, CallRequest } from './call-tool.ts';
import { type SpillLimit, spillLimit } from './spill-limit.ts';
import { type ReadHint, spilledResult } from './spilled-result.ts';

export interface ResultShaperOptions {
  /** Writes an answer down. Rejects with AppError. */
  readonly keep: (result: Result, origin: SpillOrigin, textKind: 'text' | 'toon') => Promise<KeptAnswer>;
  readonly settings: () => ResultSettings;
  /** Longest answer that a client app is given whole, in bytes. */
  readonly inlineBytes: (app: string) => number;
  /** How a model reads on in the mode of its session. */
  readonly readHint: (mode: string) => ReadHint;
  readonly log: Log;
}

const asFile: SpillLimit = { toFile: true, bytes: 0, ofApp: false };

interface From {
  readonly server: string;
  readonly tool: string;
}

/** With pictures or sound in it, in bytes: more of them no app is known to take. */
const longestShown = 2_000_000;

/** The code that a model wrote gets answers whole; what the code hands on is shaped instead. */
const programs: ReadonlySet<string | undefined> = new Set(['execute', 'code_execution']);

export class ResultShaper {
  readonly #options: ResultShaperOptions;

  constructor(options: ResultShaperOptions) {
    this.#options = options;
  }

  shape(result: Result, tool: CatalogEntry, request: CallRequest, context: CallerContext): Promise<Result> | Result {
    // Through an endpoint of one server everything passes untouched; questions and tasks are no answers yet.
    if (context.mode === 'server' || request.spill === 'never' || programs.has(request.via)) return result;
    if (fact(result, 'resultType') === 'input_required' || fact(result, 'task') !== undefined) return result;
    const { settings, inlineBytes } = this.#options;
    const limit = spillLimit(settings(), tool, request.spill, inlineBytes(context.app));
    return this.#withinLimit(result, limit, { ...tool, tool: tool.name }, context);
  }

  /** What a helper tool of ours made, which no server and no pipeline stands behind. */
  shapeOwn(result: Result, tool: string, context: CallerContext): Promise<Result> | Result {
    const { settings, inlineBytes } = this.#options;
    const limit = spillLimit(settings(), undefined, undefined, inlineBytes(context.app));
    return this.#withinLimit(result, limit, { server: 'tooltray', tool }, context);
  }

  /** What there is no room for in memory, whatever the limits say. Rejects with AppError where the disk fails. */
  async putAside(result: Result, { server, tool }: From, context: CallerContext): Promise<Result> {
    const { keep, readHint } = this.#options;
    const kept = await keep(result, { sessionId: context.sessionId, app: context.app, server, tool }, 'text');
    return spilledResult(kept, { media: [], bytes: kept.resultBytes }, asFile, {
      server,
      tool,
      hint: readHint(context.mode),
      context,
    });
  }

  #withinLimit(
    result: Result,
    limit: SpillLimit,
    { server, tool }: From,
    context: CallerContext,
  ): Promise<Result> | Result {
    const told = this.#options.settings().toon ? asToon(result) : result;
    const payload = limit.ofApp ? undefined : payloadBytes(told, limit.bytes);
    const isLong = limit.toFile || (limit.bytes > 0 && (payload ?? resultBytes(told)) > limit.bytes);
    if (!isLong) return told;
    const top = told === result ? undefined : topOfData(toObject(result));
    return this.#spill(told, limit, { server, tool, payload, top }, context);
  }

  async #spill(
    result: Result,
    limit: SpillLimit,
    {
      server,
      tool,
      payload,
      top,
    }: From & { readonly payload: number | undefined; readonly top: TopOfData | undefined },
    context: CallerContext,
  ): Promise<Result> {
    const { keep, readHint, log } = this.#options;
    // What a model looks at costs it pixels, not bytes; only who names a threshold means pictures, too.
    const { rest, media } = limit.ofApp ? setMediaAside(result, longestShown) : { rest: result, media: [] };
    if (media.length > 0 && resultBytes(rest) <= limit.bytes) return result;
    try {
      const origin = { sessionId: context.sessionId, app: context.app, server, tool };
      const kept = await keep(rest, origin, top === undefined ? 'text' : 'toon');
      const inFiles = kept.parts.reduce((sum, { spill }) => sum + spill.bytes, 0);
      const bytes = limit.ofApp ? kept.resultBytes : (payload ?? inFiles);
      const from = { server, tool, hint: readHint(context.mode), context };
      return spilledResult(kept, { media, bytes, top }, limit, from);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // The tool has done its work: its answer is told rather than lost.
      log.warn(`An answer of ${server}:${tool} could not be kept on disk.`, { error });
      return withNotKept(result, error);
    }
  }
}

function asToon(result: Result): Result {
  return result instanceof RawJson ? result : toToonResult(result);
}

function withNotKept(result: Result, error: AppError): Result {
  const note = { 'tooltray/notKept': error.text };
  if (result instanceof RawJson) return result.withMembers({ _meta: note });
  const meta = result['_meta'];
  return { ...result, _meta: { ...(typeof meta === 'object' ? meta : {}), ...note } };
}
