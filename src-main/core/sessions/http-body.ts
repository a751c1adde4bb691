/** Reads the body of an HTTP request as JSON, up to a limit. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';

/** Throws AppError message_too_large or bad_request. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes)
      throw new AppError('message_too_large', `The request is larger than ${Math.round(maxBytes / 1024 / 1024)} MB.`);
    chunks.push(chunk);
  }
  try {
    return parseJson(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw new AppError('bad_request', 'The request is not JSON.', { cause: error });
  }
}
