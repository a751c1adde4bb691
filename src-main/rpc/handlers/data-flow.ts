/** Data-flow records for users; pending questions and decisions are in the inbox. Never accessible to models. */
import { displayNameOf } from '../../core/client-apps/app-traits.ts';
import type { DataFlowOverview } from '../contract.ts';
import type { Handlers, RpcDeps } from '../deps.ts';

export const dataFlowHandlers = {
  dataFlowEvents: async (_input, { core }) => {
    const { record } = core.trust.dataFlow;
    const { since, week, last } = record.summary();
    return { since, week, last: last.toReversed().map(withAppName), canOfferApproval: canOfferApproval(core) };
  },
  dismissDataFlowOffer: async (_input, { core }) => {
    core.trust.dataFlow.record.decline();
    return {};
  },
} satisfies Handlers;

export function dataFlowOverview(core: RpcDeps['core']): DataFlowOverview {
  const { since, week } = core.trust.dataFlow.record.summary();
  const { mode } = core.context.config.current.dataFlow;
  return { mode, since, week, canOfferApproval: canOfferApproval(core) };
}

function canOfferApproval({ trust: { dataFlow: trust }, context: options }: RpcDeps['core']): boolean {
  return options.config.current.dataFlow.mode === 'record' && trust.record.canOfferApproval;
}

function withAppName<T extends { readonly app: string }>(row: T): T & { readonly appName: string } {
  return { ...row, appName: displayNameOf(row.app) };
}
