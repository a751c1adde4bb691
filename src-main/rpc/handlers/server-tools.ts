/** Dashboard requests about servers. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadServerProvenance } from '../../core/admin/server-provenance.ts';
import { type JsonObject, objectOrEmpty, textOrEmpty } from '../../core/base/json.ts';
import { candidateQuestion } from '../../core/admin/self-healing.ts';
import { probeEntry } from '../../core/admin/probe-entry.ts';
import { AppError } from '../../core/base/errors.ts';
import { markInvisible, neutralizeControlCharacters } from '../../core/base/visible-text.ts';
import { wordMatcher } from '../../core/base/text-format.ts';
import { usableSchema } from '../../core/catalog/catalog.ts';
import type { HealCandidate } from '../../core/client-apps/heal-candidates.ts';
import { isToolEnabled } from '../../core/config/app-config.ts';
import { parsePasted } from '../../core/paste-import/parse-pasted.ts';
import { findCommand } from '../../core/servers/launch/find-command.ts';
import type { HealOfferRow, ServerTool, ToolMatches, RewrittenDescription } from '../contract.ts';
import type { Handlers, RpcDeps } from '../deps.ts';
import { hasView } from './app-views.ts';

const settleMs = 15_000;

export const serverHandlers = {
  serverDetail: async ({ server }, { core }) => {
    const { config } = core.servers.manager.get(server);
    const { name } = config;
    const pinFolder = join(core.context.paths.dataDir, 'pins');
    return {
      tools: serverTools(name, core),
      entry: await core.servers.edits.maskedEntry(name),
      logFile: core.servers.transports.logFile(name),
      background: await loadServerProvenance(config, {
        pinFolder,
        digests: core.trust.fileDigests,
        signedIn: (server) => {
          const facts = core.servers.signIns.find(server)?.info;
          return Promise.resolve(facts?.isSignedIn === true ? facts : undefined);
        },
      }),
    };
  },
  writtenTexts: async (_input, { core }) => {
    await core.calls.catalog.settled(settleMs);
    return { texts: core.servers.manager.all.flatMap(({ config }) => writtenTexts(config.name, core)) };
  },
  takeBackText: async ({ server, tool }, { core }) => {
    await core.calls.catalog.settled(settleMs);
    const { name } = core.servers.manager.get(server).config;
    if (!writtenTexts(name, core).some((one) => one.tool === tool)) {
      throw new AppError('not_found', `No model has written a description of ${name}:${tool}.`, {
        fix: 'See tooltray list --written.',
      });
    }
    await core.calls.descriptions.restoreOriginal(name, [tool]);
    return {};
  },
  setToolEnabled: async ({ server, tool, enabled }, { core }) => {
    await core.servers.edits.setToolEnabled(server, tool, enabled);
    return {};
  },
  setServerEnabled: async ({ server, enabled }, { core }) => {
    await core.servers.edits.setEnabled(server, enabled);
    return {};
  },
  setServersEnabled: async ({ servers, enabled }, { core }) => {
    const known = servers.map((server) => core.servers.manager.get(server).config);
    const held = known.filter((config) => enabled && config.held !== undefined).map(({ name }) => name);
    const changed = known.flatMap((config) =>
      config.enabled === enabled || held.includes(config.name) ? [] : [config.name],
    );
    if (changed.length > 0) await core.servers.edits.setField(changed, 'enabled', () => enabled);
    return { changed, held };
  },
  stopServer: async ({ server }, { core }) => {
    const found = core.servers.manager.get(server);
    core.servers.transports.log(found.config.name).appendEvent('Stopped at your word; its next call starts it.');
    await found.sleep();
    return {};
  },
  serverUsage: (_input, { core }) => core.servers.usage.read(),
  toolMatches: async ({ text }, { core }) => ({ servers: toolMatches(text, core) }),
  tryServer: async ({ server, entry }, { core }) => {
    const { config, version } = core.context;
    const whole = await core.servers.edits.unmaskEntry({ ...entry }, server);
    return probeEntry(whole, { config, transports: core.servers.transports, version });
  },
  saveServer: async ({ name, entry, replace, keepSecrets = false }, { core }) => {
    const whole = await core.servers.edits.unmaskEntry({ ...entry }, replace ? name : undefined);
    const kept = keepSecrets ? (await core.trust.secrets.sealEntry(name, whole)).entry : whole;
    await core.servers.edits.save(name, kept, replace);
    return {};
  },
  removeServer: ({ server }, { core }) => core.servers.removals.remove(server),
  undoRemoval: ({ undo }, { core }) => core.servers.removals.undo(undo),
  readServers: async ({ text }, { core }) => {
    const isProgram = async (command: string): Promise<boolean> =>
      (await findCommand(command, await core.servers.environment.resolve())) !== undefined;
    return parsePasted(text, { isProgram, home: homedir() });
  },
} satisfies Handlers;

/** Descriptions shown to apps in place of the server's own, by tool. */
function writtenTexts(
  server: string,
  { servers: { manager: servers }, calls: { descriptions } }: RpcDeps['core'],
): RewrittenDescription[] {
  return servers.get(server).listing.tools.flatMap(({ name, description }) => {
    const tool = String(name);
    const written = descriptions.find(server, tool, description);
    if (written === undefined) return [];
    const own = textOrEmpty(description);
    return [{ server, tool, written: markInvisible(written), own: markInvisible(own) }];
  });
}

function heldTools(
  name: string,
  { servers: { manager: servers } }: RpcDeps['core'],
): ReadonlyMap<string, ServerTool['held']> {
  const { pins } = servers.get(name);
  const open = new Set(pins?.pendingReview?.changes.map(({ key }) => key));
  const tools = (pins?.heldChanges ?? []).filter(({ kind }) => kind === 'tool');
  return new Map(tools.map((change) => [change.name, open.has(change.key) ? 'waits' : 'rejected']));
}

function serverTools(name: string, core: RpcDeps['core']): ServerTool[] {
  const written = new Map(writtenTexts(name, core).map((one) => [one.tool, one.written]));
  const listedNames = new Map(core.calls.catalog.current.tools.map((tool) => [tool.id, tool.listedName]));
  const held = heldTools(name, core);
  return core.servers.manager.get(name).listing.tools.map((definition) => {
    const tool = String(definition['name']);
    const hints = objectOrEmpty(definition['annotations']);
    return {
      name: tool,
      listedName: listedNames.get(`${name}:${tool}`) ?? tool,
      description: neutralizeControlCharacters(textOrEmpty(definition['description'])),
      written: written.get(tool),
      enabled: isToolEnabled(core.context.config.current, name, tool),
      held: held.get(tool),
      readOnly: flag(hints, 'readOnlyHint'),
      destructive: flag(hints, 'destructiveHint'),
      hasView: hasView(name, tool, core),
      tokens: Math.ceil(JSON.stringify(definition).length / 4),
      inputSchema: neutralizeControlCharacters(usableSchema(definition)),
    };
  });
}

/** How many of a server's matches are named. */
const namedMatches = 5;

function toolMatches(text: string, { servers: { manager: servers } }: RpcDeps['core']): ToolMatches[] {
  if (text.trim() === '') return [];
  const fits = wordMatcher(text);
  return servers.all.flatMap(({ config, listing }) => {
    const found = listing.tools.filter(({ name, description }) => fits(`${String(name)} ${textOrEmpty(description)}`));
    if (found.length === 0) return [];
    const names = found.map(({ name }) => String(name));
    const inOrder = [...names.filter(fits), ...names.filter((name) => !fits(name))];
    return [{ server: config.name, tools: inOrder.slice(0, namedMatches), total: found.length }];
  });
}

function flag(hints: JsonObject, name: string): boolean | undefined {
  return typeof hints[name] === 'boolean' ? hints[name] : undefined;
}

/** Requests about servers that could be fixed, and approval of a fix. */
export const healHandlers = {
  healOffers: async (_input, { core }) => {
    await core.servers.healing.rescan();
    return { offers: core.servers.healing.candidates.map(healOfferRow) };
  },
  heal: async ({ server: named }, { core }) => {
    const server = core.servers.manager.get(named).config.name;
    const offered = (await core.trust.inbox.items()).find((item) => item.kind === 'heal' && item.server === server);
    if (offered === undefined) return core.servers.healing.heal(server);
    // The same as a decision in the inbox, so that it stands in the history.
    const { sentence, isDone } = await core.trust.inbox.decide(offered.id, { action: 'use', by: 'command line' });
    return { server, healed: isDone, sentence };
  },
} satisfies Handlers;

function healOfferRow(offer: HealCandidate): HealOfferRow {
  const { server, source, file, endpoint } = offer;
  return { server, source: source.title, file, endpoint, sentence: candidateQuestion(offer) };
}
