/** Action `call`: calls a tool of a connection through the pipeline. */
import { AppError, errorText } from '../../core/base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty, parseJson, toPlainNumber } from '../../core/base/json.ts';
import { restates } from '../../core/calls/complete-content.ts';
import { closestMatch } from '../../core/base/text-format.ts';
import type { SpillOptions } from '../../core/calls/call-tool.ts';
import { appTraits } from '../../core/client-apps/app-traits.ts';
import { failureReason } from '../../core/calls/error-result.ts';
import {
  argumentKeys,
  isCancelled,
  readArguments,
  readIntegerArgument,
  firstTextOf,
} from '../../core/calls/read-arguments.ts';
import { type CatalogEntry, usableSchema } from '../../core/catalog/catalog.ts';
import type { HelperContext } from '../../core/modes/mode.ts';
import { suggestNextRead } from '../../core/modes/read-spill.ts';
import type { SpillFiles } from '../../core/spills/spill-queries.ts';
import { isTextKind } from '../../core/spills/spill-writer-messages.ts';
import { type SpillPartInfo, parseSpillInfo, type SpillInfo } from '../../core/spills/spill.ts';
import { fromToon, isToonResult } from '../../core/spills/toon.ts';
import { toObject } from '../../core/wire/raw-json.ts';
import { envelope, estimateTextTokens, errorEnvelope, readFlag } from './results.ts';
import {
  allowsTool,
  type DispatchConnection,
  findConnection,
  findVisibleTool,
  type VisibleCatalog,
} from './visible-catalog.ts';

interface DispatchedCall {
  readonly tool: CatalogEntry;
  readonly connection: DispatchConnection;
  readonly given: CallArguments;
  readonly meta: JsonObject | undefined;
  readonly wish: SpillOptions;
  readonly report: ReportInput;
}

/** Format of the result. */
interface ReportInput {
  readonly whole: boolean;
  /** The client app's model cannot read files. */
  readonly toolsOnly: boolean;
}

/** Rejects with AppError if nothing was called. */
export async function runCallAction(
  input: JsonObject,
  shown: VisibleCatalog,
  context: HelperContext,
): Promise<JsonObject> {
  const call = await readCall(input, shown, context);
  const { id, alias } = call.connection;
  const facts = { action: 'call', connection: { id, alias }, tool: call.tool.name };
  let result: JsonObject;
  try {
    result = toObject(await request(call, context));
  } catch (error) {
    if (isCancelled(error)) throw error;
    return errorEnvelope(facts, enriched(reasonOf(error, call), call, error));
  }
  if (result['isError'] === true) {
    const { blocks } = toolPayload({ ...result, structuredContent: undefined }, true);
    const { facts: spilled } = readSpilled(result, call.report);
    return errorEnvelope(
      { ...facts, ...spilled },
      enriched(textsOf(result) || 'The tool failed without an error message.', call),
      blocks,
    );
  }
  return answer(facts, result, call);
}

/** Validates in the documented order; the connection is checked when the tool is looked up. */
async function readCall(input: JsonObject, shown: VisibleCatalog, context: HelperContext): Promise<DispatchedCall> {
  const named = firstTextOf(input, ['tool', 'tool_name', 'name', 'path']);
  if (named === undefined) throw new AppError('bad_request', "Action 'call' requires a 'tool' name.");
  const handle = firstTextOf(input, ['connection', 'server']);
  const tool = findVisibleTool(named.text, handle?.text, shown, context);
  const given = await callArguments(input, [named.key, handle?.key ?? ''], context.spillFiles);
  const meta = input['meta'] ?? input['_meta'] ?? undefined;
  if (meta !== undefined && !isObject(meta)) {
    throw new AppError('bad_request', "Action 'call' requires 'meta' to be an object.");
  }
  const wish = readSpillWish(input);
  const toolsOnly = appTraits(context.author.app).toolsOnly === true;
  const report = { whole: context.fullResults === true, toolsOnly };
  return { tool, connection: findConnection(shown, tool.server), given, meta, wish, report };
}

function request(
  { tool, given, meta, wish }: DispatchedCall,
  context: HelperContext,
): ReturnType<HelperContext['callTool']> {
  return context.callTool({
    // The ID is unambiguous, whatever other tools are named.
    tool: tool.id,
    arguments: given.arguments,
    rest: meta && { _meta: meta },
    via: 'proxy-dispatch',
    errors: { maySuggest: (other) => allowsTool(context.toolFilter, other) },
    spill: wish,
  });
}

function answer(head: JsonObject, result: JsonObject, call: DispatchedCall): JsonObject {
  const { tool, connection, given, report } = call;
  const { id, alias, serverInfo } = connection;
  const spilled = readSpilled(result, report);
  const { text, blocks, format } = toolPayload(result, report.whole);
  const facts = {
    ...head,
    connection: { id, alias, serverInfo },
    tool: tool.name,
    arguments: given.echo,
    resultFormat: format,
    ...spilled.facts,
    ...errorOf(result, call),
  };
  if (spilled.text !== undefined) return envelope(facts, spilled.text, spilled.blocks);
  return envelope({ ...facts, estimatedTokens: estimateTextTokens(text) }, text, blocks);
}

/** Some servers report a failure as a member of their result. */
function errorOf({ error }: JsonObject, call: DispatchedCall): JsonObject {
  if (error === undefined || error === null) return {};
  return { error: typeof error === 'string' ? enriched(error, call) : error };
}

/** Codes of AppError that mean that the server is unavailable. */
const unreachable: ReadonlySet<string> = new Set([
  ...['command_not_found', 'server_disabled', 'server_exited', 'server_not_started'],
  ...['server_unauthorized', 'server_unreachable'],
]);

function reasonOf(error: unknown, { connection }: DispatchedCall): string {
  if (isUnfit(error)) return error.message;
  if (!(error instanceof AppError) || !unreachable.has(error.code)) return failureReason(error);
  return `Connection '${connection.alias}' is not available or does not expose callable tools: ${failureReason(error)}`;
}

/** Adds the problem with the parameters and, if they were rejected before the call, the schema. */
function enriched(text: string, { tool, given }: DispatchedCall, error?: unknown): string {
  const schema = usableSchema(tool.definition);
  const hint = argumentHint(given.arguments, schema);
  const isShown = isUnfit(error) && error.data?.['input_schema_shown'] !== undefined;
  const schemaText = isShown ? 'shown earlier.' : JSON.stringify(schema);
  const lines = [text, hint, isUnfit(error) ? `Schema: ${schemaText}` : undefined];
  return lines.filter((line) => line !== undefined).join('\n');
}

function isUnfit(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'arguments_invalid';
}

// The arguments of a call: given next to it, or in a file.

interface CallArguments {
  readonly arguments: JsonObject;
  /** Arguments repeated in the result. */
  readonly echo: JsonObject;
}

/** Members allowed in a call without arguments; any other was meant for the tool. */
const ownKeys: ReadonlySet<string> = new Set([
  ...['action', 'connection', 'tool', 'meta', '_meta', 'format', 'limit', 'refresh'],
  ...['argumentsFile', 'resultToFile', 'resultSizeThreshold'],
  ...['includeTools', 'includeInputSchema', 'includeAnnotations'],
  ...argumentKeys,
]);

/** `consumed`: keys used for the tool and connection names. Throws AppError `bad_request`. */
async function callArguments(
  input: JsonObject,
  consumed: readonly string[],
  files: SpillFiles,
): Promise<CallArguments> {
  const given = givenArguments(input);
  const file = input['argumentsFile'];
  if (given === undefined) refuseMisplaced(input, consumed);
  if (file === undefined || file === null) return { arguments: given ?? {}, echo: given ?? {} };
  if (typeof file !== 'string' || file.trim() === '') {
    throw new AppError('bad_request', "Action 'call' requires 'argumentsFile' to be the path of a file.");
  }
  return { arguments: parseFile(file, await readFile(file, files)), echo: { _fromFile: file } };
}

function givenArguments(input: JsonObject): JsonObject | undefined {
  for (const key of argumentKeys) {
    try {
      readArguments({ [key]: input[key] });
    } catch (cause) {
      throw new AppError('bad_request', `Action 'call' requires '${key}' to be an object.`, {
        fix: 'JSON text is accepted too.',
        cause,
      });
    }
  }
  return readArguments(input);
}

function refuseMisplaced(input: JsonObject, consumed: readonly string[]): void {
  const misplaced = Object.keys(input).filter((key) => !ownKeys.has(key) && !consumed.includes(key));
  if (misplaced.length === 0) return;
  const names = misplaced.slice(0, 20).map((key) => key.slice(0, 80));
  throw new AppError('bad_request', `It received downstream input(s) at the proxy level: ${names.join(', ')}.`, {
    fix: "Put the input of the tool into 'arguments'.",
  });
}

async function readFile(file: string, files: SpillFiles): Promise<string> {
  try {
    return await files.readText(file);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'not_found') throw new AppError('not_found', `File for arguments does not exist: ${file}.`);
    if (error.code !== 'bad_request') throw error;
    throw new AppError('bad_request', `Path for arguments is not a file: ${file}.`);
  }
}

function parseFile(file: string, text: string): JsonObject {
  let value: unknown;
  try {
    value = parseText(text);
  } catch (error) {
    throw new AppError('bad_request', `Invalid JSON in the file for arguments ${file}: ${errorText(error)}.`);
  }
  if (isObject(value)) return value;
  throw new AppError('bad_request', `The file for arguments ${file} must contain a JSON or TOON object.`);
}

/** Parses JSON or TOON. Any line of words is valid TOON for a string, so only structured values count. */
function parseText(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (/^\s*\{/.test(text)) throw error;
    const value = fromToon(text);
    if (typeof value !== 'object') throw error;
    return value;
  }
}

// Explains a failed call with parameters that the tool does not have.

/** Maximum number of names, because they come from a model and may be arbitrary. */
const maxNames = 20;
const maxNameLength = 60;

/** undefined if every parameter is known. */
function argumentHint(args: JsonObject, schema: JsonObject): string | undefined {
  const properties = objectOrEmpty(schema['properties']);
  const valid = Object.keys(properties);
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(properties, name));
  if (unknown.length === 0) return undefined;
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]).map(String) : [];
  const missing = required.filter((name) => !Object.hasOwn(args, name));
  return [
    `Unrecognised parameters: ${list(unknown, (name) => `'${name}' (${guess(name, valid)})`)}.`,
    ...(missing.length === 0 ? [] : [`Still missing: ${list(missing)}.`]),
    `Valid parameters: ${valid.length === 0 ? 'none' : list(valid)}.`,
  ].join(' ');
}

function guess(name: string, valid: readonly string[]): string {
  const meant = name.length > maxNameLength ? undefined : closestMatch(name, valid);
  return meant === undefined ? 'not in schema' : `did you mean '${meant}'?`;
}

function list(names: readonly string[], show: (name: string) => string = (name) => name): string {
  const shown = names.slice(0, maxNames).map((name) => show(name.slice(0, maxNameLength)));
  return [...shown, ...(names.length > maxNames ? [`${names.length - maxNames} more`] : [])].join(', ');
}

// The part of a tool's result used as the text, and the content blocks that follow unchanged.

interface ToolPayload {
  /** The first text: as JSON for an object or array, as TOON, or unchanged; otherwise the whole result. */
  readonly text: string;
  readonly format: 'json' | 'toon' | 'text';
  /** Content that the text would lose or garble: images, audio, resources, further texts. */
  readonly blocks: readonly unknown[];
}

/** `whole`: a plain text stays wrapped in its result, as in mini-a. */
function toolPayload(result: JsonObject, whole: boolean): ToolPayload {
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const [first, ...rest] = content;
  if (isToonResult(result) && isText(first)) return { text: first.text, format: 'toon', blocks: rest };
  const parsed = isText(first) ? parsedText(first.text) : undefined;
  if (parsed !== undefined) return asJson(parsed, rest);
  const texts = content.filter(isText);
  const blocks = content.filter((item) => !isText(item));
  const { structuredContent } = result;
  // Without text, the structured content is the result; otherwise it is kept if it contains more.
  if (texts.length === 0 && isObject(structuredContent)) return asJson(structuredContent, blocks);
  if (!whole && isText(first) && saysIt(content, structuredContent))
    return { text: first.text, format: 'text', blocks: rest };
  const { structuredContent: _said, ...unstructured } = result;
  const reduced = texts.some((text) => restates(structuredContent, text)) ? unstructured : result;
  return asJson({ ...reduced, ...('content' in result && { content: texts }) }, blocks);
}

/** Whether the texts contain every value of the structured content, or there is none. */
function saysIt(content: readonly unknown[], structuredContent: unknown): boolean {
  if (structuredContent === undefined) return true;
  const texts = content.filter(isText);
  const whole = texts.map(({ text }) => text).join('\n');
  const isNotified = (value: unknown): boolean => {
    if (Array.isArray(value)) return (value as unknown[]).every(isNotified);
    return isObject(value) ? Object.values(value).every(isNotified) : whole.includes(String(toPlainNumber(value)));
  };
  return texts.some((text) => restates(structuredContent, text)) || isNotified(structuredContent);
}

function asJson(value: unknown, blocks: readonly unknown[]): ToolPayload {
  return { text: JSON.stringify(value), format: 'json', blocks };
}

/** All texts of a result, separated by line feeds. */
function textsOf(result: JsonObject): string {
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  return content
    .filter(isText)
    .map(({ text }) => text)
    .join('\n');
}

function isText(item: unknown): item is { text: string } {
  return isObject(item) && item['type'] === 'text' && typeof item['text'] === 'string';
}

function parsedText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

// The caller's spill options, and facts about a result that the pipeline spilled.

interface SpilledResult {
  readonly facts: JsonObject;
  /** undefined if the result is returned unchanged. */
  readonly text: string | undefined;
  /** Content that the pipeline adds to its text: links, small texts, images. */
  readonly blocks: readonly unknown[];
}

/** Parsed before the tool is called. Throws AppError `bad_request`. */
function readSpillWish(input: JsonObject): SpillOptions {
  const toFile = readFlag(input, 'resultToFile', false);
  const threshold = readIntegerArgument(input, 'resultSizeThreshold', 0);
  return { ...(toFile && { toFile }), ...(threshold !== undefined && { threshold }) };
}

function readSpilled(result: JsonObject, { toolsOnly }: ReportInput): SpilledResult {
  const spilled = parseSpillInfo(result);
  if (spilled === undefined) return { facts: unspilledReason(result), text: undefined, blocks: [] };
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const [main] = spilled.parts;
  const facts = {
    resultFormat: main?.kind === 'toon' ? 'toon' : 'json',
    resultFile: main?.file,
    ...(spilled.exceeded !== undefined && { autoSpilled: true }),
  };
  return { facts, text: spilledText(spilled, toolsOnly), blocks: content.slice(1) };
}

/** The tool has already run, so if the spill cannot be written, the result is returned anyway. */
function unspilledReason({ _meta: meta }: JsonObject): JsonObject {
  const notStored = isObject(meta) ? meta['tooltray/notKept'] : undefined;
  return notStored === undefined ? {} : { notKept: notStored };
}

// Length of the preview of a spilled result, in characters.

const previewLength = 300;
const maxKeys = 50;

/** `toolsOnly`: omits the path. */
function spilledText({ exceeded, resultBytes, resultTokens, parts }: SpillInfo, toolsOnly: boolean): string {
  const [main, ...others] = parts;
  if (main === undefined) return '';
  const why = exceeded === undefined ? 'written' : 'auto-spilled';
  const limit = exceeded === undefined ? '' : ` (exceeded ${exceeded} bytes)`;
  return [
    `Result ${why} to temporary ${main.kind.toUpperCase()} file${limit}: ${toolsOnly ? main.id : main.file} (auto-deleted later).`,
    `Size: ${resultBytes} bytes (~${resultTokens} tokens).`,
    ...waysOn(main),
    `Format: ${main.kind.toUpperCase()}.`,
    ...shapeOf(main),
    ...others.map(({ id, kind, bytes }) => `Further part: ${kind}, ${bytes} bytes, resultFile='${id}'.`),
    ...(main.head === '' ? [] : [`Preview: ${preview(main)}`]),
  ].join('\n');
}

/** The suggested full call for this kind of content, and the other operations. */
function waysOn({ id, kind, uri, ...examples }: SpillPartInfo): string[] {
  if (!isTextKind(kind)) return [`Read it in full with resources/read ${uri}.`];
  const { look, others } = suggestNextRead(examples);
  return [`Read on: proxy-dispatch ${JSON.stringify({ action: 'readresult', resultFile: id, ...look })}`, others];
}

function shapeOf({ topLevelKeys, elements }: SpillPartInfo): string[] {
  if (elements !== undefined) return [`Result is an array with ${elements} element(s).`];
  if (topLevelKeys === undefined) return [];
  const more = topLevelKeys.length > maxKeys ? [`${topLevelKeys.length - maxKeys} more`] : [];
  return [`Top-level keys: [${[...topLevelKeys.slice(0, maxKeys), ...more].join(', ')}]`];
}

/** `tail` follows a truncated beginning. */
function preview({ head, tail }: SpillPartInfo): string {
  const shown = head.slice(0, previewLength).replace(/[\ud800-\udbff]$/, '');
  return tail === '' && shown === head ? shown : `${shown}...`;
}
