/** Makes one of Magg's administrative tools: its definition in short, and its answers in Magg's envelope of errors and output. */
import { AppError, errorText } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext, HelperTool } from '../mode.ts';

export interface MaggAnswer {
  readonly output?: unknown;
  readonly errors?: readonly string[];
}

export interface MaggTool {
  readonly name: string;
  readonly description: string;
  readonly properties?: JsonObject;
  readonly required?: readonly string[];
  /** It only looks. */
  readonly readOnly?: boolean;
  /** What is thrown becomes an error in the envelope. */
  readonly run: (input: JsonObject, context: HelperContext) => Promise<MaggAnswer>;
}

export function maggTool({ name, description, properties = {}, required = [], readOnly, run }: MaggTool): HelperTool {
  return {
    definition: {
      name,
      description,
      inputSchema: { type: 'object', properties, required },
      annotations: { readOnlyHint: readOnly === true },
    },
    admin: true,
    async run(input, context) {
      return toResult(await run(input, context).catch(toFailure));
    },
  };
}

function toFailure(error: unknown): MaggAnswer {
  if (error instanceof AppError && error.code === 'cancelled') throw error;
  return { errors: [errorText(error)] };
}

function toResult({ output = null, errors = [] }: MaggAnswer): JsonObject {
  const envelope = { errors: errors.length === 0 ? null : errors, output };
  return {
    content: [{ type: 'text', text: JSON.stringify(envelope), annotations: { mimeType: 'application/json' } }],
    structuredContent: envelope,
    ...(errors.length > 0 && { isError: true }),
  };
}
