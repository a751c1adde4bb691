/** What a model says a call is for, in MCPProxy's two forms: nested, where it must name the operation, or flat. */
import { type Intent, intents } from '../../calls/check-intent.ts';
import { isObject, type JsonObject, parseJson } from '../../base/json.ts';

export interface IntentProblem {
  readonly code:
    | 'MISSING_INTENT'
    | 'MISSING_OPERATION_TYPE'
    | 'INVALID_OPERATION_TYPE'
    | 'INTENT_MISMATCH'
    | 'INVALID_SENSITIVITY'
    | 'REASON_TOO_LONG';
  readonly error: string;
}

const sensitivities = ['public', 'internal', 'private', 'unknown'];
/** In bytes of UTF-8. */
const longestReason = 1000;

/** Names that a declaration uses in the input of a call. */
export const intentKeys: readonly string[] = ['intent', 'intent_data_sensitivity', 'intent_reason'];

/** What is wrong with the declaration for a call through `call_tool_<variant>`. Declaring nothing is the flat form, and fine. */
export function intentProblem(input: JsonObject, variant: Intent): IntentProblem | undefined {
  if (input['intent'] === undefined) {
    return detailProblem(input['intent_data_sensitivity'], input['intent_reason']);
  }
  const intent = toObject(input['intent']);
  if (intent === undefined) return { code: 'MISSING_INTENT', error: '"intent" is not an object.' };
  const { operation_type: type, data_sensitivity: sensitivity, reason } = intent;
  if (type === undefined || type === null || type === '') {
    return {
      code: 'MISSING_OPERATION_TYPE',
      error: `"intent.operation_type" is missing; for this tool it is "${variant}".`,
    };
  }
  if (!(intents as readonly unknown[]).includes(type)) {
    return { code: 'INVALID_OPERATION_TYPE', error: `"intent.operation_type" is none of ${intents.join(', ')}.` };
  }
  if (type !== variant) {
    return {
      code: 'INTENT_MISMATCH',
      error: `The intent says ${JSON.stringify(type)} and the call went through call_tool_${variant}.`,
    };
  }
  return detailProblem(sensitivity ?? input['intent_data_sensitivity'], reason ?? input['intent_reason']);
}

/** What a declaration that has no problem says the call is for. */
export function declaredReason(input: JsonObject): string | undefined {
  const reason = toObject(input['intent'])?.['reason'] ?? input['intent_reason'];
  return typeof reason === 'string' && reason !== '' ? reason : undefined;
}

/** How sensitive such a declaration says the data is. */
export function declaredSensitivity(input: JsonObject): string | undefined {
  const sensitivity = toObject(input['intent'])?.['data_sensitivity'] ?? input['intent_data_sensitivity'];
  return sensitivities.find((one) => one === sensitivity);
}

function detailProblem(sensitivity: unknown, reason: unknown): IntentProblem | undefined {
  if (isGiven(sensitivity) && !sensitivities.includes(sensitivity as string)) {
    return { code: 'INVALID_SENSITIVITY', error: `The data sensitivity is none of ${sensitivities.join(', ')}.` };
  }
  if (isGiven(reason) && (typeof reason !== 'string' || Buffer.byteLength(reason) > longestReason)) {
    return { code: 'REASON_TOO_LONG', error: `The reason is not a text of at most ${longestReason} bytes.` };
  }
  return undefined;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function toObject(value: unknown): JsonObject | undefined {
  if (typeof value !== 'string') return isObject(value) ? value : undefined;
  try {
    return toObject(parseJson(value));
  } catch {
    return undefined;
  }
}
