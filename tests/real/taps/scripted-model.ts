/**
 * A fake model for client apps, in the four API formats that apps use: calls the first matching tool once, then ends.
 * The received tool result is what a model would see.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedModel extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  /** The tool result that the model received, as JSON; undefined before that. */
  readonly given: string | undefined;
  /** Requests of apps, for debugging. */
  readonly asked: readonly string[];
}

/** The model's call: the first tool with a matching name, with these arguments. */
export interface Script {
  readonly tool: RegExp;
  readonly args: object;
}

type Body = Readonly<Record<string, unknown>>;

/** A tool as the app names it to its model; some apps use a namespace per server. */
interface Offered {
  readonly name: string;
  readonly namespace?: string;
}

interface Dialect {
  readonly path: RegExp;
  tools(body: Body): Offered[];
  /** Tool results in a request. */
  results(body: Body): unknown[];
  /** The events of a response that calls `tool`, or ends the turn without it. */
  answer(tool: Offered | undefined, args: object): readonly (readonly [event: string | undefined, data: object])[];
}

const list = (value: unknown): Body[] => (Array.isArray(value) ? (value as Body[]) : []);
const named = (tools: readonly Body[]): Offered[] => tools.map(({ name }) => ({ name: String(name) }));
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

/** Claude Code. */
const messages: Dialect = {
  path: /\/v1\/messages$/,
  tools: (body) => named(list(body['tools'])),
  results: (body) =>
    list(body['messages'])
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => content),
  answer(tool, args) {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', content: [], usage };
    const block = tool ? { type: 'tool_use', id: 'toolu_1', name: tool.name, input: {} } : { type: 'text', text: '' };
    const delta = tool
      ? { type: 'input_json_delta', partial_json: JSON.stringify(args) }
      : { type: 'text_delta', text: 'Done.' };
    const reason = { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null };
    return [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: reason, usage },
      { type: 'message_stop' },
    ].map((event) => [event.type, event] as const);
  },
};

/** Codex. */
const responses: Dialect = {
  path: /\/responses$/,
  tools: (body) =>
    list(body['tools']).flatMap((tool) =>
      tool['type'] === 'namespace'
        ? named(list(tool['tools'])).map(({ name }) => ({ name, namespace: String(tool['name']) }))
        : named([tool]),
    ),
  results: (body) =>
    list(body['input'])
      .filter(({ type }) => type === 'function_call_output')
      .map(({ output }) => output),
  answer(tool, args) {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', ...tool, arguments: JSON.stringify(args) };
    const content = [{ type: 'output_text', text: 'Done.' }];
    const item = tool ? call : { type: 'message', id: 'msg_1', role: 'assistant', content };
    return [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: 'resp_1', usage } },
    ].map((event) => [event.type, event] as const);
  },
};

/** opencode, with a provider configured by the user. */
const completions: Dialect = {
  path: /\/chat\/completions$/,
  tools: (body) => named(list(body['tools']).map(({ function: one }) => one as Body)),
  results: (body) =>
    list(body['messages'])
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content),
  answer(tool, args) {
    const call = { name: tool?.name, arguments: JSON.stringify(args) };
    const said = tool
      ? { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] }
      : { content: 'Done.' };
    const chunk = (delta: object, finish_reason: string | null): readonly [undefined, object] => [
      undefined,
      {
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'scripted',
        choices: [{ index: 0, delta, finish_reason }],
      },
    ];
    return [chunk({ role: 'assistant', ...said }, null), chunk({}, tool ? 'tool_calls' : 'stop')];
  },
};

/** Gemini CLI. */
const contents: Dialect = {
  path: /:(streamG|g)enerateContent$/,
  tools: (body) => list(body['tools']).flatMap(({ functionDeclarations }) => named(list(functionDeclarations))),
  results: (body) =>
    list(body['contents'])
      .flatMap(({ parts }) => list(parts))
      .filter(({ functionResponse }) => functionResponse !== undefined)
      .map(({ functionResponse }) => (functionResponse as Body)['response']),
  answer(tool, args) {
    const part = tool ? { functionCall: { name: tool.name, args } } : { text: 'Done.' };
    return [
      [undefined, { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }] }],
    ];
  },
};

const dialects = [messages, responses, completions, contents];

/** Listens on a free port. */
export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  const asked: string[] = [];
  let given: string | undefined;
  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://model');
    asked.push(`${request.method} ${url.pathname}`);
    const dialect = dialects.find(({ path }) => path.test(url.pathname));
    const body = dialect && (await readBody(request));
    if (!dialect || !body) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    const results = dialect.results(body);
    if (results.length > 0) given = JSON.stringify(results);
    const tool = results.length > 0 ? undefined : dialect.tools(body).find(({ name }) => script.tool.test(name));
    const events = dialect.answer(tool, script.args);
    const isStream = body['stream'] === true || /stream/.test(url.pathname);
    if (!isStream) return void response.writeHead(200, { 'content-type': 'application/json' }).end(whole(events));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [event, data] of events) {
      response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
    }
    response.end(dialect === completions ? 'data: [DONE]\n\n' : '');
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get given() {
      return given;
    },
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Non-streaming requests are small ones besides the conversation: in Gemini's format a single event is enough. */
function whole(events: ReturnType<Dialect['answer']>): string {
  return JSON.stringify(events.at(-1)?.[1] ?? {});
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
}
