/**
 * Entry of the thread that parses an OpenAPI description and turns its operations into tools, because a description may
 * have megabytes, and YAML is parsed slowly.
 */
import { parentPort } from 'node:worker_threads';
import { toAppError } from '../../base/errors.ts';
import { type JsonObject, objectOrEmpty } from '../../base/json.ts';
import { type ApiOperation, toOperations } from './operations.ts';
import { invalid, parseDescription } from './parse-description.ts';

export interface DescriptionRequest {
  readonly text: string;
  /** Address or file of the text, for errors. */
  readonly place: string;
  readonly wanted: readonly string[] | undefined;
}

/** The part of a description that a server needs. */
export interface ApiDescription {
  /** The description's `info`. */
  readonly info: JsonObject;
  readonly operations: readonly ApiOperation[];
}

export type DescriptionResponse = { readonly number: number } & (
  | { readonly description: ApiDescription }
  | { readonly failure: { readonly text: string; readonly fix: string | undefined } }
);

/** Maximum length of all tools as JSON, in characters. */
const maxToolsLength = 4 * 1024 * 1024;

function describe({ text, place, wanted }: DescriptionRequest): ApiDescription {
  const document = parseDescription(text, place);
  const operations = toOperations(document, wanted);
  if (JSON.stringify(operations).length > maxToolsLength) {
    throw invalid(
      place,
      `Its ${operations.length} operations are too much for a list of tools.`,
      'Choose some in "operations".',
    );
  }
  return { info: objectOrEmpty(document['info']), operations };
}

parentPort?.on('message', ({ number, ...request }: DescriptionRequest & { readonly number: number }) => {
  let response: DescriptionResponse;
  try {
    response = { number, description: describe(request) };
  } catch (error) {
    const { message, fix } = toAppError(error);
    response = { number, failure: { text: message, fix } };
  }
  parentPort?.postMessage(response);
});
