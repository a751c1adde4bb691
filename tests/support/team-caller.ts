/** Sends requests to replicas over HTTP, and returns responses with status and session. */
import { randomUUID } from 'node:crypto';
import { bearer } from './callers.ts';
import { messagesOf } from './http-client.ts';
import type { Params, RawMessage } from './raw-client.ts';
import { teamToken } from './start-replica.ts';

export interface Answer {
  readonly status: number;
  /** Value of `Mcp-Session-Id`; empty if missing. */
  readonly session: string;
  readonly message: RawMessage;
}

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'team-app', version: '1' } };

/** A handshake session; the response contains its ID. */
export function openSession(url: string, token = teamToken): Promise<Answer> {
  return post(url, 'initialize', hello, '', token);
}

/** One request, in a session if given. The last message of a stream is the response. */
export async function post(
  url: string,
  method: string,
  params: Params = {},
  session = '',
  token = teamToken,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const headers = {
    ...more,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...bearer(token),
    ...(session !== '' && { 'mcp-session-id': session }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params });
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const data = isStream
    ? text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
    : [text];
  const message = JSON.parse(data.at(-1) ?? '{}') as RawMessage;
  return { status: response.status, session: response.headers.get('mcp-session-id') ?? '', message };
}

/** A 2026-07-28 stream of changes; resolves when it is open. */
export async function listenAt(
  url: string,
  notifications: Params,
  token = teamToken,
): Promise<AsyncDisposable & { readonly told: readonly RawMessage[] }> {
  const told: RawMessage[] = [];
  const leave = new AbortController();
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'listener', version: '1' },
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'subscriptions/listen',
    ...bearer(token),
  };
  const params = { notifications, _meta: meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
  const response = await fetch(url, { method: 'POST', headers, body, signal: leave.signal });
  const read = async (): Promise<void> => {
    for await (const text of messagesOf(response)) told.push(JSON.parse(text) as RawMessage);
  };
  const reading = read().catch(() => undefined);
  return {
    told,
    [Symbol.asyncDispose]: async () => {
      leave.abort();
      await reading;
    },
  };
}
