/**
 * The pipeline's stage `shape`: returns a result to the model unchanged, as TOON, or as a summary while the whole is
 * spilled to disk.
 */
import { codeToolNames } from '../activity/ledger/attribute-result.ts';
import { AppError } from '../base/errors.ts';
import { type JsonObject, objectOrEmpty, toPlainNumber, textOrEmpty } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { truncateText } from '../base/visible-text.ts';
import { formatBytes, formatNumber, pluralize } from '../base/text-format.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { viewUriOf } from '../servers/ui-metadata.ts';
import { appTraits } from '../client-apps/app-traits.ts';
import type { ResultSettings } from '../config/app-config.ts';
import { argumentPreview } from '../activity/argument-preview.ts';
import { excerptOfResult } from '../spills/writer/excerpt.ts';
import { type Excerpt, isTextKind } from '../spills/spill-writer-messages.ts';
import { payloadBytes, payloadTexts } from '../spills/payload.ts';
import type { ResultMeasurer } from '../spills/result-measurer.ts';
import {
  type SpilledResult,
  type SpilledPart,
  type OriginalResult,
  createSpillInfo,
  spillMetaKey,
  type SpillOrigin,
  spillUri,
  type DataOutline,
} from '../spills/spill.ts';
import { separateMedia, outlineOf, toToonResult, withoutMedia } from '../spills/toon.ts';
import type { Result } from '../wire/message.ts';
import { scalarOf, RawJson, toObject } from '../wire/raw-json.ts';
import type { CallerContext, CallRequest, ShapedResult, SpillOptions } from './call-tool.ts';
import { cleanResult } from './clean-result.ts';
import type { CallSpillLimit, SpillLimit } from './unspilled-reason.ts';

interface ResultShaperOptions {
  /** Stores a result. `sent`: what the server sent, if the result was derived from it. Rejects with AppError. */
  readonly keep: (
    result: Result,
    origin: SpillOrigin,
    textKind: 'text' | 'toon',
    sent?: OriginalResult,
  ) => Promise<SpilledResult>;
  readonly measurer: Pick<ResultMeasurer, 'measure' | 'excerpt'>;
  readonly settings: () => ResultSettings;
  /** The largest result that a client app receives whole, in bytes. */
  readonly inlineBytes: (app: string) => number;
  /** Returns how a model reads more of a spill in the session's mode; undefined if the mode lists no tool for it. */
  readonly readHint: (context: CallerContext) => ReadHint | undefined;
  readonly log: Log;
}

const asFile: SpillLimit = { toFile: true, bytes: 0, ofApp: false };

interface From {
  readonly server: string;
  readonly tool: string;
  /** The call's argument that should have limited the lines of the result: `head: 20`. */
  readonly narrowedBy?: string | undefined;
}

interface Sent extends From {
  /** The result as the server sent it, before any change. */
  readonly sent: Result;
  readonly args?: JsonObject | undefined;
}

/** Limit for results with images or audio, in bytes; no client app is known to take more. */
const maxInlineMediaBytes = 2_000_000;

export class ResultShaper {
  readonly #options: ResultShaperOptions;

  constructor(options: ResultShaperOptions) {
    this.#options = options;
  }

  /** The same rules, with another store for large results. */
  withSpill(keep: ResultShaperOptions['keep']): ResultShaper {
    return new ResultShaper({ ...this.#options, keep });
  }

  /** Never rejects when the disk cannot be written. */
  /** The size of a result as it is recorded and compared with limits, in bytes. */
  async payloadBytes(result: Result): Promise<number> {
    if (!(result instanceof RawJson)) return payloadBytes(result);
    return (await this.#options.measurer.measure(result))?.payloadBytes ?? result.byteLength;
  }

  shape(
    answer: Result,
    tool: CatalogEntry,
    request: CallRequest,
    context: CallerContext,
  ): Promise<ShapedResult> | ShapedResult {
    // Input requests and tasks are not results yet.
    const type = scalarOf(answer, 'resultType');
    if (type === 'input_required' || type === 'task' || scalarOf(answer, 'task') !== undefined)
      return { result: answer, limit: undefined };
    const settings = this.#settings(context);
    const result = settings.clean ? cleanResult(answer) : answer;
    const limit = this.#limitFor(tool, request, context, settings);
    if ('none' in limit) return { result, limit };
    const from = { server: tool.server, tool: tool.name, args: request.arguments, sent: answer };
    const within = this.#withinLimit(result, limit, from, context, settings);
    return within instanceof Promise ? within.then((shaped) => ({ result: shaped, limit })) : { result: within, limit };
  }

  /** The limit that applies to the result, or the reason why there is none. */
  #limitFor(
    tool: CatalogEntry,
    request: CallRequest,
    context: CallerContext,
    settings: ResultSettings,
  ): CallSpillLimit {
    // An endpoint of one server passes everything unchanged.
    if (context.mode === 'server') return { none: 'server' };
    if (request.spill === 'never') return { none: 'wanted' };
    if (codeToolNames.has(request.via)) return { none: 'program' };
    // A user interface renders its whole result.
    if (context.showsViews === true && viewUriOf(tool.definition) !== undefined) return { none: 'wanted' };
    const { inlineBytes } = this.#options;
    return spillLimit(settings, tool, request.spill, {
      app: context.app,
      inlineBytes: inlineBytes(context.app),
    });
  }

  /** Shapes the result of a helper tool, which comes from no server and no pipeline. */
  shapeHelperResult(result: Result, tool: string, context: CallerContext): Promise<Result> | Result {
    const { inlineBytes } = this.#options;
    const settings = this.#settings(context);
    const limit = spillLimit(settings, undefined, undefined, {
      app: context.app,
      inlineBytes: inlineBytes(context.app),
    });
    return this.#withinLimit(result, limit, { server: 'tooltray', tool, sent: result }, context, settings);
  }

  /** Spills a result that does not fit in memory, whatever the limits. Rejects with AppError if the disk fails. */
  async spill(result: Result, { server, tool }: From, context: CallerContext): Promise<Result> {
    const { keep, readHint } = this.#options;
    const spilled = await keep(result, originOf(context, server, tool), 'text');
    return spilledResult(spilled, { media: [] }, asFile, {
      server,
      tool,
      hint: readHint(context),
      context,
    });
  }

  #settings({ results }: CallerContext): ResultSettings {
    return results ?? this.#options.settings();
  }

  #withinLimit(
    result: Result,
    limit: SpillLimit,
    { server, tool, args, sent }: Sent,
    context: CallerContext,
    { toon }: ResultSettings,
  ): Promise<Result> | Result {
    const converted = toon ? asToon(result) : result;
    const isLonger = limit.toFile || this.#isLonger(converted, limit);
    const spill = (): Promise<Result> =>
      this.#spillNotice(converted, result, limit, { server, tool, args, sent }, context);
    if (isLonger instanceof Promise) return isLonger.then((isIt) => (isIt ? spill() : converted));
    return isLonger ? spill() : converted;
  }

  /**
   * Whether the payload exceeds the limit. A worker thread measures a large result if the size of its frame does not
   * decide that.
   */
  #isLonger(result: Result, { bytes }: SpillLimit): Promise<boolean> | boolean {
    if (bytes === 0) return false;
    if (!(result instanceof RawJson)) return payloadBytes(result) > bytes;
    const { byteLength } = result;
    // Escapes can make a text six times as long, and many servers return everything twice.
    if (byteLength > bytes * 12) return true;
    if (byteLength <= bytes) return false;
    const measured = this.#options.measurer.measure(result);
    return measured.then((size) => size === undefined || size.payloadBytes > bytes);
  }

  #spillNotice(
    shown: Result,
    result: Result,
    limit: SpillLimit,
    { server, tool, args, sent }: Sent,
    context: CallerContext,
  ): Promise<Result> {
    const top = shown === result ? undefined : outlineOf(toObject(result));
    const narrowedBy = lineArgument(args);
    const vain = narrowedBy !== undefined && isOneLine(result) ? narrowedBy : undefined;
    return this.#spill(shown, limit, { server, tool, args, sent, top, narrowedBy: vain }, context);
  }

  async #spill(
    result: Result,
    limit: SpillLimit,
    { server, tool, args, sent, top, narrowedBy: limitedBy }: Sent & { readonly top: DataOutline | undefined },
    context: CallerContext,
  ): Promise<Result> {
    const { keep, readHint, log } = this.#options;
    // Images cost a model pixels, not bytes; only an explicit threshold includes them.
    const { rest, media } = limit.ofApp ? separateMedia(result, maxInlineMediaBytes) : { rest: result, media: [] };
    if (media.length > 0 && !(rest instanceof RawJson) && payloadBytes(rest) <= limit.bytes) return result;
    try {
      const textKind = top === undefined ? 'text' : 'toon';
      const isMade = sent !== result && !(sent instanceof RawJson);
      const asSent = isMade ? { payload: payloadTexts(withoutMedia(sent)) } : undefined;
      const spilled = await keep(
        rest,
        { ...originOf(context, server, tool), preview: argumentPreview(args) },
        textKind,
        asSent,
      );
      const from = { server, tool, narrowedBy: limitedBy, hint: readHint(context), context };
      return spilledResult(spilled, { media, top }, limit, from);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // The tool has done its work, so as much of its result is returned as the app accepts.
      log.warn(`A result of ${server}:${tool} could not be stored.`, { error });
      return this.#cut(rest, media, limit, error, context);
    }
  }

  /**
   * Cuts a result that cannot be spilled to the limit: its beginning, its end, and a sentence that explains the cut.
   */
  async #cut(
    result: Result,
    media: readonly JsonObject[],
    limit: SpillLimit,
    error: AppError,
    { app }: CallerContext,
  ): Promise<Result> {
    const { measurer, inlineBytes } = this.#options;
    const maxBytes = limit.bytes > 0 ? limit.bytes : inlineBytes(app);
    const found =
      result instanceof RawJson
        ? await measurer.excerpt(result, maxBytes).catch(() => endsOf(result, maxBytes))
        : excerptOfResult(result, maxBytes);
    if (found.payloadBytes <= maxBytes && !(result instanceof RawJson)) return withNotSpilled(result, media, error);
    return cutResult(found, media, error);
  }
}

/** Returns both ends, unchanged, of bytes that no worker thread could read. */
function endsOf({ chunks, byteLength, scalars }: RawJson, maxBytes: number): Excerpt {
  const part = Math.floor(maxBytes / 2);
  const last = chunks.at(-1)?.subarray(-part) ?? Buffer.alloc(0);
  const head = chunks[0]?.toString('utf8', 0, part) ?? '';
  return { payloadBytes: byteLength, head, tail: last.toString('utf8'), isError: scalars['isError'] === true };
}

function originOf({ principal: { owner }, sessionId, app }: CallerContext, server: string, tool: string): SpillOrigin {
  return { owner, sessionId, app, server, tool };
}

function asToon(result: Result): Result {
  return result instanceof RawJson ? result : toToonResult(result);
}

function withNotSpilled(result: JsonObject, media: readonly JsonObject[], error: AppError): Result {
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const meta = { ...objectOrEmpty(result['_meta']), [notSpilledKey]: error.text };
  return { ...result, ...(media.length > 0 && { content: [...content, ...media] }), _meta: meta };
}

const notSpilledKey = 'tooltray/notKept';

function cutResult(excerpt: Excerpt, media: readonly JsonObject[], error: AppError): JsonObject {
  const { payloadBytes: bytes, head, tail, isError } = excerpt;
  const [first, last] = [head, tail].map((text) => formatBytes(Buffer.byteLength(text)));
  const note = `[CUT: the first ${first} and the last ${last} of ${formatBytes(bytes)} are shown. ${error.message} Request less at a time.]`;
  const text = [head, note, ...(tail === '' ? [] : [tail])].join('\n');
  return {
    content: [{ type: 'text', text }, ...media],
    ...(isError && { isError }),
    _meta: { [notSpilledKey]: error.text },
  };
}

// The text that is returned to the model for a spill: what it is, its outline, and how to read it.

/**
 * Lines with the call that reads more of a spill, as the mode words it:
 * `Read on: call_tool {"name":"read_result",…}`.
 */
export type ReadHint = (id: string, examples: LookExamples) => readonly string[];

/** Example queries of a spill: an SQL statement over its tables, or a JSONPath with a placeholder for a value. */
export interface LookExamples {
  readonly example?: string | undefined;
  readonly sqlExample?: string | undefined;
}

interface SpilledFrom extends From {
  readonly hint: ReadHint | undefined;
  readonly context: CallerContext;
}

/** `resource_link` came with 2025-06-18; a client app of an older revision rejects unknown block types. */
const firstWithLinks = '2025-06-18';

/** Facts about the result besides those of the spill. */
interface ReturnedResult {
  /** Blocks that are returned unchanged. */
  readonly media: readonly JsonObject[];
  /** The outline of the data that was encoded as TOON. */
  readonly top?: DataOutline | undefined;
}

export function spilledResult(
  spilled: SpilledResult,
  { media, top }: ReturnedResult,
  limit: SpillLimit,
  from: SpilledFrom,
): JsonObject {
  const { protocolVersion = firstWithLinks } = from.context;
  const isNotified = protocolVersion >= firstWithLinks && appTraits(from.context.app).toolsOnly !== true;
  const links = isNotified ? spilled.parts.map(linkTo) : [];
  const meta = objectOrEmpty(spilled.rest['_meta']);
  const facts = createSpillInfo(spilled, { exceeded: limit.toFile ? undefined : limit.bytes, top });
  return {
    ...spilled.rest,
    content: [{ type: 'text', text: spilledText(spilled, limit, from) }, ...links, ...spilled.inline, ...media],
    ...(spilled.isError && { isError: true }),
    _meta: { ...meta, [spillMetaKey]: facts },
  };
}

function spilledText(
  spilled: SpilledResult,
  limit: SpillLimit,
  { server, tool, narrowedBy: limitedBy, hint, context }: SpilledFrom,
): string {
  const why = limit.toFile ? '' : `, because it exceeds ${formatBytes(limit.bytes)}`;
  const hasFiles = appTraits(context.app).toolsOnly !== true;
  return [
    `The result of ${server}:${tool}, ${formatBytes(spilled.resultBytes)}, ${tokensOf(spilled)}, is stored in full on disk${why}.`,
    ...(limitedBy === undefined
      ? []
      : [`${limitedBy} did not make it shorter: it is one line. Use the following instead.`]),
    ...spilled.parts.flatMap((part) => partLines(part, hasFiles, hint !== undefined)),
    ...waysOn(spilled, hint),
  ].join('\n');
}

function tokensOf({ resultTokens, tokensEstimated }: SpilledResult): string {
  return `${tokensEstimated ? 'about ' : ''}${formatNumber(resultTokens)} ${pluralize(resultTokens, 'token')}`;
}

/** Images and audio have no lines to read. */
function waysOn({ parts }: SpilledResult, hint: ReadHint | undefined): readonly string[] {
  const text = parts.find(({ spill }) => isTextKind(spill.kind));
  const shown = text ?? parts[0];
  if (text !== undefined && hint !== undefined) return hint(text.spill.id, text.summary);
  return [`Read it in full with resources/read: ${spillUri(shown.spill.id)}`];
}

/** Length of the shown beginning if the shape is shown too, in characters: enough to see how values are written. */
const shownOfShaped = 120;

/** `isReadable`: the session is shown a tool that reads spills. */
function partLines({ spill, summary }: SpilledPart, hasFiles: boolean, isReadable: boolean): string[] {
  const lines = spill.lines === undefined ? '' : ` in ${formatNumber(spill.lines)} ${pluralize(spill.lines, 'line')}`;
  const isShaped = spill.kind === 'json';
  // In a store shared by replicas, the path is the id.
  const path = hasFiles && spill.file !== spillUri(spill.id) ? `, ${spill.file}` : '';
  const head = isShaped ? truncateText(summary.head, shownOfShaped) : summary.head;
  return [
    `${spill.id}: ${spill.kind}${isShaped ? ' formatted' : ''} as a file of ${formatBytes(spill.bytes)}${lines}${path}`,
    ...summary.shape.map((line) => `  ${line}`),
    ...(summary.tables === undefined || !isReadable ? [] : [`SQL tables: ${summary.tables.join('; ')}`]),
    ...(head === '' ? [] : [`Begins: ${head}`]),
    ...(isShaped || summary.tail === '' ? [] : [`Ends: ${summary.tail}`]),
  ];
}

/** Returns an argument such as `head: 20`; undefined if there is none. */
function lineArgument(args: JsonObject | undefined): string | undefined {
  const isNumber = (value: unknown): boolean => typeof toPlainNumber(value) === 'number';
  const [found] = Object.entries(args ?? {}).filter(
    ([name, value]) => /^(?:head|tail|(?:\w*_)?lines?|\w*Lines?)$/.test(name) && isNumber(value),
  );
  return found && `${found[0]}: ${String(toPlainNumber(found[1]))}`;
}

/** Whether all texts of a result have only one line. */
function isOneLine(result: Result): boolean {
  // In the bytes of JSON a line feed is two letters; a path of Windows is then taken for one, and nothing is said.
  if (result instanceof RawJson) return !result.chunks.some((chunk) => chunk.includes('\\n'));
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  return content.every((block) => !textOrEmpty(objectOrEmpty(block)['text']).trimEnd().includes('\n'));
}

function linkTo({ spill }: SpilledPart): JsonObject {
  const { id, mimeType, bytes, server, tool } = spill;
  return { type: 'resource_link', uri: spillUri(id), name: `${server} ${tool}`, mimeType, size: bytes };
}

// Determines the spill limit of a call.

function spillLimit(
  settings: ResultSettings,
  tool: CatalogEntry | undefined,
  wish: SpillOptions | undefined,
  { app, inlineBytes }: { readonly app: string; readonly inlineBytes: number },
): SpillLimit {
  const { thresholds } = settings;
  const ofTool = tool && (thresholds[tool.id] ?? thresholds[tool.server]);
  const named = wish?.threshold ?? ofTool ?? configuredThreshold(app, settings);
  const toFile = wish?.toFile === true;
  return { toFile, bytes: named ?? inlineBytes, ofApp: !toFile && named === undefined };
}

/**
 * The user's threshold for results to this app, in bytes; 0: nothing is spilled; undefined: the app's default applies.
 */
export function configuredThreshold(app: string, { threshold, appThresholds }: ResultSettings): number | undefined {
  return Object.hasOwn(appThresholds, app) ? appThresholds[app] : threshold;
}

/** Whether any setting allows results to be replaced. */
export function maySpill({ threshold, thresholds, appThresholds, toon }: ResultSettings): boolean {
  const others = [...Object.values(thresholds), ...Object.values(appThresholds)];
  return toon || threshold !== 0 || others.some((bytes) => bytes > 0);
}
