/** A dashboard as the core sees it: signed requests, and the state stream. */
import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { StateChange } from '../../src-main/rpc/contract.ts';

/** Address of a core in this or another process. */
export interface Reached {
  readonly url: string;
  readonly host: { readonly pageKey: string };
}

export interface Reply {
  readonly status: number;
  readonly body: string;
}

export interface Told {
  readonly id: string;
  readonly change: StateChange;
  readonly bytes: number;
}

/** With node:http, because fetch does not allow setting Host or Origin. */
export function send(
  core: Reached,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Reply> {
  const { port } = new URL(core.url);
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

export function entry(core: Reached): Record<string, string> {
  return { authorization: `Bearer ${core.host.pageKey}`, 'content-type': 'application/json' };
}

export async function ask(core: Reached, method: string, input: object = {}): Promise<Record<string, unknown>> {
  const { body } = await send(core, 'POST', `/rpc/${method}`, entry(core), JSON.stringify(input));
  return JSON.parse(body) as Record<string, unknown>;
}

/** Listens until the test ends. */
export function listen(core: Reached, lastId?: string): Told[] {
  const told: Told[] = [];
  const { port } = new URL(core.url);
  const headers = { ...entry(core), ...(lastId !== undefined && { 'last-event-id': lastId }) };
  const asked = request({ host: '127.0.0.1', port, path: '/rpc/events', headers }, (response) => {
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const [, id, data] = /^id: (.*)\ndata: (.*)$/s.exec(part) ?? [];
        if (id === undefined || data === undefined) continue;
        told.push({ id, change: JSON.parse(data) as StateChange, bytes: Buffer.byteLength(part) });
      }
    });
    response.on('error', () => undefined);
  });
  asked.on('error', () => undefined);
  asked.end();
  onTestFinished(() => void asked.destroy());
  return told;
}
