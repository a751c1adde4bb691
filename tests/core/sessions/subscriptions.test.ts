import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { Subscriptions } from '../../../src-main/core/sessions/subscriptions.ts';
import type { Result } from '../../../src-main/core/wire/message.ts';

const idKey = 'io.modelcontextprotocol/subscriptionId';

interface Stream {
  readonly told: [string, JsonObject][];
  readonly stop: AbortController;
  readonly ended: Promise<Result>;
}

function listen(to: Subscriptions, id: string | number, filter: JsonObject, stop = new AbortController()): Stream {
  const told: [string, JsonObject][] = [];
  const notify = (method: string, params: JsonObject): void => void told.push([method, params]);
  return { told, stop, ended: to.listen({ id, signal: stop.signal, notify }, filter) };
}

/** The notifications of a stream after the acknowledgement. */
const news = ({ told }: Stream): string[] => told.slice(1).map(([method]) => method.replace('notifications/', ''));

test('acknowledges a stream first, under the id of its request', () => {
  const filter = { toolsListChanged: true, resourceSubscriptions: ['a://b'] };
  expect(listen(new Subscriptions(), 0, filter).told).toEqual([
    ['notifications/subscriptions/acknowledged', { notifications: filter, _meta: { [idKey]: 0 } }],
  ]);
});

test('notifies each stream only of what it requested', () => {
  const subscriptions = new Subscriptions();
  const [tools, rest, nothing] = [
    listen(subscriptions, 1, { toolsListChanged: true, promptsListChanged: false }),
    listen(subscriptions, 2, {
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['a://b'],
    }),
    listen(subscriptions, 3, { toolsListChanged: 'yes', resourceSubscriptions: 'a://b' }),
  ];
  for (const list of ['tools', 'prompts', 'resources']) subscriptions.publish(`notifications/${list}/list_changed`, {});
  for (const uri of ['a://b', 'a://c']) subscriptions.publish('notifications/resources/updated', { uri });
  subscriptions.publish('notifications/message', { level: 'info' });
  expect([tools, rest, nothing].map(news)).toEqual([
    ['tools/list_changed'],
    ['prompts/list_changed', 'resources/list_changed', 'resources/updated'],
    [],
  ]);
});

test('adds the subscription id to notifications and keeps their other members', () => {
  const subscriptions = new Subscriptions();
  const stream = listen(subscriptions, 'listen:0', { resourceSubscriptions: ['a://b'] });
  subscriptions.publish('notifications/resources/updated', { uri: 'a://b', vendor: 1, _meta: { vendor: 2 } });
  expect(stream.told[1]?.[1]).toEqual({ uri: 'a://b', vendor: 1, _meta: { vendor: 2, [idKey]: 'listen:0' } });
});

test('ends a cancelled stream without further notifications, and keeps the others', async () => {
  const subscriptions = new Subscriptions();
  const [gone, stays] = [1, 2].map((id) => listen(subscriptions, id, { toolsListChanged: true })) as [Stream, Stream];
  gone.stop.abort();
  await gone.ended;
  subscriptions.publish('notifications/tools/list_changed', {});
  expect([news(gone), news(stays)]).toEqual([[], ['tools/list_changed']]);
});

test('ends a stream that was cancelled before it began', async () => {
  const subscriptions = new Subscriptions();
  const stop = new AbortController();
  stop.abort();
  const stream = listen(subscriptions, 1, { toolsListChanged: true }, stop);
  await stream.ended;
  subscriptions.publish('notifications/tools/list_changed', {});
  expect(stream.told).toEqual([]);
});

test('responds to every stream under its id when the session ends', async () => {
  const subscriptions = new Subscriptions();
  const streams = [0, 'x'].map((id) => listen(subscriptions, id, {}));
  subscriptions.end();
  expect(await Promise.all(streams.map((stream) => stream.ended))).toEqual([
    { resultType: 'complete', _meta: { [idKey]: 0 } },
    { resultType: 'complete', _meta: { [idKey]: 'x' } },
  ]);
  subscriptions.publish('notifications/tools/list_changed', {});
  expect(streams.map(news)).toEqual([[], []]);
});
