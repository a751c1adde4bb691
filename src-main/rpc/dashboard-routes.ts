/**
 * The dashboard over HTTP: static files without authentication, everything else with the key. The key is sent in a
 * header, never in a cookie, because cookies of 127.0.0.1 are sent to every port. Host and Origin are checked before
 * this runs.
 */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { AppError, toAppError } from '../core/base/errors.ts';
import { isSameToken } from '../core/base/core-proof.ts';
import type { SpillFile } from '../core/spills/spill-store.ts';
import { decodePart, parseBody, readTextBody, requestPath } from '../core/sessions/http/http-io.ts';
import { rpcCode, RpcError } from '../core/wire/message.ts';
import type { RpcFailure } from './contract.ts';
import { type PageSignatures, proofHeader, type SignedRequest } from './page-key.ts';
import { type FrameDocument, framePath } from './view-frames.ts';
import type { StatePublisher } from './state-publisher.ts';

export interface DashboardRoutesOptions {
  /** Folder of the built page. */
  readonly root: string;
  /** undefined: no key is required (tests only). */
  readonly key: string | undefined;
  /** Verifies the page's signatures with that key. */
  readonly signatures: PageSignatures | undefined;
  readonly publisher: StatePublisher;
  readonly ask: (method: string, input: unknown, signal: AbortSignal) => Promise<Record<string, unknown>>;
  /** File of a spilled result. Rejects with AppError `not_found`. */
  readonly spillFile: (id: string) => Promise<SpillFile>;
  /** The frame document of a view, once; undefined for an unknown path. */
  readonly viewFrame: (path: string) => FrameDocument | undefined;
}

const maxInputBytes = 1024 * 1024;
const maxStreams = 20;

/** Returns false if the path does not belong to the dashboard. */
export async function handleDashboardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: DashboardRoutesOptions,
): Promise<boolean> {
  const pathname = requestPath(request);
  if (pathname.startsWith(framePath)) return serveFrame(pathname, request, response, options);
  if (!pathname.startsWith('/rpc/')) return servePage(pathname, request, response, options.root);
  try {
    const signed = requireEntry(request, options);
    if (signed !== undefined) response.setHeader(proofHeader, signed.proof);
    await handleRpcRequest(pathname.slice('/rpc/'.length), request, response, { ...options, signed });
  } catch (error) {
    sendError(response, error);
  }
  return true;
}

/** Returns false if the path is not a file of the dashboard. */
export async function servePage(
  path: string,
  { method }: IncomingMessage,
  response: ServerResponse,
  root: string,
): Promise<boolean> {
  const found = method === 'GET' ? await pageFile(root, path) : undefined;
  if (found === undefined) return false;
  response.writeHead(200, { ...pageHeaders, 'content-type': found.type }).end(found.body);
  return true;
}

/** No key is required: the URL contains a ticket that only the dashboard received. */
function serveFrame(
  path: string,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { viewFrame }: Pick<DashboardRoutesOptions, 'viewFrame'>,
): boolean {
  const isFrame = (headers['sec-fetch-dest'] ?? 'iframe') === 'iframe';
  const isOwn = (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';
  const found = method === 'GET' && isFrame && isOwn ? viewFrame(path) : undefined;
  if (found === undefined) sendError(response, new AppError('not_found', 'App view not found.'));
  else response.writeHead(200, found.headers).end(found.body);
  return true;
}

/** Throws AppError unauthorized or `not_allowed`. */
function requireEntry(
  { headers, method = '', url = '' }: IncomingMessage,
  { key, signatures }: DashboardRoutesOptions,
): SignedRequest | undefined {
  const site = headers['sec-fetch-site'];
  const isOwn = headers.origin === undefined || headers.origin === `http://${headers.host ?? ''}`;
  if (!isOwn || (site !== undefined && site !== 'same-origin' && site !== 'none')) {
    throw new AppError('not_allowed', 'Cross-origin requests are not allowed.');
  }
  const signed = signatures?.read(headers.authorization ?? '', method, url);
  if (signed !== undefined) return signed;
  // Other programs of the user may send the key itself; the dashboard signs instead.
  const given = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (key === undefined || (given !== undefined && isSameToken(given, key))) return undefined;
  throw new AppError('unauthorized', 'Invalid or missing dashboard key.', {
    fix: 'Open the link printed by "tooltray serve", or open the dashboard from the tray.',
  });
}

/** Handles requests below `/rpc/` of an authenticated viewer. Rejects with AppError if no response was sent yet. */
export async function handleRpcRequest(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  {
    publisher,
    ask,
    spillFile,
    signed,
  }: Pick<DashboardRoutesOptions, 'publisher' | 'ask' | 'spillFile'> & {
    readonly signed?: SignedRequest | undefined;
  },
): Promise<void> {
  if (request.method === 'GET' && path === 'events') {
    if (publisher.watchers >= maxStreams) throw new AppError('session_limit', 'Too many open dashboards.');
    response.writeHead(200, { ...pageHeaders, 'content-type': 'text/event-stream' });
    const lastId = request.headers['last-event-id'];
    streamState(response, publisher, typeof lastId === 'string' ? lastId : undefined);
  } else if (request.method === 'GET' && path.startsWith('spill/')) {
    sendFile(response, await spillFile(decodePart(path.slice('spill/'.length))));
  } else if (request.method === 'POST') {
    await handleRpcCall(path, request, response, ask, signed);
  } else {
    throw new AppError('unsupported', 'Use POST.');
  }
}

async function handleRpcCall(
  method: string,
  request: IncomingMessage,
  response: ServerResponse,
  ask: DashboardRoutesOptions['ask'],
  signed: SignedRequest | undefined,
): Promise<void> {
  // Forms of other pages can send other content types without a CORS preflight.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new AppError('bad_request', 'The content type must be application/json.');
  }
  const leaving = new AbortController();
  response.on('close', () => leaving.abort());
  const text = await readTextBody(request, maxInputBytes);
  if (signed?.isBody(text) === false) throw new AppError('unauthorized', 'The request signature does not match.');
  const answer = await ask(method, parseBody(text), leaving.signal);
  response.writeHead(200, { ...pageHeaders, 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

/** Sends a file with its content type, but never as an HTML document of this origin. */
function sendFile(
  response: ServerResponse,
  { file, mimeType }: { readonly file: string; readonly mimeType: string },
): void {
  const type = /^(image\/(png|jpeg|gif|webp)|audio\/[\w.+-]+)$/.test(mimeType) ? mimeType : 'application/octet-stream';
  const stream = createReadStream(file);
  stream.once('open', () => {
    response.writeHead(200, { ...pageHeaders, 'content-type': type, 'content-disposition': 'attachment' });
    stream.pipe(response);
  });
  stream.once('error', () => {
    if (!response.headersSent) sendError(response, new AppError('not_found', 'This result is no longer stored.'));
    else response.destroy();
  });
  response.on('close', () => stream.destroy());
}

const statuses: Readonly<Record<string, number>> = {
  bad_request: 400,
  unauthorized: 401,
  not_allowed: 403,
  not_found: 404,
  message_too_large: 413,
  session_limit: 429,
  store_unreachable: 503,
  unsupported: 405,
  internal: 500,
};

export function sendError(response: ServerResponse, error: unknown): void {
  const failure = toRpcFailure(error);
  if (response.headersSent) return void response.destroy();
  const status = statuses[failure.code] ?? 422;
  response.writeHead(status, { ...pageHeaders, 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: failure }));
}

export function toRpcFailure(error: unknown): RpcFailure {
  if (error instanceof RpcError && error.code === rpcCode.methodNotFound) {
    return { code: 'not_found', message: error.message, fix: 'Tooltray was updated. Reload the page.' };
  }
  const { code, message, fix } = error instanceof AppError ? error : toAppError(error);
  return { code, message, fix: fix ?? '' };
}

// The state as server-sent events, to one browser.

/** Interval of keep-alive comments that detect a dead connection, in ms. */
const heartbeatMs = 15_000;
/**
 * A client that does not keep up is disconnected: it reconnects with its last event ID and receives the changes since.
 */
const maxBufferedBytes = 4 * 1024 * 1024;

function streamState(response: ServerResponse, publisher: StatePublisher, lastId: string | undefined): void {
  response.write('retry: 1000\n\n');
  const leave = publisher.watch(({ id, text }) => {
    if (response.writableLength > maxBufferedBytes) response.destroy();
    else response.write(`id: ${id}\ndata: ${text}\n\n`);
  }, lastId);
  const heartbeat = setInterval(() => response.write(':\n\n'), heartbeatMs).unref();
  response.on('close', () => {
    clearInterval(heartbeat);
    leave();
  });
}

// The dashboard's built files, as served over HTTP and by Electron's protocol handler.

interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Headers of every page response: no foreign content is loaded, run, or framed, and no referrer is sent. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' blob:; object-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The file at a path of the dashboard; undefined if there is none. */
export async function pageFile(root: string, pathname: string): Promise<PageFile | undefined> {
  const file = join(root, normalize(pathname === '/' ? '/index.html' : pathname));
  const type = types[extname(file)];
  if (type === undefined || pathname.includes('\0') || !file.startsWith(root + sep)) return undefined;
  try {
    return { type, body: await readFile(file) };
  } catch {
    return undefined;
  }
}
