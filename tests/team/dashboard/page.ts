/**
 * A page of a team's dashboard, as a replica sees it: signed in by a cookie, with its requests and its state stream.
 */
import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { AppState, RpcFailure, RpcMethod, RpcMethods } from '../../../src-main/rpc/contract.ts';
import type { TestReplica } from '../../support/start-replica.ts';

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** With node:http, because fetch does not allow setting Host or Origin. */
export function send(
  { port }: Pick<TestReplica, 'port'>,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: { ...response.headers }, body: text }),
      );
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

export const json = { 'content-type': 'application/json' };

export function enter(at: Pick<TestReplica, 'port'>, token: string, headers = {}): Promise<Answered> {
  return send(at, 'POST', '/session', { ...json, ...headers }, JSON.stringify({ token }));
}

export class Page {
  readonly cookie: string;
  readonly #at: Pick<TestReplica, 'port'>;

  static async open(at: Pick<TestReplica, 'port'>, token: string): Promise<Page> {
    const { status, headers, body } = await enter(at, token);
    if (status !== 200) throw new Error(body);
    return new Page(at, String(headers['set-cookie']).split(';')[0] ?? '');
  }

  constructor(at: Pick<TestReplica, 'port'>, cookie: string) {
    this.#at = at;
    this.cookie = cookie;
  }

  /** The same browser, routed to another replica. */
  at(other: Pick<TestReplica, 'port'>): Page {
    return new Page(other, this.cookie);
  }

  send(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Answered> {
    return send(this.#at, method, path, { cookie: this.cookie, ...json, ...headers }, body);
  }

  async ask<M extends RpcMethod>(method: M, input: RpcMethods[M]['input']): Promise<RpcMethods[M]['output']> {
    const { status, body } = await this.send('POST', `/rpc/${method}`, {}, JSON.stringify(input));
    if (status !== 200) throw new Error(body);
    return JSON.parse(body) as RpcMethods[M]['output'];
  }

  /** The refusal of a request: status and code. */
  async refused(method: string, input: object = {}): Promise<readonly [number, string]> {
    const { status, body } = await this.send('POST', `/rpc/${method}`, {}, JSON.stringify(input));
    const { error } = JSON.parse(body) as { error?: RpcFailure };
    return [status, error?.code ?? ''];
  }

  signOut(): Promise<Answered> {
    return this.send('POST', '/session/end', {}, '{}');
  }

  /** Listens until the test ends. */
  watch(): { readonly state: Partial<AppState>; readonly isOver: boolean } {
    const told = { state: {} as Partial<AppState>, isOver: false };
    const headers = { cookie: this.cookie };
    const asked = request({ host: '127.0.0.1', port: this.#at.port, path: '/rpc/events', headers }, (response) => {
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const parts = (rest + chunk).split('\n\n');
        rest = parts.pop() ?? '';
        for (const part of parts) {
          const data = /^data: (.*)$/m.exec(part)?.[1];
          if (data !== undefined) Object.assign(told.state, JSON.parse(data));
        }
      });
      response.on('close', () => (told.isOver = true));
    });
    asked.on('error', () => (told.isOver = true));
    asked.end();
    onTestFinished(() => void asked.destroy());
    return told;
  }
}
