/** Dashboard requests about servers. */
import type { CoreGroups } from '../../core/core-groups.ts';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { serverAccess } from '../../core/admin/server-access.ts';
import { loadServerProvenance } from '../../core/admin/server-provenance.ts';
import { type JsonObject, objectOrEmpty, textOrEmpty } from '../../core/base/json.ts';
import { candidateQuestion } from '../../core/admin/self-healing.ts';
import { probeEntry } from '../../core/admin/probe-entry.ts';
import { AppError } from '../../core/base/errors.ts';
import { markInvisible, neutralizeControlCharacters } from '../../core/base/visible-text.ts';
import { wordMatcher } from '../../core/base/text-format.ts';
import { usableSchema } from '../../core/catalog/catalog.ts';
import type { HealCandidate } from '../../core/client-apps/heal-candidates.ts';
import { isToolEnabled } from '../../core/config/tool-names.ts';
import { parsePasted } from '../../core/paste-import/parse-pasted.ts';
import { sandboxUnavailableReason } from '../../core/servers/launch/sandbox/bubblewrap.ts';
import { findCommand } from '../../core/servers/launch/find-command.ts';
import type { HealCandidateRow, ServerTool, ToolMatches, RewrittenDescription } from '../contract.ts';
import type { Handlers } from '../deps.ts';
import { hasView } from './app-views.ts';

const settleMs = 15_000;

export const serverHandlers = {
  serverDetail: async ({ server }, { context, servers, calls, trust, clients }) => {
    const { config } = servers.manager.get(server);
    const { name } = config;
    const pinFolder = join(context.paths.dataDir, 'pins');
    const access = serverAccess(config);
    const needsSandbox = access.sandbox !== undefined && access.sandbox !== 'container';
    return {
      access,
      sandboxProblem: needsSandbox ? await sandboxUnavailableReason(await servers.environment.resolve()) : undefined,
      tools: serverTools(name, { context, servers, calls, clients }),
      entry: await servers.edits.maskedEntry(name),
      logFile: servers.transports.logFile(name),
      provenance: await loadServerProvenance(config, {
        pinFolder,
        digests: trust.fileDigests,
        signedIn: (server) => {
          const facts = servers.signIns.find(server)?.info;
          return Promise.resolve(facts?.isSignedIn === true ? facts : undefined);
        },
      }),
    };
  },
  rewrittenDescriptions: async (_input, { servers, calls }) => {
    await calls.catalog.settled(settleMs);
    return {
      descriptions: servers.manager.all.flatMap(({ config }) => rewrittenDescriptions(config.name, { servers, calls })),
    };
  },
  restoreDescription: async ({ server, tool }, { servers, calls }) => {
    await calls.catalog.settled(settleMs);
    const { name } = servers.manager.get(server).config;
    if (!rewrittenDescriptions(name, { servers, calls }).some((one) => one.tool === tool)) {
      throw new AppError('not_found', `${name}:${tool} has no rewritten description.`, {
        fix: 'See tooltray tools --rewritten.',
      });
    }
    await calls.descriptions.restoreOriginal(name, [tool]);
    return {};
  },
  setToolEnabled: async ({ server, tool, enabled }, { servers }) => {
    await servers.edits.setToolEnabled(server, tool, enabled);
    return {};
  },
  setServerEnabled: async ({ server, enabled }, { servers }) => {
    await servers.edits.setEnabled(server, enabled);
    return {};
  },
  setServersEnabled: async ({ servers: names, enabled }, { servers }) => {
    const known = names.map((server) => servers.manager.get(server).config);
    const held = known.filter((config) => enabled && config.held !== undefined).map(({ name }) => name);
    const changed = known.flatMap((config) =>
      config.enabled === enabled || held.includes(config.name) ? [] : [config.name],
    );
    if (changed.length > 0) await servers.edits.setField(changed, 'enabled', () => enabled);
    return { changed, held };
  },
  stopServer: async ({ server }, { servers }) => {
    const found = servers.manager.get(server);
    servers.transports.log(found.config.name).appendEvent('Stopped manually. The next call starts it.');
    await found.sleep();
    return {};
  },
  serverUsage: (_input, { servers }) => servers.usage.read(),
  toolMatches: async ({ text }, { servers }) => ({ servers: toolMatches(text, { servers }) }),
  testServer: async ({ server, entry }, { context, servers }) => {
    const { config, version } = context;
    const whole = await servers.edits.unmaskEntry({ ...entry }, server);
    return probeEntry(whole, { config, transports: servers.transports, version });
  },
  saveServer: async ({ name, entry, replace, keepSecrets = false }, { servers, trust }) => {
    const whole = await servers.edits.unmaskEntry({ ...entry }, replace ? name : undefined);
    const stored = keepSecrets ? (await trust.secrets.sealEntry(name, whole)).entry : whole;
    await servers.edits.save(name, stored, replace);
    return {};
  },
  removeServer: ({ server }, { servers }) => servers.removals.remove(server),
  undoRemoval: ({ undo }, { servers }) => servers.removals.undo(undo),
  parseServers: async ({ text }, { servers }) => {
    const isProgram = async (command: string): Promise<boolean> =>
      (await findCommand(command, await servers.environment.resolve())) !== undefined;
    return parsePasted(text, { isProgram, home: homedir() });
  },
} satisfies Handlers;

/** Descriptions shown to apps in place of the server's own, by tool. */
function rewrittenDescriptions(
  server: string,
  { servers: { manager: servers }, calls: { descriptions } }: Pick<CoreGroups, 'servers' | 'calls'>,
): RewrittenDescription[] {
  return servers.get(server).listing.tools.flatMap(({ name, description }) => {
    const tool = String(name);
    const rewritten = descriptions.find(server, tool, description);
    if (rewritten === undefined) return [];
    const original = textOrEmpty(description);
    return [{ server, tool, rewritten: markInvisible(rewritten), original: markInvisible(original) }];
  });
}

function reviewStatesOf(
  name: string,
  { servers: { manager: servers } }: Pick<CoreGroups, 'servers'>,
): ReadonlyMap<string, ServerTool['reviewState']> {
  const { pins } = servers.get(name);
  const open = new Set(pins?.pendingReview?.changes.map(({ key }) => key));
  const tools = (pins?.heldChanges ?? []).filter(({ kind }) => kind === 'tool');
  return new Map(tools.map((change) => [change.name, open.has(change.key) ? 'pending' : 'blocked']));
}

function serverTools(
  name: string,
  { context, servers, calls, clients }: Pick<CoreGroups, 'context' | 'servers' | 'calls' | 'clients'>,
): ServerTool[] {
  const rewritten = new Map(rewrittenDescriptions(name, { servers, calls }).map((one) => [one.tool, one.rewritten]));
  const listedNames = new Map(calls.catalog.current.tools.map((tool) => [tool.id, tool.listedName]));
  const reviewStates = reviewStatesOf(name, { servers });
  return servers.manager.get(name).listing.tools.map((definition) => {
    const tool = String(definition['name']);
    const hints = objectOrEmpty(definition['annotations']);
    return {
      name: tool,
      listedName: listedNames.get(`${name}:${tool}`) ?? tool,
      description: neutralizeControlCharacters(textOrEmpty(definition['description'])),
      rewritten: rewritten.get(tool),
      enabled: isToolEnabled(context.config.current, name, tool),
      reviewState: reviewStates.get(tool),
      readOnly: flag(hints, 'readOnlyHint'),
      destructive: flag(hints, 'destructiveHint'),
      hasView: hasView(name, tool, { servers, clients }),
      tokens: Math.ceil(JSON.stringify(definition).length / 4),
      inputSchema: neutralizeControlCharacters(usableSchema(definition)),
    };
  });
}

/** Number of matches named per server. */
const namedMatches = 5;

function toolMatches(text: string, { servers: { manager: servers } }: Pick<CoreGroups, 'servers'>): ToolMatches[] {
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
  healCandidates: async (_input, { servers }) => {
    await servers.healing.rescan();
    return { offers: servers.healing.candidates.map(healOfferRow) };
  },
  heal: async ({ server: named }, { servers, trust }) => {
    const server = servers.manager.get(named).config.name;
    const offered = (await trust.inbox.items()).find((item) => item.kind === 'heal' && item.server === server);
    if (offered === undefined) return servers.healing.heal(server);
    // Decided through the inbox, so that it appears in the history.
    const { sentence, isDone } = await trust.inbox.decide(offered.id, { action: 'use', by: 'command line' });
    return { server, healed: isDone, sentence };
  },
} satisfies Handlers;

function healOfferRow(offer: HealCandidate): HealCandidateRow {
  const { server, source, file, endpoint } = offer;
  return { server, source: source.title, file, endpoint, sentence: candidateQuestion(offer) };
}
