/** A core in this process with one server that requires a sign-in, and a user who consents to everything. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { errorText } from '../../src-main/core/base/errors.ts';
import { Semaphore } from '../../src-main/core/base/semaphore.ts';
import { dispatchRpc } from '../../src-main/rpc/dispatch-rpc.ts';
import { noApps } from '../../src-main/rpc/deps.ts';
import { startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';
import { clientMetadataUrl, mostAnswers } from './sign-in-facts.ts';

interface Door extends AsyncDisposable {
  readonly url: string;
}

interface Told {
  readonly scenario: string;
  readonly url: string;
  /** The suite's JSON with its client's data. */
  readonly told: string;
}

/** The suite starts all clients at once; this many cores keep two processors busy. */
const coresAtOnce = 5;

/**
 * Accepts requests from the started clients, each with its server. Each scenario has its own core; responds with 200
 * if a call succeeded.
 */
export async function openDoor(scenarios: readonly string[]): Promise<Door> {
  const slots = new Semaphore(coresAtOnce);
  const inTurn = async (told: Told): Promise<string | undefined> => {
    if (!scenarios.includes(told.scenario)) return 'It is not asked for.';
    await slots.acquire();
    return comesThrough(told).finally(() => slots.release());
  };
  const server = createServer((request, response) => {
    void json(request)
      .then((body) => inTurn(body as Told))
      .then(
        (said) => response.writeHead(said === undefined ? 200 : 500).end(said),
        (error: unknown) => response.writeHead(500).end(errorText(error)),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/** Signs in as required until a call works; otherwise resolves to the reason. */
async function comesThrough({ url, told }: Told): Promise<string | undefined> {
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(told) as Readonly<Record<string, string>>;
  const oauth = { clientMetadataUrl, ...(clientId !== undefined && { clientId, clientSecret }) };
  await using core = await startCore({ servers: { far: { url, oauth } } });
  const deps = {
    ...core.host.core,
    addresses: () => core.host.addresses,
    stop: () => undefined,
    desktop: undefined,
    apps: noApps,
  };
  const ask = <T>(method: string, input: object): Promise<T> =>
    dispatchRpc(method, { ...input }, deps, new AbortController().signal) as Promise<T>;
  let inTheWay = 'It asked for more than that.';
  for (let answers = 0; answers < mostAnswers; answers++) {
    if (core.server('far').state.kind !== 'ready') await signIn(ask, core);
    const failure = await callSomething(ask);
    if (failure === undefined) return undefined;
    inTheWay = failure;
    const { items } = await ask<{ items: { id: string; kind: string }[] }>('inbox', {});
    const asked = items.find(({ kind }) => kind === 'scopes');
    if (asked !== undefined)
      await follow((await ask<{ goOn?: string }>('decide', { id: asked.id, action: 'give' })).goOn, core);
  }
  return inTheWay;
}

type Ask = <T>(method: string, input: object) => Promise<T>;

/** Failures become visible at the call. */
async function signIn(ask: Ask, core: TestCore): Promise<void> {
  const page = await ask<{ url: string }>('signIn', { server: 'far' }).catch(() => undefined);
  await follow(page?.url, core);
}

/** Opens the URL in the browser; resolves when the server has settled. */
async function follow(url: string | undefined, core: TestCore): Promise<void> {
  if (url !== undefined) await fetch(url).then((page) => page.text());
  await until(() => ['ready', 'pending-sign-in', 'error'].includes(core.server('far').state.kind));
}

async function callSomething(ask: Ask): Promise<string | undefined> {
  const { tools } = await ask<{ tools: { id: string }[] }>('tools', {});
  const [tool] = tools;
  if (tool === undefined) return 'It has no tools.';
  return ask<{ isError?: boolean }>('call', { tool: tool.id, arguments: {} }).then(
    ({ isError }) => (isError === true ? 'The tool failed.' : undefined),
    errorText,
  );
}
