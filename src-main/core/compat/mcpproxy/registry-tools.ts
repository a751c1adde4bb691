/** MCPProxy's tools for registries: looking is free, adding is asked for as every change is. */
import { AppError } from '../../base/errors.ts';
import { markSteering, shortName } from '../../base/shown-text.ts';
import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import type { HelperContext, HelperTool } from '../../modes/mode.ts';
import { answerProblems, makeEntry } from '../../registry/make-entry.ts';
import type { ReadOption } from '../../registry/read-option.ts';
import { freeName, type RegistryServer } from '../../registry/registry-entry.ts';
import { usableOption } from '../../registry/registry-desk.ts';
import { secretNames } from '../../secrets/find-plain.ts';
import { jsonFailure, jsonResult, proposedChange, readCount, readText, refused } from './answers.ts';

const usualLimit = 10;
const mostServers = 50;

export const searchServers: HelperTool = {
  admin: true,
  definition: {
    name: 'search_servers',
    description: 'Search a registry for servers to add with upstream_servers add_from_registry.',
    inputSchema: {
      type: 'object',
      properties: {
        registry: { type: 'string', description: 'of list_registries; else the first' },
        search: { type: 'string', description: 'part of a name' },
        limit: { type: 'integer' },
      },
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
  async run(input, { registries, signal }) {
    const registry = readText(input['registry']);
    const query = readText(input['search']) ?? '';
    const limit = readCount(input['limit'], usualLimit, mostServers);
    try {
      const page = await registries.search({ registry, query, limit }, signal);
      const servers = page.servers.map(shownServer);
      const more = page.next === undefined ? '' : ' There are more: search for a longer part of the name.';
      const message = `Found ${servers.length} in ${page.registry}.${more}`;
      return jsonResult({ servers, registry: page.registry, total: servers.length, query, message });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // What could not be asked is told as that: an empty list would say that there is none.
      const unavailable = { reason: error.message };
      return jsonFailure({ servers: [], registry, total: 0, query, message: error.text, unavailable });
    }
  },
};

export const listRegistries: HelperTool = {
  admin: true,
  definition: {
    name: 'list_registries',
    description: 'The registries that search_servers can search.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: (_input, { registries }) => {
    const shown = registries.list().map(({ name, url }) => ({ id: name, name, url }));
    return Promise.resolve(jsonResult({ registries: shown, total: shown.length }));
  },
};

function shownServer({ name, version, title, description, repository, status, options }: RegistryServer): JsonObject {
  return markSteering({
    ...{ id: name, name: title === '' ? name : title, version, description },
    ...(repository !== '' && { source_code_url: repository }),
    ...(status !== 'active' && { status }),
    options: options.map(({ id, title: kind, target, inputs, refusal }) => ({
      ...{ id, kind, target },
      ...(inputs.length > 0 && {
        inputs: inputs.map((one) => `${one.label}${one.isRequired ? '*' : ''}${one.isSecret ? ' (secret)' : ''}`),
      }),
      ...(refusal !== undefined && { refusal }),
    })),
  });
}

/**
 * upstream_servers `add_from_registry`: what runs is made from the registry's entry here, never by the model. A secret that it does not
 * give is one that the person sets. Rejects with AppError registry_failed, not_found, unsupported, bad_request, config_conflict.
 */
export async function addFromRegistry(input: JsonObject, context: HelperContext): Promise<JsonObject> {
  const { admin, registries, author, signal } = context;
  const id = readText(input['id']);
  if (id === undefined) throw refused('"id" is missing.', 'Find it with search_servers.');
  const { registry, server } = await registries.find(
    readText(input['registry']),
    id,
    readText(input['version']),
    signal,
  );
  const option = usableOption(server, readText(input['option']));
  const name =
    readText(input['name']) ??
    freeName(
      server.name,
      admin.list().map((one) => one.name),
    );
  const given = { ...answersOf(input['env_json'] ?? input['env'], option), ...answersOf(input['inputs_json'], option) };
  const asked = option.inputs.filter((one) => one.isSecret && one.isRequired && !Object.hasOwn(given, one.id));
  const awaited = asked.map((one) => ({ id: one.id, secret: secretNames(name, one.label)[1] }));
  const answers = { ...given, ...Object.fromEntries(awaited.map((one) => [one.id, `\${secret:${one.secret}}`])) };
  const missing = answerProblems(option, answers);
  if (missing.length > 0) {
    const message = missing.map(({ sentence }) => sentence).join(' ');
    return { success: false, code: 'missing_inputs', message, missing_inputs: missing.map(({ label }) => label) };
  }
  const origin = { name: registry, server: server.name, version: server.version };
  const entry = makeEntry(option, answers, origin, (_input, value) => value);
  const outcome = await admin.request({ kind: 'add', server: name, entry, isUnseen: true }, author);
  const { command, args, url } = entry;
  return {
    success: true,
    server: {
      name,
      protocol: url === undefined ? 'stdio' : (entry['type'] ?? 'streamable-http'),
      command,
      args,
      url,
      quarantined: true,
    },
    ...proposedChange(outcome),
    ...(awaited.length > 0 && {
      secrets: awaited.map(({ secret }) => secret),
      secrets_message: `The person sets them: ${awaited.map(({ secret }) => `tooltray secret set ${secret}`).join('; ')}`,
    }),
  };
}

/** By label or id; what the entry does not ask for is refused by name. */
function answersOf(value: unknown, option: ReadOption): Record<string, string> {
  if (value === undefined || value === null) return {};
  const map = typeof value === 'string' ? readJson(value) : value;
  if (!isObject(map)) throw refused('What the entry asks for is not an object of texts.', 'Give {"NAME": "value"}.');
  const pairs = Object.entries(map).map(([key, one]): [string, string] => {
    const input = option.inputs.find(({ id, label }) => id === key || label === key);
    if (input === undefined)
      throw refused(`It asks for nothing called ${JSON.stringify(shortName(key))}.`, 'Nothing was changed.');
    return [input.id, Array.isArray(one) ? one.map(String).join('\n') : String(one)];
  });
  return Object.fromEntries(pairs);
}

function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
