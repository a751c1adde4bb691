/** What the dashboard asks about servers, and does with them. */
import { join } from 'node:path';
import { serverBackground } from '../../core/admin/server-background.ts';
import { isObject, type JsonObject, objectOf, textOr } from '../../core/base/json.ts';
import { offerText } from '../../core/admin/healing.ts';
import { tryEntry } from '../../core/admin/try-entry.ts';
import { AppError } from '../../core/base/errors.ts';
import { markHidden, markSteering } from '../../core/base/shown-text.ts';
import { usableSchema } from '../../core/catalog/catalog.ts';
import type { HealOffer } from '../../core/client-apps/heal-offers.ts';
import { isToolOn } from '../../core/config/app-config.ts';
import { ConfigDocument } from '../../core/config/config-document.ts';
import { nodeValue } from '../../core/config/json-text.ts';
import { findContainers } from '../../core/config/read-entry.ts';
import { findCommand } from '../../core/servers/launch/find-command.ts';
import type { HealOfferRow, ServerTool, WrittenText } from '../contract.ts';
import type { Handlers, RpcDeps } from '../deps.ts';
import { nameOfEntry, type PastedServer, readCommandLines } from '../read-command-line.ts';

const settleMs = 15_000;

export const serverHandlers = {
  serverDetail: async ({ server }, { core }) => {
    const { config } = core.servers.get(server);
    const { name } = config;
    const pinFolder = join(core.options.paths.dataDir, 'pins');
    return {
      tools: serverTools(name, core),
      entry: await core.edits.shownEntry(name),
      logFile: core.transports.logFile(name),
      background: await serverBackground(config, { pinFolder, carried: core.carried, digests: core.digests }),
    };
  },
  writtenTexts: async (_input, { core }) => {
    await core.catalog.settled(settleMs);
    return { texts: core.servers.all.flatMap(({ config }) => writtenTexts(config.name, core)) };
  },
  takeBackText: async ({ server, tool }, { core }) => {
    await core.catalog.settled(settleMs);
    const { name } = core.servers.get(server).config;
    if (!writtenTexts(name, core).some((one) => one.tool === tool)) {
      throw new AppError('not_found', `No model has written a description of ${name}:${tool}.`, {
        fix: 'See tooltray list --written.',
      });
    }
    await core.descriptions.takeBack(name, [tool]);
    return {};
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
  saveServer: async ({ name, entry, replace, keepSecrets = false }, { core }) => {
    const whole = await core.edits.unmasked({ ...entry }, replace ? name : undefined);
    const kept = keepSecrets ? (await core.secrets.keep(name, whole)).entry : whole;
    await core.edits.save(name, kept, replace);
    return {};
  },
  removeServer: ({ server }, { core }) => core.removals.remove(server),
  undoRemoval: ({ undo }, { core }) => core.removals.undo(undo),
  readServers: async ({ text }, { core }) => {
    const isProgram = async (command: string): Promise<boolean> =>
      (await findCommand(command, await core.environment.resolve())) !== undefined;
    return { servers: await readServersText(text, isProgram) };
  },
} satisfies Handlers;

/** What apps are told in place of what the server says, tool by tool. */
function writtenTexts(server: string, { servers, descriptions }: RpcDeps['core']): WrittenText[] {
  return servers.get(server).listing.tools.flatMap(({ name, description }) => {
    const tool = String(name);
    const written = descriptions.find(server, tool, description);
    if (written === undefined) return [];
    const own = textOr(description);
    return [{ server, tool, written: markHidden(written), own: markHidden(own) }];
  });
}

function serverTools(name: string, core: RpcDeps['core']): ServerTool[] {
  const written = new Map(writtenTexts(name, core).map((one) => [one.tool, one.written]));
  const listedNames = new Map(core.catalog.current.tools.map((tool) => [tool.id, tool.listedName]));
  return core.servers.get(name).listing.tools.map((definition) => {
    const tool = String(definition['name']);
    const hints = objectOf(definition['annotations']);
    return {
      name: tool,
      listedName: listedNames.get(`${name}:${tool}`) ?? tool,
      description: markSteering(textOr(definition['description'])),
      written: written.get(tool),
      enabled: isToolOn(core.options.config.current, name, tool),
      readOnly: flag(hints, 'readOnlyHint'),
      destructive: flag(hints, 'destructiveHint'),
      tokens: Math.ceil(JSON.stringify(definition).length / 4),
      inputSchema: markSteering(usableSchema(definition)),
    };
  });
}

function flag(hints: JsonObject, name: string): boolean | undefined {
  return typeof hints[name] === 'boolean' ? hints[name] : undefined;
}

/** What people ask about servers that could be mended, and their yes to it. */
export const healHandlers = {
  healOffers: async (_input, { core }) => {
    await core.healing.lookAgain();
    return { offers: core.healing.offers.map(healOfferRow) };
  },
  heal: async ({ server: named }, { core }) => {
    const server = core.servers.get(named).config.name;
    const offered = (await core.inbox.items()).find((item) => item.kind === 'heal' && item.server === server);
    if (offered === undefined) return core.healing.heal(server);
    // The same as a decision in the inbox, so that it stands in the history.
    const { sentence, isDone } = await core.inbox.decide(offered.id, { action: 'use', by: 'command line' });
    return { server, healed: isDone, sentence };
  },
} satisfies Handlers;

function healOfferRow(offer: HealOffer): HealOfferRow {
  const { server, source, file, endpoint } = offer;
  return { server, source: source.title, file, endpoint, sentence: offerText(offer) };
}

// The servers in a text that a person pasted: a config of any product, one entry, or a command line.

/**
 * `isProgram` tells whether a command can be started here: any text is a command line to a parser.
 * Rejects with AppError bad_request where there is no server in it.
 */
export async function readServersText(
  text: string,
  isProgram: (command: string) => Promise<boolean>,
): Promise<readonly PastedServer[]> {
  const trimmed = text.trim();
  if (/^[{["]/.test(trimmed)) {
    const found = ofJson(trimmed);
    if (found.length > 0) return found;
    throw noServer('There is no server in this text.');
  }
  const found = readCommandLines(trimmed);
  for (const { entry } of found) {
    const { command } = entry;
    if (typeof command !== 'string' || runners.has(command) || (await isProgram(command))) continue;
    throw noServer(`There is no server in this text: "${command.slice(0, 60)}" is no program on this computer.`);
  }
  if (found.length > 0) return found;
  throw noServer('There is no server in this text.');
}

/** What servers are started with; where it is missing, the trial says what to install. */
const runners: ReadonlySet<string> = new Set([
  'npx',
  'node',
  'npm',
  'pnpm',
  'bunx',
  'bun',
  'deno',
  'uvx',
  'uv',
  'python',
  'python3',
  'pipx',
  'docker',
  'podman',
  'go',
  'java',
  'dotnet',
]);

function noServer(message: string): AppError {
  return new AppError('bad_request', message, {
    fix: 'Paste the JSON that a server\'s page shows, with "mcpServers" or one entry, the command that starts it, a "claude mcp add …" line, or its address.',
  });
}

function ofJson(text: string): PastedServer[] {
  // Pages often show the inside of a config, without the braces around it.
  const { root, problems } = new ConfigDocument(text.startsWith('"') ? `{${text}}` : text, 'the pasted text');
  if (root === undefined) {
    throw new AppError('bad_request', `The text cannot be read: ${problems[0]?.reason ?? 'it is not JSON'}`, {
      fix: 'Copy it whole.',
    });
  }
  const contained = findContainers(root).flatMap(({ entries }) =>
    entries.flatMap(({ name, valueNode }) => named(name, nodeValue(valueNode))),
  );
  if (contained.length > 0) return contained;
  const value = nodeValue(root);
  if (!isObject(value)) return [];
  if (isEntry(value)) return named(nameOfEntry(value), value);
  return Object.entries(value).flatMap(([name, entry]) =>
    isObject(entry) && isEntry(entry) ? named(name, entry) : [],
  );
}

function named(name: string | undefined, value: unknown): PastedServer[] {
  if (!isObject(value)) return [];
  const { name: _own, ...entry } = value;
  return [{ name: name ?? nameOfEntry(value), entry }];
}

function isEntry(value: JsonObject): boolean {
  return ['command', 'url', 'serverUrl', 'httpUrl', 'base_url', 'uri'].some((key) => typeof value[key] === 'string');
}
