/** Serves the dashboard's files and its state to the person's browser: same origin, opened by a link that only they have. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { sameToken } from '../core/security/access-token.ts';
import type { CoreState } from './contract.ts';

export interface PageServerOptions {
  /** Folder of the built page. */
  readonly root: string;
  /** undefined: no token is asked for. */
  readonly token: string | undefined;
  readonly state: () => CoreState;
}

const cookieName = 'tooltray';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const headers: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Answers false for a path that is not the page's. */
export async function servePage(
  request: IncomingMessage,
  response: ServerResponse,
  options: PageServerOptions,
): Promise<boolean> {
  if (request.method !== 'GET') return false;
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (url.pathname === '/' && url.searchParams.has('key')) {
    signIn(response, url.searchParams.get('key') ?? '', options.token);
    return true;
  }
  if (url.pathname === '/rpc/state') {
    const allowed = options.token === undefined || sameToken(cookieOf(request), options.token);
    reply(
      response,
      allowed ? 200 : 401,
      'application/json',
      allowed ? JSON.stringify(options.state()) : '{"error":"unauthorized"}',
    );
    return true;
  }
  return serveFile(response, options.root, url.pathname);
}

/** The key leaves the address bar for a cookie that scripts cannot read and other sites cannot send. */
function signIn(response: ServerResponse, key: string, token: string | undefined): void {
  const right = token === undefined || sameToken(key, token);
  const cookie = right ? { 'set-cookie': `${cookieName}=${key}; HttpOnly; SameSite=Strict; Path=/` } : {};
  response.writeHead(303, { ...headers, ...cookie, location: '/' }).end();
}

async function serveFile(response: ServerResponse, root: string, pathname: string): Promise<boolean> {
  const file = join(root, normalize(pathname === '/' ? '/index.html' : pathname));
  const type = types[extname(file)];
  if (type === undefined || !file.startsWith(root)) return false;
  try {
    reply(response, 200, type, await readFile(file));
    return true;
  } catch {
    return false;
  }
}

function reply(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { ...headers, 'content-type': type }).end(body);
}

function cookieOf(request: IncomingMessage): string {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1) ?? '';
}
