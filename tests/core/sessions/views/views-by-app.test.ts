/** Selects the view that handles a connection's requests. */
import { expect, test } from 'vitest';
import type { SessionView } from '../../../../src-main/core/sessions/session-view.ts';
import { ViewsByApp } from '../../../../src-main/core/sessions/views/views-by-app.ts';

const ended: string[] = [];
const view = (mode: string): SessionView => ({ mode, end: () => void ended.push(mode) }) as unknown as SessionView;

test('gives each named client app a view and returns it again', () => {
  const views = new ViewsByApp(view('first'), (app) => view(app ?? 'nobody'));
  const [one, other] = [views.of('one'), views.of('other')];
  expect([one.mode, other.mode, views.of('one')]).toEqual(['one', 'other', one]);
  expect([undefined, null, 7].map((nobody) => views.of(nobody).mode)).toEqual(['first', 'first', 'first']);
  views.end();
  expect(ended).toEqual(['first', 'one', 'other']);
});

test('ignores the app name of a request if the connection has a fixed app', () => {
  const first = view('first');
  expect(new ViewsByApp(first, undefined).of('anyone')).toBe(first);
});

test('limits the number of views for different names', () => {
  const views = new ViewsByApp(view('first'), (app) => view(app ?? 'nobody'));
  const modes = new Set(Array.from({ length: 200 }, (_, at) => views.of(String(at)).mode));
  expect(modes.size).toBe(51);
  expect(views.of('0').mode).toBe('0');
});

test('gives client apps with other extensions another view', () => {
  const open = (app: string | undefined, capabilities: object): SessionView =>
    view(`${app ?? 'nobody'} ${JSON.stringify(capabilities)}`);
  const views = new ViewsByApp(view('first'), open);
  const shows = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
  expect(views.of(undefined, shows).mode).toBe(`nobody ${JSON.stringify(shows)}`);
  expect(views.of('one', shows)).not.toBe(views.of('one'));
  expect(views.of('one', { ...shows, roots: {} })).toBe(views.of('one', shows));
  expect(views.of(undefined, { roots: {}, extensions: {} }).mode).toBe('first');
});
