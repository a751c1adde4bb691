/** The callback listener of a sign-in accepts the right callback once. */
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../../../src-main/core/base/errors.ts';
import { CallbackListener } from '../../../../src-main/core/servers/oauth/callback-listener.ts';
import { visit } from './browser.ts';

interface Opened {
  readonly listener: CallbackListener;
  readonly came: URLSearchParams[];
  readonly back: (query: string) => string;
}

async function open(onCallback = async (): Promise<void> => undefined, wishedPort?: number): Promise<Opened> {
  const came: URLSearchParams[] = [];
  const listener = await CallbackListener.open({
    knowsState: (state) => state === 'the-state',
    wishedPorts: wishedPort === undefined ? [] : [wishedPort],
    onCallback: async (params) => {
      came.push(params);
      await onCallback();
      return { text: 'Signed in to <b>far</b>.' };
    },
  });
  onTestFinished(() => listener.close());
  return { listener, came, back: (query) => `${listener.redirectUrl}?${query}` };
}

async function statusFor(url: string, options: { method?: string; host?: string }): Promise<number | undefined> {
  const { method = 'GET', host } = options;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, ...(host !== undefined && { headers: { host } }) }, (response) => {
      void text(response).then(() => resolve(response.statusCode));
    });
    sent.on('error', reject).end();
  });
}

test('listens on 127.0.0.1 only', async () => {
  const { listener } = await open();
  expect(listener.redirectUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback$/);
});

test('accepts a callback once', async () => {
  const { back, came } = await open();
  const first = await visit(back('state=the-state&code=1'));
  const second = await visit(back('state=the-state&code=2'));
  expect([first.status, second.status, came.map((params) => params.get('code'))]).toEqual([200, 410, ['1']]);
});

test.each(['state=other&code=1', 'code=1', 'state=&code=1', 'state=the-state2&code=1'])(
  'rejects a callback with %s and stays open for the right one',
  async (query) => {
    const { back, came } = await open();
    expect([(await visit(back(query))).status, came]).toEqual([400, []]);
    expect((await visit(back('state=the-state&code=1'))).status).toBe(200);
  },
);

test('rejects other host names, methods and paths', async () => {
  const { listener, back, came } = await open();
  const right = back('state=the-state&code=1');
  const statuses = await Promise.all([
    statusFor(right, { host: 'rebound.example' }),
    statusFor(right, { host: `localhost:${new URL(listener.redirectUrl).port}` }),
    statusFor(right, { method: 'POST' }),
    statusFor(right.replace('callback', 'callback/'), {}),
  ]);
  expect([statuses, came]).toEqual([[421, 421, 404, 404], []]);
});

test('escapes foreign text on a page that may load and run nothing', async () => {
  const { back } = await open(() => Promise.reject(new AppError('server_unauthorized', '<script>alert(1)</script>')));
  const page = await visit(back('state=the-state'));
  expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page.text).not.toContain('<script>');
  const policy = page.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  // Exactly its own style.
  const [, style = ''] = /<style>(.*)<\/style>/s.exec(page.text) ?? [];
  expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  expect(style).not.toBe('');
});

test('listens on another port if the requested one is in use', async () => {
  const first = await open();
  const port = Number(new URL(first.listener.redirectUrl).port);
  const second = await open(undefined, port);
  expect(new URL(second.listener.redirectUrl).port).not.toBe(String(port));
});
