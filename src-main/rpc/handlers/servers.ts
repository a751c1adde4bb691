/** What the dashboard asks about servers, and does with them. */
import { tryEntry } from '../../core/admin/try-entry.ts';
import { isToolOn } from '../../core/config/is-tool-on.ts';
import { usableSchema } from '../../core/catalog/catalog.ts';
import { isObject, type JsonObject } from '../../core/base/json.ts';
import type { ServerTool } from '../contract.ts';
import { findCommand } from '../../core/servers/launch/find-command.ts';
import { readServersText } from '../read-servers-text.ts';
import type { RpcDeps } from '../deps.ts';
import type { HandlersOf } from './handler.ts';

type Method =
  'serverDetail' | 'setToolEnabled' | 'setServerEnabled' | 'tryServer' | 'saveServer' | 'removeServer' | 'readServers';

export const serverHandlers: HandlersOf<Method> = {
  serverDetail: async ({ server }, { core }) => {
    const { name } = core.servers.get(server).config;
    return {
      tools: serverTools(name, core),
      entry: await core.edits.shownEntry(name),
      logFile: core.transports.logFile(name),
    };
  },
  setToolEnabled: async ({ server, tool, enabled }, { core }) => {
    await core.edits.setToolEnabled(server, tool, enabled);
    return {};
  },
  setServerEnabled: async ({ server, enabled }, { core }) => {
    await core.edits.setEnabled(server, enabled);
    return {};
  },
  tryServer: async ({ server, entry }, { core }) => {
    const { config, version } = core.options;
    const whole = await core.edits.unmasked({ ...entry }, server);
    return tryEntry(whole, { config, transports: core.transports, version });
  },
  saveServer: async ({ name, entry, replace }, { core }) => {
    await core.edits.save(name, { ...entry }, replace);
    return {};
  },
  removeServer: async ({ server }, { core }) => {
    await core.edits.remove(server);
    return {};
  },
  readServers: async ({ text }, { core }) => {
    const isProgram = async (command: string): Promise<boolean> =>
      (await findCommand(command, await core.environment.resolve())) !== undefined;
    return { servers: await readServersText(text, isProgram) };
  },
};

function serverTools(name: string, core: RpcDeps['core']): ServerTool[] {
  const listedNames = new Map(core.catalog.current.tools.map((tool) => [tool.id, tool.listedName]));
  return core.servers.get(name).listing.tools.map((definition) => {
    const tool = String(definition['name']);
    const hints = isObject(definition['annotations']) ? definition['annotations'] : {};
    return {
      name: tool,
      listedName: listedNames.get(`${name}:${tool}`) ?? tool,
      description: typeof definition['description'] === 'string' ? definition['description'] : '',
      enabled: isToolOn(core.options.config.current, name, tool),
      readOnly: flag(hints, 'readOnlyHint'),
      destructive: flag(hints, 'destructiveHint'),
      tokens: Math.ceil(JSON.stringify(definition).length / 4),
      inputSchema: usableSchema(definition),
    };
  });
}

function flag(hints: JsonObject, name: string): boolean | undefined {
  return typeof hints[name] === 'boolean' ? hints[name] : undefined;
}
