/** Turns a finished call into its record in the audit: hashes and sizes of what was said, never the words. */
import { AppError, errorText } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Audit } from '../trust/audit/audit.ts';
import { canonicalHash } from '../trust/canonical-json.ts';
import { type Result, RpcError } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import type { FinishedCall } from './call-tool.ts';

export type NoteCall = (call: FinishedCall, durationMs: number, said: SaidTexts) => void;

interface SaidTexts {
  /** JSON. */
  readonly arguments: string;
  /** What the server answered, as JSON, where that is at hand. */
  readonly result: string | undefined;
}

/** Off the call's way: it hashes. */
export function callNotes(audit: Audit): NoteCall {
  /** A definition is the same object for as long as the listing is. */
  const pins = new WeakMap<JsonObject, string>();
  const pinOf = (definition: JsonObject): string => {
    const pin = pins.get(definition) ?? canonicalHash(definition);
    pins.set(definition, pin);
    return pin;
  };
  return (call, durationMs, said) => {
    const { request, context, tool, outcome, failure, result } = call;
    const server = tool?.server ?? request.server ?? '';
    const who = { app: context.app, session: context.sessionId, server, tool: tool?.name ?? request.tool };
    const args = audit.digest(said.arguments);
    if (outcome === 'blocked') {
      const { rule } = failure instanceof AppError ? ruleOf(failure) : {};
      const refused = { code: codeOf(failure), sentence: errorText(failure), rule, via: request.via, arguments: args };
      audit.note({ kind: 'refusal', of: 'call', ...who, ...refused });
      return;
    }
    audit.note({
      ...{ kind: 'call', ...who, mode: context.mode, via: request.via },
      pin: tool && pinOf(tool.definition),
      arguments: args,
      result: result && audit.digest(...saidIn(result, said.result)),
      outcome,
      ...(failure !== undefined && { code: codeOf(failure) }),
      ms: Math.round(durationMs * 10) / 10,
    });
  };
}

function saidIn(result: Result, text: string | undefined): [string | readonly Buffer[], number?] {
  return result instanceof RawJson ? [result.chunks, result.byteLength] : [text ?? JSON.stringify(result)];
}

/** `TOOL_QUARANTINED`, `SERVER_MISMATCH`: what refused it, where that has a name. */
function ruleOf({ data }: AppError): { readonly rule?: string } {
  return typeof data?.['code'] === 'string' ? { rule: data['code'] } : {};
}

export function codeOf(failure: unknown): string {
  if (failure instanceof AppError) return failure.code;
  return failure instanceof RpcError ? String(failure.code) : 'internal';
}
