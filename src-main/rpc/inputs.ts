/** Input schemas of the contract's requests, checked before anything runs: a caller is not trusted to be our page. */
import { z } from 'zod';
import { AppError } from '../core/base/errors.ts';
import { auditKinds } from '../core/trust/audit/audit-entries.ts';
import type { RpcMethod, RpcMethods } from './contract.ts';

const text = z.string().max(10_000);
const id = z.string().min(1).max(4096);
const name = z.string().min(1).max(1000);
const count = z.int().min(0);
const flag = z.boolean();
const entry = z.record(z.string(), z.unknown());
const nothing = z.object({}).transform((): Record<string, never> => ({}));
const maybe = z.exactOptional;
const chosenOffers = z.array(z.object({ id, name })).max(500);
const setupChoice = z.object({ apps: z.array(name).max(100), servers: chosenOffers });

const outcome = z.enum(['ok', 'tool_error', 'failed', 'cancelled', 'blocked']);
const updates = z.enum(['off', 'notify', 'install']);
const results = z
  .object({
    threshold: maybe(count.nullable()),
    toon: maybe(flag),
    clean: maybe(flag),
    retentionDays: maybe(z.number().positive()),
    maxBytes: maybe(count.min(1)),
    deleteOnExit: maybe(flag),
  })
  .strict();

const wish = {
  registry: maybe(name),
  server: name,
  version: text,
  option: name,
  answers: z.record(name, z.string().max(100_000)),
};

type Inputs = { readonly [M in RpcMethod]: z.ZodType<RpcMethods[M]['input']> };

const inputs: Inputs = {
  state: nothing,
  tools: z.object({ server: maybe(name) }),
  search: z.object({ query: text, limit: maybe(count) }),
  scan: z.object({ server: maybe(name) }),
  call: z.object({
    tool: name,
    arguments: entry,
    intent: maybe(z.enum(['read', 'write', 'destructive'])),
    reason: maybe(text),
  }),
  proposals: nothing,
  approve: z.object({ id }),
  reject: z.object({ id }),
  variables: nothing,
  pinVersion: z.object({ server: name, version: maybe(name) }),
  reviews: z.object({ server: maybe(name) }),
  reviewServer: z.object({ server: name, id, choice: z.enum(['accept', 'refuse', 'block']) }),
  previewServer: z.object({ server: name, id }),
  retry: z.object({ server: name, clear: maybe(flag) }),
  signIn: z.object({ server: name }),
  signOut: z.object({ server: name }),
  log: z.object({ server: name, after: maybe(z.string().max(100)) }),
  setPaused: z.object({ paused: flag }),
  reload: nothing,
  restoreConfig: nothing,
  health: nothing,
  stop: nothing,
  savings: z.object({
    since: maybe(count),
    by: maybe(z.enum(['session', 'app', 'server', 'tool', 'hour', 'day', 'cause', 'mode'])),
    app: maybe(name),
  }),
  charts: z.object({ period: z.enum(['today', 'week', 'month', 'all']) }),
  steps: z.object({
    person: maybe(name),
    sessionId: maybe(name),
    app: maybe(name),
    server: maybe(name),
    text: maybe(text),
    problems: maybe(flag),
    spilled: maybe(flag),
    blocked: maybe(flag),
    since: maybe(count),
    until: maybe(count),
    beforeId: maybe(count),
    afterId: maybe(count),
    limit: maybe(count.min(1).max(1000)),
  }),
  step: z.object({ id: count }),
  stepText: z.object({ id: count, side: z.enum(['asked', 'given']), from: count }),
  cancelStep: z.object({ id: count }),
  timelineSessions: z.object({ person: maybe(name) }),
  find: z.object({ text: text.max(200) }),
  startRun: z.object({ server: name, tool: name, arguments: entry, agreed: maybe(flag) }),
  run: z.object({ id, after: count }),
  answerRun: z.object({
    id,
    question: id,
    answer: z.object({
      action: z.enum(['accept', 'decline', 'cancel']),
      content: maybe(entry),
      text: maybe(z.string().max(100_000)),
    }),
  }),
  cancelRun: z.object({ id }),
  runResult: z.object({ id }),
  openView: z.object({ server: name, tool: name, network: flag, permissions: flag }),
  callFromView: z.object({ server: name, view: id, tool: name, arguments: entry, agreed: maybe(flag) }),
  readForView: z.object({ server: name, uri: id }),
  runGiven: z.object({ id, app: maybe(name) }),
  activity: z.object({
    text: maybe(text),
    outcomes: maybe(z.array(outcome).max(5)),
    spilled: maybe(flag),
    person: maybe(name),
    app: maybe(name),
    server: maybe(name),
    since: maybe(count),
    until: maybe(count),
    beforeId: maybe(count),
    afterId: maybe(count),
    limit: maybe(count.max(1000)),
  }),
  callDetail: z.object({ id: count }),
  callText: z.object({ id: count, side: z.enum(['asked', 'sent', 'given']), from: count }),
  serverDetail: z.object({ server: name }),
  writtenTexts: nothing,
  takeBackText: z.object({ server: name, tool: name }),
  setToolEnabled: z.object({ server: name, tool: name, enabled: flag }),
  setServerEnabled: z.object({ server: name, enabled: flag }),
  setServersEnabled: z.object({ servers: z.array(name).max(1000), enabled: flag }),
  stopServer: z.object({ server: name }),
  serverUsage: nothing,
  toolMatches: z.object({ text: text.max(200) }),
  tryServer: z.object({ server: maybe(name), entry }),
  saveServer: z.object({ name, entry, replace: flag, keepSecrets: maybe(flag) }),
  removeServer: z.object({ server: name }),
  undoRemoval: z.object({ undo: id }),
  readServers: z.object({ text: z.string().max(1024 * 1024) }),
  setMode: z.object({ mode: name }),
  appSettings: z.object({ app: name }),
  setAppSettings: z.object({
    app: name,
    mode: maybe(name.nullable()),
    threshold: maybe(count.nullable()),
    servers: maybe(z.array(name).max(1000).nullable()),
  }),
  setSettings: z.object({
    results: maybe(results),
    pricePerMillion: maybe(z.number().min(0).nullable()),
    dataFlow: maybe(z.enum(['off', 'record', 'ask'])),
    theme: maybe(z.enum(['system', 'light', 'dark'])),
    startAtLogin: maybe(flag),
    notifications: maybe(flag),
    updates: maybe(updates),
  }),
  spills: z.object({ limit: maybe(count.max(1000)), beforeId: maybe(id) }),
  spillLines: z.object({ id, fromLine: count.min(1), count: count.min(1).max(2000) }),
  spillFind: z.object({ id, pattern: text.min(1) }),
  spillQuery: z.object({ id, query: text.min(1) }),
  spillSql: z.object({
    id,
    query: text.min(1),
    tables: z.record(z.string().regex(/^(?!rows$)[A-Za-z_]\w{0,59}$/i), id).optional(),
  }),
  spill: z.object({ id }),
  spillUse: z.object({ id }),
  pinSpill: z.object({ id, pinned: flag }),
  deleteSpill: z.object({ id, now: maybe(flag) }),
  restoreSpill: z.object({ id }),
  pruneSpills: nothing,
  reveal: z.object({ what: z.enum(['config', 'logs', 'spill']), id: maybe(id) }),
  previewInstall: z.object({ app: name, http: maybe(flag) }),
  installApp: z.object({ app: name, revision: text, http: maybe(flag) }),
  previewUninstall: z.object({ app: name }),
  uninstallApp: z.object({ app: name, revision: maybe(text) }),
  undoInstall: z.object({ undo: id }),
  otherEntry: z.object({ app: z.string().regex(/^[\w.-]{1,60}$/), http: flag }),
  offeredServers: nothing,
  testOffers: z.object({ ids: z.array(id).max(500) }),
  planSetup: setupChoice,
  applySetup: setupChoice.extend({ keepSecrets: maybe(flag) }),
  importServers: z.object({ servers: chosenOffers, move: flag, keepSecrets: maybe(flag) }),
  rescan: nothing,
  disconnectAll: nothing,
  auditEntries: z.object({
    kinds: maybe(z.array(z.enum(auditKinds)).max(20)),
    server: maybe(name),
    app: maybe(name),
    person: maybe(name),
    since: maybe(count),
    before: maybe(count),
    limit: maybe(count.min(1).max(1000)),
  }),
  setAccess: z.object({ app: name, allowed: flag }),
  healOffers: nothing,
  heal: z.object({ server: name }),
  inbox: nothing,
  inboxItem: z.object({ id, reveal: maybe(flag) }),
  decide: z.object({
    id,
    action: name,
    parts: maybe(z.array(text.min(1)).max(10_000)),
    by: maybe(z.literal('command line')),
  }),
  undecide: z.object({ id }),
  profiles: nothing,
  setProfile: z.object({
    name: z.string().regex(/^[\w.-]{1,60}$/),
    rules: z
      .object({
        servers: maybe(z.array(name).max(1000)),
        readOnly: maybe(flag),
        noDestructive: maybe(flag),
        noOpenWorld: maybe(flag),
      })
      .nullable(),
  }),
  giveProfileToken: z.object({ profile: name, ends: count }),
  revokeProfileToken: z.object({ id }),
  dataFlowEvents: nothing,
  dismissDataFlowOffer: nothing,
  registries: nothing,
  registrySearch: z.object({
    registry: maybe(name),
    query: name.or(z.literal('')),
    limit: maybe(count.min(1).max(100)),
    cursor: maybe(id),
  }),
  registryServer: z.object({ registry: maybe(name), server: name, version: maybe(name) }),
  registryPreview: z.object(wish),
  registryTry: z.object(wish),
  registryAdd: z.object({ ...wish, name, untried: maybe(flag) }),
  secrets: nothing,
  setSecret: z.object({ name, value: z.string().max(500_000) }),
  removeSecret: z.object({ name }),
  plainSecrets: z.object({ server: maybe(name), entry: maybe(entry) }),
  moveSecrets: z.object({ server: maybe(name) }),
  people: nothing,
  serverStatus: z.object({ server: name }),
  ownSignIns: nothing,
  setPersonOff: z.object({ name, isOff: flag }),
  personTokens: z.object({ everybody: maybe(flag) }),
  givePersonToken: z.object({ label: z.string().max(200), ends: count, readOnly: maybe(flag) }),
  revokePersonToken: z.object({ id }),
  unlockVault: z.object({ passphrase: text }),
  placeVaultKey: z.object({
    place: z.enum(['keychain', 'passphrase', 'file']),
    passphrase: maybe(text),
    begin: maybe(flag),
  }),
};

export function isRpcMethod(method: string): method is RpcMethod {
  return Object.hasOwn(inputs, method);
}

/** Parses the input of a request; unknown members are dropped. Throws AppError bad_request that names the problem. */
export function readRpcInput<M extends RpcMethod>(method: M, sent: unknown): RpcMethods[M]['input'] {
  const checked = inputs[method].safeParse(sent ?? {}, { jitless: true });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'The input' : issue.path.join('.');
  throw new AppError('bad_request', `${where} of "${method}": ${issue?.message ?? 'is wrong'}.`);
}
