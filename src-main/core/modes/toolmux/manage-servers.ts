/** `manage_servers`: what servers there are and how they are; changes under the policy for what a model may change. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ServerTrial } from '../../admin/try-server.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { dataError, dataResult } from './data-result.ts';
import { described, describesLaunch, newEntry } from './new-entry.ts';
import { requestChange } from './request-change.ts';
import { type Action, runAction } from './run-action.ts';
import { serverRow } from './server-row.ts';

const actions: Readonly<Record<string, Action>> = { list, add, remove, validate, test, retry };

export const manageServers: HelperTool = {
  admin: true,
  definition: {
    name: 'manage_servers',
    description: 'List, check and change the servers behind Tooltray. Changes wait for the person.',
    inputSchema: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: Object.keys(actions) },
        name: { type: 'string' },
        command: { type: 'string' },
        args: { type: 'array', items: { type: 'string' } },
        description: { type: 'string' },
        transport: { type: 'string', enum: ['stdio', 'http', 'sse'] },
        base_url: { type: 'string' },
      },
      required: ['action'],
    },
  },
  run: (input, context) => runAction(actions, input, context),
};

async function list(_input: JsonObject, { admin }: HelperContext): Promise<JsonObject> {
  const facts = admin.list();
  const failed = facts.flatMap(({ name, error }) => (error === undefined ? [] : [[name, error] as const]));
  return dataResult({
    servers: facts.map(serverRow),
    total: facts.length,
    config_path: admin.configPath,
    ...(failed.length > 0 && { failed_count: failed.length, failed_servers: Object.fromEntries(failed) }),
  });
}

async function add(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const server = requireName(input);
  if (!describesLaunch(input)) return addFound(server, input, context);
  const change = { kind: 'add', server, entry: newEntry(input) } as const;
  return requestChange(change, { done: `Added '${server}'.`, asked: `Adding '${server}' was proposed.` }, context);
}

/** By its name alone, as ToolMux does: from another app or a bundle. What it starts is for the person to see. */
async function addFound(server: string, input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const { source, endpoint, entry } = await context.admin.foundLaunch(server);
  const texts = {
    done: `Added '${server}' with the launch that ${source.title} has.`,
    asked: `Adding '${server}' with the launch that ${source.title} has was proposed.`,
    sentence: `Add the server "${server}" with the launch found in ${source.title}: ${endpoint}`,
  };
  return requestChange({ kind: 'add', server, entry: described(entry, input) }, texts, context);
}

async function remove(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const server = requireName(input);
  const texts = { done: `Removed '${server}'.`, asked: `Removing '${server}' was proposed.` };
  return requestChange({ kind: 'remove', server }, texts, context);
}

async function validate(input: JsonObject, { admin }: HelperContext): Promise<JsonObject> {
  const checks = await admin.validate();
  const wanted = nameOf(input);
  const results = checks.filter(({ name }) => wanted === undefined || name === wanted);
  if (wanted !== undefined && results.length === 0) {
    return dataError(`There is no server named '${wanted}'.`, { available: checks.map(({ name }) => name) });
  }
  return dataResult({
    results: results.map((check) => ({ ...check })),
    total: results.length,
    errors: results.filter(({ valid }) => !valid).length,
  });
}

async function test(input: JsonObject, { admin }: HelperContext): Promise<JsonObject> {
  const wanted = nameOf(input);
  const enabled = admin.list().flatMap((server) => (server.enabled ? server.name : []));
  const results = await Promise.all((wanted === undefined ? enabled : [wanted]).map((name) => admin.try(name, 'wake')));
  return dataResult({
    results: results.map(({ name, ok, tools, error }) => ({ name, ok, tools, ...(error !== undefined && { error }) })),
    total_tools: results.reduce((sum, { tools }: ServerTrial) => sum + tools, 0),
  });
}

async function retry(input: JsonObject, { admin }: HelperContext): Promise<JsonObject> {
  const { name, ok, tools, error } = await admin.try(requireName(input), 'retry');
  return ok ? dataResult({ success: true, server: name, tools }) : dataError(error ?? `${name} does not answer.`);
}

function requireName(input: JsonObject): string {
  const name = nameOf(input);
  if (name !== undefined) return name;
  throw new AppError('bad_request', "The action needs the 'name' of a server.");
}

function nameOf({ name }: JsonObject): string | undefined {
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : undefined;
}
