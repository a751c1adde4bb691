/**
 * Rejects requests from outside this machine. Only programs that address the listener as localhost, and pages that it
 * served itself, are allowed. DNS rebinding shows in the Host header; any other foreign page shows in Origin.
 */
import type { IncomingMessage } from 'node:http';
import { rpcCode } from '../../wire/message.ts';
import { type HttpRefusal, httpRefusal } from './http-io.ts';

const local = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;
/** Origin of a local page, with any scheme: apps that are web pages have their own (`tauri://localhost`). */
const localPage = /^[a-z][a-z0-9+.-]*:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** Undefined if the request is allowed. Source: MCP 2025-11-25 and 2026-07-28, basic/transports, "Security Warning". */
export function rejectForeignOrigin({ headers }: IncomingMessage): HttpRefusal | undefined {
  const { host, origin } = headers;
  if (host === undefined || !local.test(host))
    return httpRefusal(403, rpcCode.aborted, 'Host not allowed: Tooltray accepts only 127.0.0.1 and localhost.');
  if (origin !== undefined && origin !== '' && !localPage.test(origin))
    return httpRefusal(403, rpcCode.aborted, 'Origin not allowed: pages of other sites cannot access Tooltray.');
  return undefined;
}
