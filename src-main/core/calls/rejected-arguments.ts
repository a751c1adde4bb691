/**
 * Adds the schema to a server's rejection of arguments, because lists show less than the schema and the caller may not
 * have seen it.
 */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { shapeSchema } from '../condense/shape-schema.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { scalarOf, RawJson } from '../wire/raw-json.ts';
import type { CallerContext, CallRequest } from './call-tool.ts';
import { validationErrors } from './validate-arguments.ts';
import type { SchemaChecker } from './schema-check.ts';

/** The server's error, with the schema in its message, or a note that the schema was shown before. */
export class ArgumentsRejectedError extends RpcError {
  /** The server's message, unchanged. */
  readonly serverMessage: string;
  readonly schemaText: string;
  readonly isShown: boolean;

  constructor({ code, message, data }: RpcError, { text, isShown }: SchemaLine) {
    super(code, `${message}\n${text}`, data);
    this.serverMessage = message;
    this.schemaText = text;
    this.isShown = isShown;
  }
}

interface SchemaLine {
  readonly text: string;
  /** Whether the model has read the schema before, so that the message omits it. */
  readonly isShown: boolean;
}

interface RefusedCall {
  readonly tool: CatalogEntry;
  readonly request: CallRequest;
  readonly context: Pick<CallerContext, 'mode' | 'shownSchemas'>;
}

/** Returns a server's error with an explanation for the caller, or the same error if it is not about the arguments. */
export async function withSchemaHint(error: RpcError, call: RefusedCall, schemas: SchemaChecker): Promise<RpcError> {
  const isRefusal = error.code === rpcCode.invalidParams && !saysUnknown.test(error.message);
  const isDefect = error.code === rpcCode.invalidParams || error.code === rpcCode.internal;
  const line = (isRefusal || (isDefect && (await isMisfit(call, schemas)))) && schemaLineOf(call);
  return line ? new ArgumentsRejectedError(error, line) : error;
}

function mayBeRefusal(result: Result): result is JsonObject {
  return !(result instanceof RawJson) && scalarOf(result, 'isError') === true;
}

/** The same for a result that reports a failure; other members stay unchanged. */
export async function withSchemaHintInResult(
  result: Result,
  call: RefusedCall,
  schemas: SchemaChecker,
): Promise<Result> {
  if (!mayBeRefusal(result)) return result;
  const line = (saysInvalid(result) || (await isMisfit(call, schemas))) && schemaLineOf(call);
  return line ? withText(result, `\n${line.text}`) : result;
}

/** Appends a text to the last text block; other blocks stay unchanged. */
export function withText(result: JsonObject, text: string): JsonObject {
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const last = content.findLastIndex(isText);
  const block = content[last];
  if (!isText(block)) return { ...result, content: [...content, { type: 'text', text: text.trimStart() }] };
  return { ...result, content: content.with(last, { ...block, text: block.text + text }) };
}

/** The SDKs also use -32602 for a tool that is unknown or unavailable. */
const saysUnknown = /\b(?:unknown|no such) tool\b|\btool\b.{0,200}\b(?:not found|disabled|does not exist)\b/is;

/** The SDKs put the error code at the beginning of a text, so only this many characters are searched. */
const maxErrorPrefixLength = 500;

/** The TypeScript SDK reports its own validation in a result that contains the error code. */
function saysInvalid(result: JsonObject): boolean {
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const text = content.find(isText)?.text.slice(0, maxErrorPrefixLength) ?? '';
  return text.includes(String(rpcCode.invalidParams)) && !saysUnknown.test(text);
}

/** Arguments passed through a helper tool were validated before the call. */
async function isMisfit({ tool, request }: RefusedCall, schemas: SchemaChecker): Promise<boolean> {
  if (request.via !== undefined) return false;
  return (await validationErrors(tool.definition, request.arguments ?? {}, schemas)).length > 0;
}

/** Returns undefined if there is no schema to show, or if another text shows it. */
function schemaLineOf(call: RefusedCall): SchemaLine | undefined {
  const { tool, request, context } = call;
  // An endpoint of one server passes everything unchanged.
  if (context.mode === 'server' || request.errors?.helperAddsSchema === true) return undefined;
  const schema = shapeSchema(usableSchema(tool.definition), true);
  if (Object.keys(schema).length === 1) return undefined;
  const isShown = wasShown(call);
  const said = isShown ? 'shown earlier.' : JSON.stringify(schema);
  return { text: `Schema of ${request.errors?.spelling ?? request.tool}: ${said}`, isShown };
}

/** Removes the schema from an error of our own validation if the model has read it before. */
export function withoutShownSchema(error: unknown, call: RefusedCall): unknown {
  if (!(error instanceof AppError) || error.code !== 'arguments_invalid') return error;
  if (call.request.errors?.helperAddsSchema === true || !wasShown(call)) return error;
  const { message, fix, data } = error;
  const { input_schema: _shown, ...rest } = data ?? {};
  return new AppError('arguments_invalid', message, {
    ...(fix !== undefined && { fix }),
    data: { ...rest, input_schema_shown: 'earlier' },
    cause: error,
  });
}

/** Returns whether the model has read the tool's schema in its session; from now on it has. */
function wasShown({ tool, request, context: { shownSchemas } }: RefusedCall): boolean {
  if (shownSchemas === undefined || shownSchemas.has(tool)) return shownSchemas !== undefined;
  if (request.source !== 'program') shownSchemas.note(tool);
  return false;
}

function isText(block: unknown): block is JsonObject & { text: string } {
  return isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string';
}
