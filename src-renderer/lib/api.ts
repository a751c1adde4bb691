/** Requests to the core: through the desktop app's bridge where available, else over HTTP. */
import type { RpcFailure, RpcMethod, RpcMethods } from '../../src-main/rpc/contract.ts';
import type { Bridge } from './bridge.d.ts';
import { signRequest } from './page-key.ts';

export type Input<M extends RpcMethod> = RpcMethods[M]['input'];
export type Output<M extends RpcMethod> = RpcMethods[M]['output'];

/** An error response of the core. */
export class ApiError extends Error implements RpcFailure {
  readonly code: string;
  readonly fix: string;

  constructor({ code, message, fix }: RpcFailure) {
    super(message);
    this.code = code;
    this.fix = fix;
  }
}

export const unreachableError: RpcFailure = {
  code: 'core_gone',
  message: 'Cannot reach Tooltray.',
  fix: 'It is stopped or restarting. Try again once this page has reconnected.',
};

const unverifiedServerError: RpcFailure = {
  code: 'unauthorized',
  message: 'Another program is listening on this address.',
  fix: 'Do not enter anything here. Open the dashboard from the link Tooltray printed, or from the tray.',
};

export const api = { ask, readSpill };

/** Rejects with ApiError. */
async function ask<M extends RpcMethod>(method: M, input: Input<M>, signal?: AbortSignal): Promise<Output<M>> {
  const answer = await (window.tooltray === undefined
    ? requestOverHttp(method, input, signal)
    : requestOverBridge(window.tooltray, method, input, signal));
  if ('error' in answer) throw new ApiError(answer.error);
  return answer.value as Output<M>;
}

/** The original bytes of a spilled result, for images, audio, and downloads. Rejects with ApiError. */
async function readSpill(id: string, signal?: AbortSignal): Promise<Blob> {
  const response = await send(`spill/${encodeURIComponent(id)}`, { signal });
  if (!response.ok) throw new ApiError(await failureOf(response));
  return response.blob();
}

type RpcResponse = { readonly value: unknown } | { readonly error: RpcFailure };

/** As over HTTP, a cancelled request rejects with the signal's reason. */
async function requestOverBridge(
  bridge: Bridge,
  method: string,
  input: unknown,
  signal: AbortSignal | undefined,
): Promise<RpcResponse> {
  signal?.throwIfAborted();
  const question = crypto.randomUUID();
  const takeBack = (): void => bridge.takeBack(question);
  signal?.addEventListener('abort', takeBack, { once: true });
  try {
    const answer = await bridge.request(method, input, question);
    signal?.throwIfAborted();
    return answer;
  } finally {
    signal?.removeEventListener('abort', takeBack);
  }
}

async function requestOverHttp(method: string, input: unknown, signal: AbortSignal | undefined): Promise<RpcResponse> {
  const headers = { 'content-type': 'application/json' };
  const response = await send(method, { method: 'POST', headers, body: JSON.stringify(input), signal });
  return response.ok ? { value: await response.json() } : { error: await failureOf(response) };
}

interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal | undefined;
}

async function send(path: string, { signal, headers, ...init }: Sending): Promise<Response> {
  const signed = await signRequest(init.method ?? 'GET', `/rpc/${path}`, init.body);
  let response: Response;
  try {
    response = await fetch(`/rpc/${path}`, {
      ...init,
      signal: signal ?? null,
      headers: { ...signed.headers, ...headers },
      cache: 'no-store',
    });
  } catch (cause) {
    // Callers must be able to recognize their own cancellation.
    if (signal?.aborted) throw cause;
    throw new ApiError(unreachableError);
  }
  if (response.ok && !signed.isAnsweredBy(response)) throw new ApiError(unverifiedServerError);
  return response;
}

export async function failureOf(response: Response): Promise<RpcFailure> {
  try {
    return ((await response.json()) as { readonly error: RpcFailure }).error;
  } catch {
    return { code: 'internal', message: `Tooltray returned HTTP ${response.status}.`, fix: 'See the log for details.' };
  }
}

/** Converts any thrown value to an error that can be shown. */
export function toFailure(error: unknown): RpcFailure {
  if (error instanceof ApiError) return error;
  return { code: 'page', message: error instanceof Error ? error.message : String(error), fix: '' };
}

/** The error and its fix. */
export function formatFailure({ message, fix }: RpcFailure): string {
  return `${message} ${fix}`.trim();
}
