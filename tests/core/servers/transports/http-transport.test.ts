/** Streamable HTTP against handwritten servers: nothing is lost, and a failure affects only its request. */
import { describe, expect, test } from 'vitest';
import { HttpTransport } from '../../../../src-main/core/servers/transports/http-transport.ts';
import { RawJson } from '../../../../src-main/core/wire/raw-json.ts';
import { type Answer, handServer, httpHarness, httpOptions } from './http-harness.ts';

async function connect(answer: Answer, overrides: { maxMessageBytes?: number; query?: string } = {}) {
  const server = await handServer(answer);
  const options = { ...httpOptions(server.url + (overrides.query ?? '')), ...overrides };
  const client = httpHarness(new HttpTransport(options));
  await client.start();
  return { server, client };
}

const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };
const oddResult = '"result":{"big":12345678901234567890,"one":1.0,"__proto__":{"x":1}},"extra":{"kept":true}';

describe('Fidelity', () => {
  test('keeps big integers and unknown top-level keys in a JSON body of many lines', async () => {
    const { client } = await connect((seen, response) => {
      response.writeHead(200, json).end(`{\n  "jsonrpc":"2.0",\r\n "id":${seen.id},\n ${oddResult}\n}\n`);
    });
    expect(JSON.stringify(await client.ask('tools/call'))).toBe(`{"jsonrpc":"2.0","id":1,${oddResult}}`);
  });

  test('keeps them in an event stream, and relates earlier messages to the request', async () => {
    const { client } = await connect((seen, response) => {
      response.writeHead(200, events);
      response.write(': hello\n\nid: 7\ndata:\n\nretry: 5\n\n');
      response.write('data: {"jsonrpc":"2.0","method":"notifications/x","params":{"n":9007199254740993},"top":1}\n\n');
      response.end(`event: message\ndata: {"jsonrpc":"2.0",\ndata: "id":${seen.id},${oddResult}}\n\n`);
    });
    expect(JSON.stringify(await client.ask('tools/call'))).toBe(`{"jsonrpc":"2.0","id":1,${oddResult}}`);
    expect(client.received[0]?.origin).toEqual({ relatedRequestId: 1 });
    expect(JSON.stringify(client.received[0]?.message)).toBe(
      '{"jsonrpc":"2.0","method":"notifications/x","params":{"n":9007199254740993},"top":1}',
    );
  });

  test('passes on an error with data, and a server request with unknown keys, unchanged', async () => {
    const request = '{"jsonrpc":"2.0","id":"s1","method":"vendor/ask","params":{"f":1e400},"top":null}';
    const { client } = await connect((seen, response) => {
      const error = `{"jsonrpc":"2.0","id":${seen.id},"error":{"code":-32042,"message":"no","data":{"n":1.50},"hint":"x"}}`;
      response.writeHead(200, events).end(`data: ${request}\n\ndata: ${error}\n\n`);
    });
    const answer = JSON.stringify(await client.ask('tools/call'));
    expect(answer).toContain('"error":{"code":-32042,"message":"no","data":{"n":1.50},"hint":"x"}');
    expect(JSON.stringify(client.received[0]?.message)).toBe(request);
  });

  test('sends digits unchanged, with the configured headers and the protocol version', async () => {
    const { client, server } = await connect((seen, response) => {
      response.writeHead(200, json).end(`{"jsonrpc":"2.0","id":${seen.id},"result":{}}`);
    });
    (client.transport as HttpTransport).setProtocolVersion('2025-11-25');
    await client.ask('tools/call', { n: JSON.rawJSON('12345678901234567890') }, { headers: { 'mcp-param-a': 'b' } });
    expect(server.seen[0]?.body).toContain('"n":12345678901234567890');
    expect(server.seen[0]?.headers).toMatchObject({
      'x-key': 'k',
      'mcp-protocol-version': '2025-11-25',
      'mcp-param-a': 'b',
    });
    expect(Object.keys(server.seen[0]?.headers ?? {}).filter((name) => name.includes('tooltray'))).toEqual([]);
  });

  test('receives a response of 20 MB as JSON and as an event', async () => {
    const long = 'x'.repeat(20 * 1024 * 1024);
    const { client } = await connect((seen, response) => {
      const message = `{"jsonrpc":"2.0","id":${seen.id},"result":{"text":"${long}"}}`;
      if (seen.id === '1') response.writeHead(200, json).end(message);
      else response.writeHead(200, events).end(`data: ${message}\n\n`);
    });
    // Before a handshake, output is limited.
    client.transport.setProtocolVersion?.('2025-11-25');
    const answers = [await client.ask('a'), await client.ask('b')];
    const lengths = answers.map((answer) =>
      'result' in answer && answer.result instanceof RawJson ? answer.result.byteLength : 0,
    );
    expect(lengths).toEqual([long.length + 11, long.length + 11]);
  });
});

describe('Failing requests', () => {
  test('rejects only the request with a response over the limit, as JSON and as an event', async () => {
    const { client } = await connect(
      (seen, response) => {
        const filler = seen.body.includes('large') ? 'x'.repeat(3 * 1024 * 1024) : '';
        const message = `{"jsonrpc":"2.0","id":${seen.id},"result":{"text":"${filler}"}}`;
        if (seen.body.includes('json')) response.writeHead(200, json).end(message);
        else response.writeHead(200, events).end(`data: ${message}\n\n`);
      },
      { maxMessageBytes: 2 * 1024 * 1024 },
    );
    client.transport.setProtocolVersion?.('2025-11-25');
    const failed = [await client.ask('large/json'), await client.ask('large/events')];
    const texts = failed.map((answer) => ('error' in answer ? answer.error.message : ''));
    expect(texts.every((text) => text.includes('over the limit'))).toBe(true);
    expect(await client.ask('events')).toMatchObject({ id: 3, result: { text: '' } });
  });

  test('limits a message to one megabyte before the handshake is done', async () => {
    const { client } = await connect((seen, response) => {
      const message = `{"jsonrpc":"2.0","id":${seen.id},"result":{"text":"${'x'.repeat(2 * 1024 * 1024)}"}}`;
      if (seen.body.includes('json')) response.writeHead(200, json).end(message);
      else response.writeHead(200, events).end(`data: ${message}\n\n`);
    });
    const failed = [await client.ask('large/json'), await client.ask('large/events')];
    expect(failed.map((answer) => 'error' in answer && answer.error.message)).toEqual([
      expect.stringContaining('over the limit'),
      expect.stringContaining('over the limit'),
    ]);
  });

  test('returns an error for a stream without a response, for a wrong id and for invalid JSON', async () => {
    const { client } = await connect((seen, response) => {
      if (seen.body.includes('stream')) response.writeHead(200, events).end(': nothing\n\n');
      else if (seen.body.includes('wrong')) response.writeHead(200, json).end('{"jsonrpc":"2.0","id":99,"result":{}}');
      else response.writeHead(200, json).end('<html>');
    });
    const answers = [await client.ask('stream'), await client.ask('wrong'), await client.ask('html')];
    expect(answers.map((answer) => 'error' in answer && [answer.id, answer.error.code])).toEqual([
      [1, -32000],
      [2, -32000],
      [3, -32000],
    ]);
    expect(client.oddities).toContain('<html>');
  });

  test('rejects only the message of a failed POST', async () => {
    const { client } = await connect((seen, response) => {
      if (seen.body.includes('bad')) response.writeHead(500).end('out of order');
      else response.writeHead(200, json).end(`{"jsonrpc":"2.0","id":${seen.id},"result":{"ok":true}}`);
    });
    await expect(client.ask('bad')).rejects.toMatchObject({
      code: 'server_unreachable',
      message: expect.stringContaining('HTTP 500: out of order') as string,
    });
    expect(await client.ask('good')).toMatchObject({ result: { ok: true } });
  });

  test.each([401, 403])('reports HTTP %i as unauthorized', async (status) => {
    const { client } = await connect((_seen, response) => {
      response.writeHead(status, { 'www-authenticate': 'Bearer resource_metadata="https://x/meta"' }).end();
    });
    await expect(client.ask('initialize')).rejects.toMatchObject({
      code: 'server_unauthorized',
      data: { status, wwwAuthenticate: 'Bearer resource_metadata="https://x/meta"' },
    });
  });

  test('treats JSON-RPC errors with status 400 or 404 as responses', async () => {
    const { client } = await connect((seen, response) => {
      const unknown = seen.body.includes('unknown');
      const error = unknown
        ? '{"code":-32601,"message":"no such method"}'
        : '{"code":-32022,"message":"no such revision"}';
      response
        .writeHead(unknown ? 404 : 400, json)
        .end(`{"jsonrpc":"2.0","id":${unknown ? seen.id : null},"error":${error}}`);
    });
    expect(await client.ask('unknown')).toMatchObject({ id: 1, error: { code: -32601 } });
    expect(await client.ask('revision')).toMatchObject({ id: 2, error: { code: -32022 } });
  });

  test('names an unreachable server by its host, without secrets of its address', async () => {
    const { client, server } = await connect(() => undefined, { query: '?key=hunter2' });
    server.stop();
    const error = await client.ask('initialize').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'server_unreachable',
      message: `far cannot be reached at ${new URL(server.url).host}: connection refused.`,
    });
  });

  test('closes the stream of a cancelled request and delivers nothing', async () => {
    let streamClosed: () => void;
    const closed = new Promise<void>((resolve) => (streamClosed = resolve));
    const { client } = await connect((_seen, response) => {
      response.writeHead(200, events).write(': working\n\n');
      response.on('close', () => streamClosed());
    });
    const giveUp = new AbortController();
    await client.transport.send({ jsonrpc: '2.0', id: 1, method: 'slow' }, { signal: giveUp.signal });
    giveUp.abort();
    await closed;
    expect(client.received).toEqual([]);
  });
});

describe('Sessions and streams', () => {
  const session = { 'mcp-session-id': 's-1' };
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };

  test('sends the session id after initialize and deletes the session at the end', async () => {
    const { client, server } = await connect((seen, response) => {
      response.writeHead(200, { ...json, ...session }).end(`{"jsonrpc":"2.0","id":${seen.id},"result":{}}`);
    });
    await client.ask('initialize', initialize);
    await client.ask('tools/list');
    await client.transport.close();
    expect(server.seen.map((one) => [one.method, one.headers['mcp-session-id']])).toEqual([
      ['POST', undefined],
      ['POST', 's-1'],
      ['DELETE', 's-1'],
    ]);
    expect(await client.closed).toBeUndefined();
  });

  test('reports a dropped session for the request only, as never sent', async () => {
    const { client } = await connect((seen, response) => {
      if (seen.headers['mcp-session-id'] !== undefined) response.writeHead(404).end('no such session');
      else response.writeHead(200, { ...json, ...session }).end(`{"jsonrpc":"2.0","id":${seen.id},"result":{}}`);
    });
    await client.ask('initialize', initialize);
    const data = { sessionLost: true, neverSent: true };
    await expect(client.ask('tools/list')).rejects.toMatchObject({ code: 'server_exited', data });
  });

  test('resumes a cut stream after the last event', async () => {
    const { client, server } = await connect((seen, response) => {
      response.writeHead(200, events);
      if (seen.method === 'POST') response.end('id: 41\ndata:\n\n');
      else response.end(`id: 42\ndata: {"jsonrpc":"2.0","id":1,"result":{"late":12345678901234567890}}\n\n`);
    });
    expect(JSON.stringify(await client.ask('slow'))).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"late":12345678901234567890}}',
    );
    expect(server.seen[1]?.headers['last-event-id']).toBe('41');
    expect(client.received[0]?.origin).toEqual({ relatedRequestId: 1 });
  });

  test('receives messages on the standalone stream, and its final loss closes the transport', async () => {
    const { client, server } = await connect((seen, response) => {
      if (seen.method === 'POST') response.writeHead(202).end();
      else {
        response
          .writeHead(200, events)
          .write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
        setTimeout(() => server.stop(), 20);
      }
    });
    await client.transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await client.closed).toMatchObject({ code: 'server_unreachable' });
    expect(client.received[0]).toEqual({
      message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
      origin: undefined,
    });
  });

  test('accepts a server without a standalone stream', async () => {
    const { client } = await connect((seen, response) => {
      if (seen.method === 'GET') response.writeHead(405).end();
      else if (seen.body.includes('initialized')) response.writeHead(202).end();
      else response.writeHead(200, json).end(`{"jsonrpc":"2.0","id":${seen.id},"result":{}}`);
    });
    await client.transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await client.ask('tools/list')).toMatchObject({ result: {} });
    expect(client.oddities).toEqual([]);
  });
});
