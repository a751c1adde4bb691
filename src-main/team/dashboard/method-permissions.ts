/**
 * Which RPC methods a team's dashboard supports, and for whom. Unlisted methods are rejected, so each one needs a
 * decision.
 */
import { AppError } from '../../core/base/errors.ts';
import type { RpcMethod } from '../../rpc/contract.ts';
import type { Role } from '../users/user-store.ts';

/**
 * `everyone`: the response contains the viewer's own data. `admins`: the data of all users. Otherwise the reason why
 * the
 * method is unsupported.
 */
export type Permission = 'everyone' | 'admins' | { readonly not: string };

const config = { not: 'Change servers and settings in the team’s configuration files.' };
const machine = { not: 'This applies only to a personal installation.' };
const replica = { not: 'This would affect only one replica.' };
const editedByHand = { not: 'Call tools from a client app.' };
const elsewhere = { not: 'Cancel running calls in the client app.' };
const vault = { not: 'Manage secrets of a team with the command `tooltray team secret`.' };
const profileTokens = { not: 'Teams use personal access tokens.' };
const undo = { not: 'Undo is not available in a team.' };

export const methodPermissions: Readonly<Record<RpcMethod, Permission>> = {
  activity: 'everyone',
  callDetail: 'everyone',
  callPayload: 'everyone',
  savings: 'everyone',
  charts: 'everyone',
  spills: 'everyone',
  spill: 'everyone',
  spillLines: 'everyone',
  spillFind: 'everyone',
  spillQuery: 'everyone',
  spillSql: 'everyone',
  spillUse: 'everyone',
  pinSpill: 'everyone',
  deleteSpill: 'everyone',
  restoreSpill: undo,
  pruneSpills: 'admins',
  accessTokens: 'everyone',
  createAccessToken: 'everyone',
  revokeAccessToken: 'everyone',
  users: 'admins',
  setUserSuspended: 'admins',
  auditEntries: 'admins',
  inbox: 'everyone',
  inboxItem: 'everyone',
  decide: 'everyone',
  undoDecision: 'admins',
  reviews: 'admins',
  reviewServer: 'admins',
  previewServer: 'admins',
  scan: 'admins',
  dataFlowEvents: 'admins',
  dismissDataFlowOffer: 'admins',
  profiles: 'admins',
  variables: 'admins',
  tools: 'admins',
  search: 'admins',
  find: 'everyone',
  toolMatches: 'everyone',
  serverStatus: 'admins',
  serverDetail: 'admins',
  serverUsage: 'admins',
  log: 'admins',
  restart: 'admins',
  rewrittenDescriptions: 'admins',
  restoreDescription: 'admins',
  appSettings: 'admins',
  setToolEnabled: config,
  setServerEnabled: config,
  setServersEnabled: config,
  testServer: config,
  saveServer: config,
  removeServer: config,
  undoRemoval: config,
  parseServers: config,
  setMode: config,
  setAppSettings: config,
  setProfile: config,
  setSettings: config,
  lockVersion: config,
  registries: config,
  registrySearch: config,
  registryServer: config,
  registryPreview: config,
  registryTest: config,
  registryAdd: config,
  healCandidates: config,
  heal: config,
  proposals: config,
  approve: config,
  reject: config,
  state: replica,
  setPaused: replica,
  reload: replica,
  stop: replica,
  stopServer: replica,
  previewInstall: machine,
  installApp: machine,
  previewUninstall: machine,
  uninstallApp: machine,
  undoInstall: machine,
  manualEntry: machine,
  importableServers: machine,
  testImportableServers: machine,
  planSetup: machine,
  applySetup: machine,
  importServers: machine,
  rescan: machine,
  disconnectAll: machine,
  setAccess: machine,
  reveal: machine,
  restoreConfig: machine,
  health: machine,
  call: editedByHand,
  startRun: editedByHand,
  run: editedByHand,
  respondToRun: editedByHand,
  cancelRun: editedByHand,
  runResult: editedByHand,
  runPreviews: editedByHand,
  openView: editedByHand,
  callFromView: editedByHand,
  readForView: editedByHand,
  steps: 'everyone',
  step: 'everyone',
  stepPayload: 'everyone',
  timelineSessions: 'everyone',
  cancelStep: elsewhere,
  ownSignIns: 'everyone',
  signIn: 'everyone',
  signOut: 'everyone',
  secrets: vault,
  setSecret: vault,
  removeSecret: vault,
  plaintextSecrets: vault,
  moveSecrets: vault,
  unlockVault: vault,
  moveVaultKey: vault,
  createProfileToken: profileTokens,
  revokeProfileToken: profileTokens,
};

/** Throws AppError `not_allowed` or `unsupported`; does nothing for an unknown method. */
export function requirePermission(method: string, role: Role): void {
  if (!Object.hasOwn(methodPermissions, method)) return;
  const allowed = methodPermissions[method as RpcMethod];
  if (typeof allowed === 'object')
    throw new AppError('unsupported', `Not available in the team dashboard. ${allowed.not}`);
  if (allowed === 'everyone' || role === 'admin') return;
  throw new AppError('not_allowed', 'Only admins can do this.', { fix: 'Ask an admin.' });
}
