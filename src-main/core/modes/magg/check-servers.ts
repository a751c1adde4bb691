/** `magg_check`: which servers answer, and what is done about those that do not. */
import type { ServerFacts } from '../../admin/server-facts.ts';
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext } from '../mode.ts';
import { maggTool } from './magg-tool.ts';
import { readNumber, readWord } from './read-input.ts';

const actions = ['report', 'remount', 'unmount', 'disable'] as const;
type Action = (typeof actions)[number];

/** In seconds; a longer wait is no check any more. */
const defaultTimeout = 2.5;
const longestTimeout = 60;

export const checkServers = maggTool({
  name: 'magg_check',
  description: 'Check whether servers answer; try the others again, or switch them off.',
  properties: { action: { enum: actions }, timeout: { type: 'number', description: 'seconds, 2.5 by default' } },
  async run(input, context) {
    const action = readWord(input, 'action', actions);
    const limitMs = Math.min(readNumber(input, 'timeout', defaultTimeout), longestTimeout) * 1000;
    const servers = context.admin.list().filter((server) => server.enabled);
    const checks = await Promise.all(servers.map((server) => check(server, action, limitMs, context)));
    const healthy = checks.filter(({ result }) => result['status'] === 'healthy').length;
    const taken = checks.flatMap(({ name, result }) =>
      'action' in result ? [`${name}: ${String(result['action'])}`] : [],
    );
    return {
      output: {
        servers_checked: checks.length,
        healthy,
        unresponsive: checks.length - healthy,
        results: Object.fromEntries(checks.map(({ name, result }) => [name, result])),
        actions_taken: action === 'report' ? null : taken,
      },
    };
  },
});

interface Check {
  readonly name: string;
  readonly result: JsonObject;
}

async function check(
  { name, tools }: ServerFacts,
  action: Action,
  limitMs: number,
  context: HelperContext,
): Promise<Check> {
  const { status, error: reason, asleep } = await context.admin.try(name, 'leave', limitMs);
  if (asleep === true)
    return { name, result: { status, reason: 'Asleep; it starts when it is called.', tools_count: tools } };
  if (status === 'healthy') return { name, result: { status, tools_count: tools } };
  if (action === 'report') return { name, result: { status, reason } };
  return { name, result: { status, reason, action: await act(name, action, context) } };
}

/**
 * What was done. Magg's `unmount` is for the session and writes nothing; here a server that is on comes back by itself, so it is not
 * taken for the wish to switch it off in the config.
 */
async function act(name: string, action: Action, { admin, author }: HelperContext): Promise<string> {
  if (action === 'remount') {
    const { ok, error = '' } = await admin.try(name, 'retry');
    return ok ? 'remounted' : `remount_failed: ${error}`;
  }
  if (action === 'unmount')
    return 'not_unmounted: it is on, and is tried again when it is called; disable switches it off';
  const outcome = await admin.request({ kind: 'disable', server: name }, author);
  return outcome.kind === 'applied' ? 'disabled' : `proposed: tooltray approve ${outcome.proposal.id}`;
}
