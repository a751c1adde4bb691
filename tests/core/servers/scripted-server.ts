/** A server controlled by its first argument (a Script as JSON). */
import { appendFileSync, mkdirSync } from 'node:fs';
import { anyTool, type Incoming, type RawCall, send, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

export interface Script {
  /** Received messages are appended here, one JSON text per line. */
  readonly log?: string;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Names, or full entries. */
  readonly tools?: readonly unknown[];
  /** Methods without a response. */
  readonly silentTo?: readonly string[];
  /** Results by method that override the defaults; a member `error` makes it an error. */
  readonly answers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Supports only 2026-07-28. */
  readonly modern?: boolean;
  /** Supports 2026-07-28 and the handshake. */
  readonly both?: boolean;
  /** A folder that it creates; if it exists, the server does not start. */
  readonly alone?: string;
  /** Ends every subscriptions/listen immediately. */
  readonly endsListens?: boolean;
  /** Requests the roots after initialization. */
  readonly asksRoots?: boolean;
  /** Continues for this time after its input has ended, in ms. */
  readonly lingersMs?: number;
  /** Changes its list, and announces it, during the first list request. */
  readonly changesWhileListed?: boolean;
}

const script = JSON.parse(process.argv[2] ?? '{}') as Script;
if (script.alone !== undefined) mkdirSync(script.alone);
const speaksNew = script.modern === true || script.both === true;
const silentTo = new Set(script.silentTo ?? []);
const capabilities = script.capabilities ?? { tools: { listChanged: true } };
const listChanged = { method: 'notifications/tools/list_changed' };
const questions = new Map<string, (answer: Incoming) => void>();
let tools: readonly unknown[] = script.tools ?? [];
let listened: string | number | undefined;
let listings = 0;

serveRaw({
  name: 'scripted',
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo: { name: 'scripted' } }),
  listTools: () => listTools(),
  call: (call) => (actions[call.name] ?? actions['echo'])?.(call),
  intercept: (message, line) => {
    if (script.log !== undefined) appendFileSync(script.log, `${line}\n`);
    return intercept(message);
  },
});

if (script.lingersMs !== undefined) {
  const { lingersMs } = script;
  process.stdin.removeAllListeners('end').on('end', () => setTimeout(() => process.exit(0), lingersMs));
}

const actions: Record<string, (call: RawCall) => void> = {
  echo: ({ args, say }) => say(String(args['message'])),
  pid: ({ say }) => say(String(process.pid)),
  hang: () => undefined,
  exit: () => process.exit(9),
  listings: ({ say }) => say(String(listings)),
  /** From now on this method gets no response. */
  mute: ({ args, say }) => {
    silentTo.add(String(args['method']));
    say('muted');
  },
  tick: ({ args, params, say }) => void tick(Number(args['times']), Number(args['everyMs']), params, say),
  announce: ({ args, say }) => {
    send(args);
    say('announced');
  },
  set_tools: ({ args, say }) => {
    tools = args['tools'] as unknown[];
    for (let times = Number(args['times'] ?? 1); times > 0; times--) notify(listChanged);
    say('set');
  },
  ask: ({ args, say }) => ask(String(args['method']), (answer) => say(JSON.stringify(answer.result ?? answer.error))),
  end_listen: ({ say }) => {
    if (listened !== undefined) send({ id: listened, result: { resultType: 'complete' } });
    say('ended');
  },
};

function listTools(): unknown {
  listings++;
  const listed = tools;
  if (script.changesWhileListed === true && listings === 1) {
    tools = [...tools, 'late'];
    send(listChanged);
  }
  const entries = [...Object.keys(actions), ...listed];
  return { tools: entries.map((entry) => (typeof entry === 'string' ? anyTool(entry) : entry)) };
}

function intercept(message: Incoming): boolean {
  const { id, method } = message;
  if (method === undefined) {
    questions.get(String(id))?.(message);
    return true;
  }
  if (script.asksRoots === true && method === 'notifications/initialized') ask('roots/list', () => undefined);
  if (silentTo.has(method)) return true;
  const scripted = script.answers?.[method] ?? (speaksNew ? modernAnswer(method) : undefined);
  if (id === undefined || scripted === undefined) return false;
  if (method === 'subscriptions/listen' && script.endsListens !== true) listened = id;
  else send('error' in scripted ? { id, error: scripted['error'] } : { id, result: scripted });
  return true;
}

function modernAnswer(method: string): Readonly<Record<string, unknown>> | undefined {
  if (method === 'server/discover') return { supportedVersions: ['2026-07-28'], capabilities };
  if (method === 'subscriptions/listen') return {};
  if (method === 'initialize' && script.both !== true)
    return { error: { code: -32022, message: 'Unsupported protocol version' } };
  return undefined;
}

/** A modern server sends notifications on the subscribed stream. */
function notify(notification: { method: string }): void {
  if (!speaksNew) send(notification);
  else if (listened !== undefined) send({ ...notification, params: { _meta: subscription(listened) } });
}

function subscription(id: string | number): Record<string, unknown> {
  return { 'io.modelcontextprotocol/subscriptionId': String(id) };
}

function ask(method: string, answered: (answer: Incoming) => void): void {
  const id = `question-${questions.size}`;
  questions.set(id, answered);
  send({ id, method, params: { message: 'May I?' } });
}

async function tick(
  times: number,
  everyMs: number,
  params: Readonly<Record<string, unknown>>,
  say: (text: string) => void,
): Promise<void> {
  const { progressToken } = (params['_meta'] ?? {}) as { progressToken?: unknown };
  for (let progress = 1; progress <= times; progress++) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    if (progressToken !== undefined) send({ method: 'notifications/progress', params: { progressToken, progress } });
  }
  say('ticked');
}
