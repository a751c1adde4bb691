/** Mode `universal`: one tool for tools, resources and prompts, for client apps that know tools only. */
import { maggPrompts } from './servers.ts';
import { languagesText } from '../../modes/languages.ts';
import type { Mode, ModeView, HelperContext, OwnResource } from '../../modes/mode.ts';
import { proxyTool } from './proxy-tool.ts';
import { namedServers } from '../../modes/show-tools.ts';
import type { JsonObject } from '../../base/json.ts';
import { kitFacts, kitList, shownKit } from './kits.ts';
import { serverEntry } from './magg-tool.ts';
import { decoded } from '../../base/json-pointer.ts';

function instructions({ catalog }: ModeView): string {
  return `Use proxy: list (query) before saying that something cannot be done, info for a schema, call, batch for several. Servers: ${namedServers(catalog.servers)}.${languagesText(catalog)}`;
}

// `magg://` resources: servers and kits as JSON, their secrets masked.

const maggResources: readonly OwnResource[] = [
  resource({ uri: 'magg://servers/all', name: 'servers' }, allServers),
  resource(
    { uriTemplate: 'magg://server/{name}', name: 'server' },
    async (context, name) => (await allServers(context))[name],
  ),
  resource({ uri: 'magg://kits/all', name: 'kits' }, kitList),
  resource({ uriTemplate: 'magg://kit/{name}', name: 'kit' }, async (context, name) => {
    const found = (await kitFacts(context)).find((kit) => kit.name === name);
    return found && shownKit(found);
  }),
];

type Read = (context: HelperContext, name: string) => Promise<unknown>;

/** `read` gives undefined where there is none of that name. */
function resource(definition: JsonObject, read: Read): OwnResource {
  const address = String(definition['uri'] ?? definition['uriTemplate']).replace('{name}', '');
  const isTemplate = 'uriTemplate' in definition;
  return {
    definition: { ...definition, mimeType: 'application/json' },
    async read(uri, context) {
      const fits = isTemplate ? uri.startsWith(address) : uri === address;
      const value = fits ? await read(context, decoded(uri.slice(address.length))) : undefined;
      return value === undefined ? undefined : { uri, mimeType: 'application/json', text: JSON.stringify(value) };
    },
  };
}

async function allServers(context: HelperContext): Promise<JsonObject> {
  const notes = await context.admin.notes();
  return Object.fromEntries(
    context.admin.list().map((facts) => {
      const { env, headers } = facts.config;
      const secret = { ...(env !== undefined && { env }), ...(headers !== undefined && { headers }) };
      return [facts.name, { ...serverEntry(facts, notes.get(facts.name), context), ...secret }];
    }),
  );
}

export const universalMode: Mode = {
  name: 'universal',
  line: 'One tool for tools, resources and prompts',
  helpers: [proxyTool],
  fixedList: true,
  listed: () => [],
  callLine: (path, args) => `proxy ${JSON.stringify({ action: 'call', type: 'tool', path, args })}`,
  resources: maggResources,
  prompts: maggPrompts,
  instructions,
};
