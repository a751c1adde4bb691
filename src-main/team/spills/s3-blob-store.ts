/**
 * Stores the bytes of spills in an S3-compatible object store. Objects are written whole or in parts and read by
 * ranges. Conditional requests are never used (OpenStack Swift rejects them, others ignore them), and objects are never
 * listed: the database rows say which exist.
 */
import { S3mini } from 's3mini';
import { AppError } from '../../core/base/errors.ts';
import { textOrEmpty } from '../../core/base/json.ts';
import { Semaphore } from '../../core/base/semaphore.ts';
import { type BlobStore, type BlobKey, type Chunks, blobStoreUnreachable } from './blob-store.ts';
import type { S3Config } from './s3-config.ts';

interface ObjectBytesOptions {
  /** Timeout of one request, in ms; 10,000 by default. */
  readonly requestMs?: number;
  readonly fetch?: typeof fetch;
}

/**
 * Size of an upload part (S3 requires at least 5 MiB) and of a download range: the maximum of a result in memory at
 * once.
 */
const partBytes = 8 * 1024 * 1024;
/**
 * Results above this size are uploaded a few at a time, so that a burst of them is not in memory together; smaller
 * ones do not wait for them.
 */
const multipartThresholdBytes = 1024 * 1024;
const multipartConcurrency = 4;
const defaultRequestTimeoutMs = 10_000;
/** Maximum attempts of a request that failed in transit. */
const maxAttempts = 2;
const what = 'object store';

export class S3BlobStore implements BlobStore {
  readonly #address: S3Config;
  readonly #requestMs: number;
  readonly #fetch: typeof fetch;
  readonly #multipart = new Semaphore(multipartConcurrency);

  constructor(address: S3Config, { requestMs = defaultRequestTimeoutMs, fetch: ask = fetch }: ObjectBytesOptions = {}) {
    this.#address = address;
    this.#requestMs = requestMs;
    this.#fetch = ask;
  }

  async put(key: BlobKey, pieces: Chunks, bytes: number, signal: AbortSignal): Promise<void> {
    if (bytes < multipartThresholdBytes) return this.#put(this.#name(key), pieces, bytes, signal);
    if (!(await this.#multipart.acquire(signal))) throw blobStoreUnreachable(what, signal.reason);
    try {
      await this.#put(this.#name(key), pieces, bytes, signal);
    } finally {
      this.#multipart.release();
    }
  }

  async #put(name: string, pieces: Chunks, bytes: number, signal: AbortSignal): Promise<void> {
    if (bytes <= partBytes) {
      for await (const piece of pieces(partBytes)) await this.#try(signal, (client) => client.putObject(name, piece));
      return;
    }
    const upload = await this.#try(signal, (client) => client.getMultipartUploadId(name));
    try {
      const parts: Awaited<ReturnType<S3mini['uploadPart']>>[] = [];
      for await (const piece of pieces(partBytes)) {
        parts.push(await this.#try(signal, (client) => client.uploadPart(name, upload, piece, parts.length + 1)));
      }
      const { etag } = await this.#try(signal, (client) => client.completeMultipartUpload(name, upload, parts));
      // S3 may respond with status 200 and report a failure in the body.
      if (typeof etag !== 'string')
        throw blobStoreUnreachable(what, new Error('The multipart upload was not completed.'));
    } catch (error) {
      // Uploaded parts of an incomplete upload are billed and not listed, so they are deleted.
      const leaving = AbortSignal.timeout(this.#requestMs);
      await this.#client(leaving)
        .abortMultipartUpload(name, upload)
        .catch(() => undefined);
      throw error;
    }
  }

  async *read(key: BlobKey, bytes: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const name = this.#name(key);
    let [at, left] = [0, maxAttempts];
    while (at < bytes) {
      const end = Math.min(at + partBytes, bytes);
      try {
        const answer = await this.#client(signal).getObjectRaw(name, false, at, end);
        if (answer.status !== 206 && !(answer.status === 200 && at === 0 && end === bytes)) {
          await answer.body?.cancel();
          throw new AppError('store_unreachable', 'The object store does not support range requests.');
        }
        for await (const chunk of answer.body ?? []) {
          at += chunk.length;
          yield chunk;
        }
        if (at < end) throw new Error('The object store closed the response early.');
        left = maxAttempts;
      } catch (error) {
        // Received bytes were already passed on; only the rest is requested.
        left--;
        if (left === 0 || !isRetryable(error, signal)) throw errorMessageOf(error);
      }
    }
  }

  async remove(key: BlobKey, signal: AbortSignal): Promise<void> {
    await this.#try(signal, (client) => client.deleteObject(this.#name(key))).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'not_found')) throw error;
    });
  }

  /** Checks write access by writing an object. Rejects as the other methods do. */
  async probe(): Promise<void> {
    const name = `${this.#address.prefix}probe`;
    const signal = AbortSignal.timeout(this.#requestMs);
    await this.#try(signal, (client) => client.putObject(name, new Uint8Array([1])));
    await this.#try(signal, (client) => client.deleteObject(name));
  }

  #name({ id }: BlobKey): string {
    return `${this.#address.prefix}spills/${id}`;
  }

  async #try<T>(signal: AbortSignal, work: (client: S3mini) => Promise<T>): Promise<T> {
    for (let failed = 1; ; failed++) {
      try {
        return await work(this.#client(signal));
      } catch (error) {
        if (failed >= maxAttempts || !isRetryable(error, signal)) throw errorMessageOf(error);
      }
    }
  }

  /** Returns a client with a timeout per request and the caller's signal for all of them. */
  #client(signal: AbortSignal): S3mini {
    const { endpoint, region, accessKeyId, secretAccessKey } = this.#address;
    const ask = (input: RequestInfo | URL, init?: RequestInit): Promise<Response> =>
      this.#fetch(input, {
        ...init,
        // The signature is valid for this URL only.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(this.#requestMs)]),
      });
    return new S3mini({ endpoint, region, accessKeyId, secretAccessKey, fetch: ask });
  }
}

/** Returns whether the error is temporary: a transient status or a broken connection, not a rejection by the store. */
function isRetryable(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted || error instanceof AppError) return false;
  const { status } = error as { readonly status?: unknown };
  return typeof status !== 'number' || status >= 500 || status === 429;
}

function errorMessageOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { status, code } = (error ?? {}) as { readonly status?: unknown; readonly code?: unknown };
  if (typeof status === 'number' && status !== 404 && status < 500) {
    return new AppError('store_unreachable', `The ${what} rejected the request: ${status} ${textOrEmpty(code)}.`, {
      fix: 'Check the access key and the bucket.',
      cause: error,
    });
  }
  if (status === 404)
    return new AppError('not_found', 'The spill content is no longer in the object store.', { cause: error });
  return blobStoreUnreachable(what, error);
}
