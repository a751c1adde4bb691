/**
 * quarantine_security: what waits for the person, for a model that asks. It approves nothing: whatever would change trust answers what
 * the person has to do. Words of a server that nobody has accepted are in no answer.
 */
import { AppError } from '../../base/errors.ts';
import { type JsonObject, textOr } from '../../base/json.ts';
import { shortName } from '../../base/shown-text.ts';
import type { HelperContext, HelperTool } from '../../modes/mode.ts';
import { jsonFailure, jsonResult, readText } from './answers.ts';
import { isQuarantined, requireServer } from './server-fields.ts';

type Operation = (input: JsonObject, context: HelperContext) => JsonObject | Promise<JsonObject>;

const looks: Readonly<Record<string, Operation>> = {
  list_quarantined: (_input, { admin, finder }) => {
    const servers = admin.list().flatMap(({ name, held }) => {
      const pending = finder.server(name)?.pins?.held.length ?? 0;
      if (isQuarantined({ held })) return [{ name, status: held === 'blocked' ? 'blocked' : 'in_review' }];
      return pending === 0 ? [] : [{ name, status: 'pending_approval', definitions: pending }];
    });
    return { servers, total: servers.length, instructions: forPerson };
  },
  inspect_quarantined: async (input, { admin }) => {
    const { name, held } = requireServer(input, admin);
    const isHeld = isQuarantined({ held });
    // Only the person starts it for a look; not even the names of its tools are for a model.
    const look = isHeld ? await admin.lookedAt(name) : undefined;
    return {
      server: name,
      quarantine_status: isHeld ? 'ACTIVE' : 'NONE',
      ...{ tools: [], total_tools: look?.tools ?? 0, ...(look !== undefined && { red_flags: look.rules }) },
      instructions: isHeld ? personDoes(name) : 'It is accepted; inspect_tools tells of its tools.',
    };
  },
  inspect_tools: (input, context) => inspectTools(requireServer(input, context.admin).name, context),
  inspect_prompts: (input, { admin, finder }) => {
    const { name } = requireServer(input, admin);
    const waiting = finder.server(name)?.pins?.held.filter(({ kind }) => kind === 'prompt') ?? [];
    return {
      server_name: name,
      pending_count: waiting.filter(({ before }) => before === undefined).length,
      changed: waiting.flatMap((change) => (change.before === undefined ? [] : change.name)),
      ...(waiting.length > 0 && { action_required: personDoes(name) }),
    };
  },
};

/** The second spelling of the first is the one that MCPProxy itself answers to. */
const decisions: readonly string[] = [
  ...['quarantine_server', 'quarantine', 'unquarantine_server', 'approve_tool', 'approve_all_tools', 'block_tool'],
  ...['block_all_tools', 'enable_tool', 'disable_tool', 'approve_prompt', 'approve_all_prompts'],
];

const forPerson = "Only the person decides: tooltray review, or the inbox of Tooltray's window.";

function personDoes(server: string): string {
  return `Ask the person to look at it: tooltray review ${server}, or the inbox of Tooltray's window.`;
}

export const quarantineSecurity: HelperTool = {
  admin: true,
  definition: {
    name: 'quarantine_security',
    description: 'What of the servers waits for the person. It decides nothing.',
    inputSchema: {
      type: 'object',
      properties: {
        operation: { enum: [...Object.keys(looks), ...decisions] },
        name: { type: 'string', description: 'server' },
        tool_name: { type: 'string' },
        prompt_name: { type: 'string' },
      },
      required: ['operation'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: answer,
};

async function answer(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const operation = readText(input['operation']) ?? '';
  try {
    const look = Object.hasOwn(looks, operation) ? looks[operation] : undefined;
    if (look !== undefined) return jsonResult(await look(input, context));
    if (decisions.includes(operation)) return jsonResult(undecided(operation, input, context));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return jsonFailure({ error: error.message, error_code: error.code, hint: error.fix });
  }
  const valid_operations = [...Object.keys(looks), ...decisions];
  return jsonFailure({ error: `Unknown operation: ${JSON.stringify(shortName(operation))}.`, valid_operations });
}

/** Nothing has happened, and what the person has to do. */
function undecided(operation: string, input: JsonObject, { admin }: HelperContext): JsonObject {
  const { name } = requireServer(input, admin);
  const word = /^(?:enable|disable)/.test(operation)
    ? `Ask the person to switch it in Tooltray's window: servers, ${name}, tools.`
    : personDoes(name);
  return {
    operation,
    server: name,
    done: false,
    status: 'needs_person',
    message: 'No model decides on trust.',
    action: word,
  };
}

function inspectTools(server: string, { finder, catalog }: HelperContext): JsonObject {
  const pins = finder.server(server)?.pins;
  const waiting = pins?.held.filter(({ kind }) => kind === 'tool') ?? [];
  const changed = new Set(waiting.flatMap((change) => (change.before === undefined ? [] : change.name)));
  const pending = waiting.length - changed.size;
  const off = finder.toolsOff().filter((one) => one.server === server);
  // As they were accepted: of a changed tool this is its former text.
  const tools = catalog.lookup.tools.of(server).map(({ name, definition }) => ({
    ...{ tool_name: name, status: changed.has(name) ? 'changed' : 'approved', enabled: true, disabled: false },
    ...{ hash: pins?.pinOf('tool', name), description: textOr(definition['description']) },
  }));
  return {
    server_name: server,
    tools: [
      ...tools,
      ...off.map(({ tool }) => ({ tool_name: tool, status: 'approved', enabled: false, disabled: true })),
    ],
    ...{ total: tools.length + off.length + pending, approved_count: tools.length + off.length - changed.size },
    ...{ pending_count: pending, changed_count: changed.size, disabled_count: off.length },
    ...(waiting.length > 0 && { action_required: personDoes(server) }),
  };
}
