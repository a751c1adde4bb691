/**
 * Requests that a team's dashboard handles differently from a single user's: from the activity of all replicas, and
 * with the viewer's own data.
 */
import {
  applyLayers,
  type AuditRecord,
  type CoreGroups,
  createProfileScope,
  describeRecord,
  everything,
  grantOf,
  type ServerConfig,
} from '../../core/edition.ts';
import {
  auditPage,
  findSpills,
  findTools,
  type Handlers,
  nextOf,
  priced,
  type RpcDeps,
  serverHandlers,
} from '../../rpc/edition.ts';
import { TeamAdmin, type TeamAdminDeps } from '../admin/team-admin.ts';
import { AppError } from '../../core/base/errors.ts';
import { InboxService, type InboxServiceDeps } from './inbox-service.ts';
import { UserService, type UserServiceDeps } from './user-service.ts';
import { ServerService, type ServerServiceDeps } from './server-service.ts';
import { SignInService, type SignInServiceDeps } from './sign-in-service.ts';
import type { TeamActivityCache } from './team-activity-cache.ts';
import { teamCallHandlers, type CallHandlerDeps } from './team-call-handlers.ts';
import { teamStepHandlers, type StepHandlerDeps } from './team-step-handlers.ts';
import { readerOf, rowsOf, type Viewer } from './viewer.ts';

export interface TeamHandlerDeps
  extends
    CoreGroups,
    Omit<UserServiceDeps, 'admin'>,
    StepHandlerDeps,
    CallHandlerDeps,
    Omit<ServerServiceDeps, 'admin'>,
    InboxServiceDeps {
  readonly audit: TeamAdminDeps['audit'];
  readonly people: UserServiceDeps['people'];
  readonly record: TeamActivityCache;
  readonly signIns: SignInServiceDeps['signIns'];
}

/** Returns the handlers for one viewer. */
export function teamRpcHandlers(viewer: Viewer, parts: TeamHandlerDeps): Handlers {
  const { context, calls, servers, record } = parts;
  const whose = rowsOf(viewer);
  const { people, tokens, audit } = parts;
  const admin = new TeamAdmin({ people, tokens, audit, actor: { name: viewer.name, place: 'dashboard' } });
  const users = new UserService({ people, tokens, admin }, viewer);
  const ofServer = new ServerService({ ...parts, admin });
  const inbox = new InboxService(parts, viewer);
  const visibleServers = (): readonly ServerConfig[] => {
    const scope = scopeOfViewer(viewer, parts);
    return context.config.current.servers.filter(({ name }) => scope.hasServer(name));
  };
  const signIns = new SignInService({ signIns: parts.signIns, servers: visibleServers, admin }, viewer);
  return {
    ...teamCallHandlers(viewer, parts),
    savings: async (question) => priced(await record.savings(whose, question), parts),
    charts: ({ period }) => record.charts(whose, period),
    auditEntries: async ({ user: name, ...query }) => {
      const user = name === undefined ? undefined : (await parts.people.byName(name)).id;
      const { entries, next } = await auditPage({ ...query, ...(user !== undefined && { user }) }, parts);
      const names = await record.namesOf(entries.flatMap((row) => userOf(row) ?? []));
      const rows = entries.map((row) => {
        const name = names.get(userOf(row) ?? '');
        return { ...row, summary: describeRecord(row), ...(name !== undefined && { userName: name }) };
      });
      return { entries: rows, ...nextOf(next) };
    },
    inbox: () => inbox.inbox(),
    inboxItem: ({ id }) => inbox.item(id),
    decide: (input) => inbox.decide(input),
    deleteSpill: async ({ id }, { reader = readerOf(viewer) }: RpcDeps) => {
      if (await calls.spills.remove(id, reader)) return {};
      throw new AppError('not_found', 'Spill not found.', { fix: 'It may have expired.' });
    },
    find: async ({ text }, deps) => {
      if (text.trim() === '') return { tools: [], spills: [], sessions: [], calls: [] };
      const tools = findTools(text, deps);
      const scope = scopeOfViewer(viewer, parts);
      const isShown = ({ server, tool }: (typeof tools)[number]): boolean => {
        const listed = servers.manager.all.find(({ config }) => config.name === server)?.listing.tools;
        const definition = listed?.find(({ name }) => name === tool);
        return definition !== undefined && scope.hasTool(server, definition);
      };
      return { tools: tools.filter(isShown), spills: await findSpills(text, deps), sessions: [], calls: [] };
    },
    // The counts would reveal what a profile hides.
    toolMatches: async (input, deps) =>
      viewer.grant !== grantOf([everything]) || layersOf(viewer, parts).length > 0
        ? { servers: [] }
        : await serverHandlers.toolMatches(input, deps),
    ...teamStepHandlers(viewer, parts),
    serverStatus: async (input, deps) => ofServer.status(input, deps),
    restart: (input, deps) => ofServer.restart(input, deps),
    ownSignIns: () => signIns.rows(),
    signIn: async (input) => signIns.signIn(input),
    signOut: (input) => signIns.signOut(input),
    users: () => users.list(),
    setUserSuspended: (input) => users.setSuspended(input),
    accessTokens: (input) => users.tokens(input),
    createAccessToken: (input) => users.createToken(input),
    revokeAccessToken: (input) => users.revoke(input),
  };
}

/** Access from the viewer's groups, within the bounds of their config layers. */
export function scopeOfViewer(
  viewer: Viewer,
  { context }: Pick<CoreGroups, 'context'>,
): ReturnType<typeof createProfileScope> {
  const config = context.config.current;
  // These names cannot be names of profiles.
  const layers = layersOf(viewer, { context }).map((profile, at) => [`(layer) ${at}`, profile] as const);
  const all = { ...config, profiles: { ...config.profiles, ...Object.fromEntries(layers) } };
  return createProfileScope([viewer.grant, ...layers.map(([name]) => name)], () => all);
}

function layersOf(
  { name, groups }: Viewer,
  { context }: Pick<CoreGroups, 'context'>,
): ReturnType<typeof applyLayers>['profiles'] {
  return applyLayers(context.config.current, { name, groups }).profiles;
}

function userOf(record: AuditRecord): string | undefined {
  return 'user' in record ? record.user : undefined;
}
