/** Subscribes to the core's state: reconnects when the connection is lost, and disconnects while the page is hidden. */
import { createParser } from 'eventsource-parser';
import type { StateChange } from '../../src-main/rpc/contract.ts';
import { signRequest } from './page-key.ts';

/**
 * `gone`: no response. `unauthorized`: the core runs, but the page lacks its key.
 * `signed-out`: a team's core, and this browser is not signed in.
 */
export type Connection = 'connecting' | 'live' | 'gone' | 'unauthorized' | 'signed-out';

export interface StreamListener {
  onChange(change: StateChange): void;
  onConnection(connection: Connection): void;
}

const minRetryMs = 500;
const maxRetryDelayMs = 4_000;
/** The core sends something every 15 s; a connection that is silent for longer is dead. */
const heartbeatTimeoutMs = 40_000;

/** Starts listening; returns a function that stops it. */
export function watchState(listener: StreamListener): () => void {
  const { tooltray } = window;
  if (tooltray === undefined) return new StateStream(listener).start();
  return tooltray.watch((change) => {
    listener.onConnection('live');
    listener.onChange(change);
  });
}

class StateStream {
  readonly #listener: StreamListener;
  #lastId: string | undefined;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauseMs = minRetryMs;

  constructor(listener: StreamListener) {
    this.#listener = listener;
  }

  start(): () => void {
    document.addEventListener('visibilitychange', this.#follow);
    this.#follow();
    return () => {
      document.removeEventListener('visibilitychange', this.#follow);
      this.#close();
    };
  }

  /** A browser opens six connections per origin: background tabs would block the others. */
  readonly #follow = (): void => {
    this.#close();
    if (!document.hidden) void this.#listen();
  };

  #close(): void {
    clearTimeout(this.#timer);
    this.#controller?.abort();
    this.#controller = undefined;
  }

  async #listen(): Promise<void> {
    const line = new AbortController();
    this.#controller = line;
    const ending = await this.#read(line).catch((): Connection => 'gone');
    if (this.#controller !== line) return;
    this.#listener.onConnection(ending);
    line.abort();
    // Signing in reloads the page.
    if (ending === 'signed-out') return;
    this.#timer = setTimeout(() => void this.#listen(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxRetryDelayMs);
  }

  /** Resolves to the connection's state when it has ended. */
  async #read(line: AbortController): Promise<Connection> {
    const resume = this.#lastId === undefined ? undefined : { 'last-event-id': this.#lastId };
    const silence = new IdleTimer(() => line.abort(), heartbeatTimeoutMs);
    try {
      const signed = await signRequest('GET', '/rpc/events');
      const response = await fetch('/rpc/events', { headers: { ...signed.headers, ...resume }, signal: line.signal });
      if (response.status === 401 && response.headers.has('tooltray-sign-in')) return 'signed-out';
      if (response.status === 401 || response.status === 403) return 'unauthorized';
      // Responses of another program at our address are not shown.
      if (response.ok && !signed.isAnsweredBy(response)) return 'unauthorized';
      if (!response.ok || response.body === null) return 'gone';
      const parser = createParser({ onEvent: ({ id, data }) => this.#emit(id, data) });
      const text = response.body.pipeThrough(new TextDecoderStream());
      const reader = text.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return 'gone';
        silence.begin();
        parser.feed(value);
      }
    } finally {
      silence.end();
    }
  }

  #emit(id: string | undefined, data: string): void {
    this.#lastId = id ?? this.#lastId;
    this.#pauseMs = minRetryMs;
    this.#listener.onConnection('live');
    this.#listener.onChange(JSON.parse(data) as StateChange);
  }
}

/** Fires if nothing was received for a while. */
class IdleTimer {
  readonly #ring: () => void;
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ring: () => void, ms: number) {
    this.#ring = ring;
    this.#ms = ms;
    this.begin();
  }

  begin(): void {
    this.end();
    this.#timer = setTimeout(this.#ring, this.#ms);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
