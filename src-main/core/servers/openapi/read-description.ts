/** Reads an OpenAPI description from a file or an address. */
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, errorText } from '../../base/errors.ts';
import { formatBytes } from '../../base/text-format.ts';
import { RequestThread } from '../../base/worker-thread.ts';
import { resolveWorkerUrl } from '../../base/workers.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import type { ApiDescription, DescriptionRequest, DescriptionResponse } from './description-worker.ts';
import { invalid } from './parse-description.ts';
import { readLimited } from '../network/read-limited.ts';

/** Maximum size of a description, in bytes. GitHub's has 12 MB as JSON. */
const maxBytes = 16 * 1024 * 1024;
const timeoutMs = 30_000;

/**
 * `place`: an http(s) address, or the path of a file. `wanted`: see `toOperations`. Rejects with AppError
 * `config_invalid` for a description that cannot be read or used, `server_unreachable` if its address does not respond.
 */
export async function readDescription(
  place: string,
  wanted: readonly string[] | undefined,
  fetch: FetchLike,
): Promise<ApiDescription> {
  const text = /^https?:/i.test(place) ? await fetchText(place, fetch) : await readText(place);
  const thread = new RequestThread<DescriptionRequest, DescriptionResponse>({
    entry: resolveWorkerUrl('description-worker', import.meta.url),
    memory: 512,
    idleTimeoutMs: 1000,
  });
  let isTooSlow = false;
  const timer = setTimeout(() => {
    isTooSlow = true;
    void thread.close();
  }, timeoutMs);
  try {
    const response = await thread.request({ text, place, wanted }).catch((error: unknown) => {
      throw invalid(
        place,
        isTooSlow ? `Parsing takes more than ${timeoutMs / 1000} s.` : `It could not be parsed: ${errorText(error)}`,
        'Keep only the operations that are needed.',
      );
    });
    if ('description' in response) return response.description;
    const { text: reason, fix } = response.failure;
    throw new AppError('config_invalid', reason, { ...(fix !== undefined && { fix }) });
  } finally {
    clearTimeout(timer);
    await thread.close();
  }
}

async function readText(place: string): Promise<string> {
  const path = place.startsWith('file:') ? fileURLToPath(place) : resolve(place);
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    if (size > maxBytes) throw tooLarge(place);
    return await file.readFile('utf8');
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw invalid(place, errorText(error), 'Write the whole path of the file, or an address.');
  }
}

async function fetchText(place: string, fetch: FetchLike): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(place, {
      headers: { accept: 'application/json, application/yaml;q=0.9, */*;q=0.5' },
      signal,
    });
  } catch (error) {
    throw new AppError('server_unreachable', `The description at ${place} cannot be fetched: ${errorText(error)}`);
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw invalid(place, `Its address responded with HTTP ${response.status}.`, 'Save it as a file, and name that.');
  }
  const bytes = await readLimited(response, maxBytes);
  if (bytes === undefined) throw tooLarge(place);
  return bytes.toString('utf8');
}

function tooLarge(place: string): AppError {
  return invalid(place, `It has more than ${formatBytes(maxBytes)}.`, 'Keep only the operations that are needed.');
}
