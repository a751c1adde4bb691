/** A server that behaves as its first argument (a Script as JSON) says. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { anyTool, type Incoming, type RawCall, send, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

export interface Script {
  /** Every message it gets is appended here, one JSON text a line. */
  readonly log?: string;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Names, or whole entries. */
  readonly tools?: readonly unknown[];
  /** Methods it never answers. */
  readonly silentTo?: readonly string[];
  /** Results by method, beside what it answers anyway; a member `error` makes it a refusal. */
  readonly answers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Speaks 2026-07-28 alone. */
  readonly modern?: boolean;
  /** Speaks 2026-07-28 and the handshake. */
  readonly both?: boolean;
  /** A folder that it makes; where it is there already, the server does not start. */
  readonly alone?: string;
  /** Ends every subscriptions/listen at once. */
  readonly endsListens?: boolean;
  /** Asks for the roots as soon as it is initialized. */
  readonly asksRoots?: boolean;
  /** Goes on for so long after its input has ended, in ms. */
  readonly lingersMs?: number;
  /** Changes its list, and says so, while the first list is being asked for. */
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
  /** From now on this method gets no answer. */
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

/** A modern server announces on the stream that was asked for. */
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
