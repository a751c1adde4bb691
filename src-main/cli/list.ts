/** `tooltray list`: every server and every session on a line, or every tool. */
import type { SessionStatus, ToolSummary } from '../rpc/contract.ts';
import { columns } from './columns.ts';
import { withCore } from './core-access.ts';
import { count } from './count.ts';
import { oneLine } from './plain-text.ts';
import { paint, type Paint, printJson, printLines } from './print.ts';
import { commonFlags, readFlags } from './read-flags.ts';
import { readServerRows, type ServerRow, type ServerRows } from './server-rows.ts';

const paints: Readonly<Record<ServerRow['level'], Paint>> = {
  ok: 'good',
  busy: 'unsure',
  attention: 'unsure',
  error: 'bad',
  off: 'quiet',
};

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values } = readFlags(args, { ...commonFlags, tools: { type: 'boolean' } }, [0, 0], form);
  if (values.tools === true) return listTools(values.config, values.json === true);
  const found = await readServerRows(values.config);
  if (values.json === true) printJson(found);
  else printLines([...serverLines(found), ...sessionLines(found.sessions)]);
  return 0;
}

function serverLines({ servers, config, broken }: ServerRows): string[] {
  const notes = broken.map((text) => `${paint('bad', 'error')} ${oneLine(text)} See: tooltray validate.`);
  if (servers.length === 0) return [`No servers yet in ${config}. Add one: tooltray add NAME COMMAND.`, ...notes];
  const head = ['NAME', 'STATE', 'TOOLS', 'TRANSPORT', 'ENDPOINT'].map((word) => paint('head', word));
  const rows = servers.map(({ name, level, summary, tools, transport, endpoint }) => [
    oneLine(name),
    paint(paints[level], summary),
    tools === null ? '?' : String(tools),
    transport,
    oneLine(endpoint),
  ]);
  const ill = servers.filter(({ level }) => level === 'error' || level === 'attention');
  const reasons = ill.map(({ name, detail }) => `${paint('bad', oneLine(name))}: ${oneLine(detail)}`);
  return [...columns([head, ...rows]), ...(reasons.length + notes.length > 0 ? [''] : []), ...reasons, ...notes];
}

/** What each client app is shown, and why where `auto` chose it. */
function sessionLines(sessions: readonly SessionStatus[]): string[] {
  if (sessions.length === 0) return [];
  const head = ['SESSION', 'MODE', 'CALLS', 'WHY'].map((word) => paint('head', word));
  const rows = sessions.map(({ app, mode, calls, reason }) => [oneLine(app), mode, String(calls), reason ?? 'as set']);
  const notes = sessions.flatMap(({ note }) => (note === '' ? [] : [paint('unsure', oneLine(note))]));
  return ['', ...columns([head, ...rows]), ...(notes.length > 0 ? [''] : []), ...notes];
}

async function listTools(config: string | undefined, json: boolean): Promise<number> {
  const { tools } = await withCore(config, (core) => core.ask('tools', {}));
  if (json) printJson({ tools });
  else printLines(toolLines(tools));
  return 0;
}

function toolLines(tools: readonly ToolSummary[]): string[] {
  const rows = tools.map(({ id, description }) => [oneLine(id), firstSentence(description)]);
  return [...columns(rows), ...(tools.length > 0 ? [''] : []), count(tools.length, 'tool')];
}

/** A tool in as many words as fit a line. */
export function firstSentence(description: string): string {
  const text = oneLine(description.split('\n').find((line) => line.trim() !== '') ?? '');
  const [sentence = text] = /^.{20,}?[.!?](?=\s)/u.exec(text) ?? [];
  return sentence.length > 160 ? `${sentence.slice(0, 159)}…` : sentence;
}
