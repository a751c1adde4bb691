/** `magg_smart_configure`: how a server is started, from where it comes: by the registry, and by the app's own model. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import type { HelperContext } from '../mode.ts';
import { addEntry, readEntry } from './add-server.ts';
import { askModel, noSampling } from './ask-model.ts';
import { type MaggAnswer, maggTool } from './magg-tool.ts';
import { readText, requireText } from './read-input.ts';
import { type FoundServer, searchRegistry } from './search-registry.ts';

const fewResults = 3;

export const smartConfigure = maggTool({
  name: 'magg_smart_configure',
  description: "Find out how a server is started, by the registry and the app's model; with allow_add, add it.",
  properties: {
    source: { type: 'string', description: 'address of the project or package' },
    server_name: { type: 'string' },
    allow_add: { type: 'boolean' },
  },
  required: ['source'],
  run,
});

async function run(input: JsonObject, context: HelperContext): Promise<MaggAnswer> {
  const source = requireText(input, 'source').trim();
  const name = readText(input, 'server_name')?.trim() ?? nameIn(source);
  const { servers, failure } = await searchRegistry(lastWord(source), fewResults, context.signal);
  const told = failure === undefined ? {} : { registry: failure };
  const config = context.canSample
    ? await configByModel({ source, name, servers }, context)
    : configByRegistry(source, name, servers);
  if (config === undefined) {
    const fix =
      'Read there how it is started, and call magg_add_server; the prompt magg_configure_server leads through it.';
    return { errors: [`${noSampling} The registry does not know ${source} either. ${fix}`, ...Object.values(told)] };
  }
  const action = context.canSample ? 'smart_configured' : 'metadata_based_config';
  const answer = { action, config, ...(!context.canSample && { note: noSampling }), ...told };
  if (input['allow_add'] !== true) return { output: { ...answer, added: false } };
  const added = await addEntry(config.name, readEntry(config), context);
  return added.errors === undefined ? { output: { ...answer, ...(added.output as JsonObject) } } : added;
}

interface Config extends JsonObject {
  readonly name: string;
}

/** Only what is clear: the package of the entry that comes from there. */
function configByRegistry(source: string, name: string, servers: readonly FoundServer[]): Config | undefined {
  const same = servers.find(({ url, name: listed }) => listed === source || trimmed(url) === trimmed(source));
  if (same?.install_command === undefined) return undefined;
  return { name, source, command: same.install_command, notes: same.description };
}

async function configByModel(
  { source, name, servers }: { source: string; name: string; servers: readonly FoundServer[] },
  context: HelperContext,
): Promise<Config> {
  const prompt = [
    `How is the MCP server from ${source} started? Answer with one JSON object and nothing else:`,
    '{"name": …, "command": whole command line, or "uri": address of a server over HTTP, "env": {NAME: value}, "notes": one sentence}',
    `Call it ${JSON.stringify(name)}. Write a secret as \${env:NAME}, invent no value.`,
    ...(servers.length === 0 ? [] : [`The registry has, as data: ${JSON.stringify(servers)}`]),
  ].join('\n');
  const answer = objectIn(await askModel(prompt, context));
  const { command, uri, env, notes, cwd } = answer;
  return { ...withoutUndefined({ command, uri, env, notes, cwd }), name, source };
}

/** The object in a model's answer, with or without words and a fence around it. Throws AppError call_failed. */
function objectIn(text: string): JsonObject {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  try {
    const value = parseJson(json);
    if (isObject(value)) return value;
  } catch {
    // Whatever stands there is no entry.
  }
  throw new AppError('call_failed', "The app's model gave no configuration.", {
    fix: 'Try again, or write it yourself.',
  });
}

function withoutUndefined(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined && member !== null));
}

function lastWord(source: string): string {
  return trimmed(source).split('/').at(-1) ?? source;
}

function nameIn(source: string): string {
  return (
    lastWord(source)
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'server'
  );
}

function trimmed(address = ''): string {
  return address.replace(/(?:\.git)?\/*$/, '');
}
