/** A raw client of Streamable HTTP: bodies are sent unchanged, and every message is kept with its text. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, Id, Params, RawMessage } from './raw-client.ts';

type Answer = (params: Params) => unknown;

/** Retry interval of a reply, in ms. */
const replyAgainMs = 100;

interface HttpExchange extends Exchange {
  readonly status: number;
}

/** The response is not MCP: from a proxy, or missing. */
export class NoAnswer extends Error {
  readonly status: number;

  constructor(id: Id, status: number, text = '') {
    super(`No answer to ${id} came: ${status} ${text}`);
    this.status = status;
  }
}

export class HttpClient {
  readonly notifications: RawMessage[] = [];
  readonly #url: string;
  readonly #headers: Record<string, string> = {};
  readonly #answers = new Map<string, Answer>();
  #nextId = 0;

  /** `modern`: sends the headers of 2026-07-28 requests. */
  readonly #modern: boolean;

  constructor(url: string, modern = false, headers: Readonly<Record<string, string>> = {}) {
    Object.assign(this.#headers, headers);
    this.#url = url;
    this.#modern = modern;
  }

  onRequest(method: string, answer: Answer): void {
    this.#answers.set(method, answer);
  }

  /** The handshake of 2025-11-25; later requests carry the session's ID. */
  async initialize(capabilities: Params = {}): Promise<Params> {
    const clientInfo = { name: 'http-client', version: '1.0.0' };
    const { message } = await this.exchange('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
    this.#headers['mcp-protocol-version'] = '2025-11-25';
    await this.#post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    return message.result ?? {};
  }

  exchange(method: string, params: Params = {}, signal?: AbortSignal): Promise<HttpExchange> {
    const id = (this.#nextId += 1);
    return this.exchangeText(id, JSON.stringify({ jsonrpc: '2.0', id, method, params }), signal);
  }

  /** Sends a body unchanged and resolves with the response to `id`. */
  async exchangeText(id: Id, body: string, signal?: AbortSignal): Promise<HttpExchange> {
    const response = await this.#post(body, signal);
    const session = response.headers.get('mcp-session-id');
    if (session !== null) this.#headers['mcp-session-id'] = session;
    for await (const line of messagesOf(response)) {
      const message = messageIn(line);
      if (message === undefined) throw new NoAnswer(id, response.status, line);
      if (message.method === undefined) return { message, line, status: response.status };
      if (message.id === undefined) this.notifications.push(message);
      else await this.#reply(message.id, message);
    }
    throw new NoAnswer(id, response.status);
  }

  /** Opens the stream for messages that belong to no request; the first one is `listening`. */
  async listen(told: (message: RawMessage) => void, signal?: AbortSignal): Promise<void> {
    const headers = { accept: 'text/event-stream', ...this.#headers };
    const response = await fetch(this.#url, { headers, ...(signal && { signal }) });
    if (!response.ok) throw new Error(`No stream: ${response.status} ${await response.text()}`);
    told({ method: 'listening' });
    for await (const line of messagesOf(response)) told(JSON.parse(line) as RawMessage);
  }

  /** Ends the session. */
  async end(): Promise<void> {
    await fetch(this.#url, { method: 'DELETE', headers: this.#headers });
  }

  async #reply(id: Id, { method = '', params = {} }: RawMessage): Promise<void> {
    const result = await this.#answers.get(method)?.(params);
    const body = JSON.stringify({ jsonrpc: '2.0', id, result });
    // Retries as told by the server.
    while ((await this.#post(body)).status === 503) await sleep(replyAgainMs);
  }

  #post(body: string, signal?: AbortSignal): Promise<Response> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...this.#headers,
      ...(this.#modern && modernHeaders(body)),
    };
    return fetch(this.#url, { method: 'POST', headers, body, ...(signal && { signal }) });
  }
}

/** Source: MCP 2026-07-28, basic/transports: parts of the body are repeated in headers. */
function modernHeaders(body: string): Record<string, string> {
  const { method, params = {} } = JSON.parse(body) as RawMessage;
  const name = params['name'] ?? params['uri'] ?? params['taskId'];
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method ?? '',
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
}

function messageIn(line: string): RawMessage | undefined {
  try {
    return JSON.parse(line) as RawMessage;
  } catch {
    return undefined;
  }
}

/** Texts of a response's messages: its body, or the events of its stream as they arrive. */
export async function* messagesOf(response: Response): AsyncGenerator<string> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    yield await response.text();
    return;
  }
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? new ReadableStream<Uint8Array>()) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []));
      if (data.join('') !== '') yield data.join('\n');
    }
  }
}
