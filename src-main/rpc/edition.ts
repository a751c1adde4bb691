/** All that an edition (`team`) may use of `rpc` besides the contract. tests/architecture holds this. */
export { coreFacts, settingsFacts } from './build-state.ts';
export {
  type DashboardRoutesOptions,
  handleRpcRequest,
  pageHeaders,
  sendError,
  servePage,
} from './dashboard-routes.ts';
export { type Handlers, noApps, type RpcDeps, serverStatuses, sessionStatus } from './deps.ts';
export { dispatchRpc } from './dispatch-rpc.ts';
export { auditPage, nextOf } from './handlers/audit.ts';
export { type ChartSources, drawCharts } from './handlers/charts.ts';
export { coreHandlers } from './handlers/core.ts';
export { dataFlowOverview } from './handlers/data-flow.ts';
export { findSpills, findTools } from './handlers/find.ts';
export { inboxSummary } from './handlers/inbox.ts';
export { profilesOverview } from './handlers/profiles.ts';
export { serverHandlers } from './handlers/server-tools.ts';
export { priced } from './handlers/settings.ts';
export { type SliceBuilders, type Source, StatePublisher } from './state-publisher.ts';
export { groupedCalls } from './state/activity-overview.ts';
export { attentionItems } from './state/attention.ts';
export { ListTokens } from './state/list-tokens.ts';
export { modesOverview } from './state/modes-overview.ts';
export { savingsOverview } from './state/savings-overview.ts';
export { serverRows, unhealthyFirst } from './state/server-rows.ts';
