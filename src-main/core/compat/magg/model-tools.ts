/** `magg_smart_configure`: how a server is started, from where it comes: by the registry, and by the app's own model. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import { maskText } from '../../base/mask.ts';
import type { HelperContext } from '../../modes/mode.ts';
import { toObject } from '../../wire/raw-json.ts';
import { isMounted, type MaggAnswer, maggTool, readText, requireText } from './magg-tool.ts';
import { type FoundServer, searchRegistry } from './search-registry.ts';
import { addEntry, readEntry } from './servers.ts';

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
  const { servers, failure } = await searchRegistry(lastWord(source), fewResults, context.registries, context.signal);
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

// Has the client app's own model think about something, where the app lets servers do so (`sampling/createMessage`).

/** For an answer of a page. */
const longestAnswer = 2000;

const noSampling = 'This app does not let servers ask its model (sampling).';

/** What it answers. Throws AppError unsupported where the app has no sampling; rejects as the app does, with the person's no. */
async function askModel(prompt: string, { askClient, canSample, signal }: HelperContext): Promise<string> {
  if (!canSample) throw new AppError('unsupported', noSampling);
  const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
  const result = toObject(await askClient('sampling/createMessage', { messages, maxTokens: longestAnswer }, signal));
  const { content } = result;
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  const texts = blocks.flatMap((block) =>
    isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  if (texts.length > 0) return texts.join('\n');
  throw new AppError('call_failed', "The app's model answered without a text.");
}

/** `magg_analyze_servers`: what is configured, in numbers, and what the app's own model has to say about it. */
export const analyzeServers = maggTool({
  name: 'magg_analyze_servers',
  description: "Count servers and tools, and have the app's model judge the setup.",
  readOnly: true,
  async run(_input, context) {
    const analysis = await analyze(context);
    // Without a model there are the numbers; that the rest is missing is no failure of theirs.
    if (!context.canSample) return { output: { ...analysis, insights: null, note: noSampling } };
    const prompt = `These MCP servers are configured:\n${JSON.stringify(analysis, null, 1)}\nName what overlaps, what is broken and how to mend it, and what is missing for common work. Be short.`;
    return { output: { ...analysis, insights: await askModel(prompt, context) } };
  },
});

async function analyze({ admin, catalog }: HelperContext): Promise<JsonObject> {
  const notes = await admin.notes();
  const servers = admin.list();
  return {
    total_servers: servers.length,
    enabled_servers: servers.filter(({ enabled }) => enabled).length,
    mounted_servers: servers.filter(isMounted).length,
    total_tools: catalog.tools.length,
    servers: servers.map((server) => ({
      name: server.name,
      enabled: server.enabled,
      mounted: isMounted(server),
      tools: catalog.lookup.tools.of(server.name).map(({ name }) => name),
      ...(notes.get(server.name)?.notes !== undefined && { notes: notes.get(server.name)?.notes }),
      ...(server.error !== undefined && { error: maskText(server.error) }),
    })),
  };
}
