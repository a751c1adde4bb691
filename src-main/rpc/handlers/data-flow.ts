/** Data-flow records for users; pending questions and decisions are in the inbox. Never accessible to models. */
import type { CoreGroups } from '../../core/core-groups.ts';
import { displayNameOf } from '../../core/client-apps/app-traits.ts';
import type { DataFlowOverview } from '../contract.ts';
import type { Handlers } from '../deps.ts';

export const dataFlowHandlers = {
  dataFlowEvents: async (_input, { context, trust }) => {
    const { record } = trust.dataFlow;
    const { since, week, last } = record.summary();
    return {
      since,
      week,
      last: last.toReversed().map(withAppName),
      canOfferApproval: canOfferApproval({ context, trust }),
    };
  },
  dismissDataFlowOffer: async (_input, { trust }) => {
    trust.dataFlow.record.decline();
    return {};
  },
} satisfies Handlers;

export function dataFlowOverview({ context, trust }: Pick<CoreGroups, 'context' | 'trust'>): DataFlowOverview {
  const { since, week } = trust.dataFlow.record.summary();
  const { mode } = context.config.current.dataFlow;
  return { mode, since, week, canOfferApproval: canOfferApproval({ context, trust }) };
}

function canOfferApproval({ trust, context }: Pick<CoreGroups, 'trust' | 'context'>): boolean {
  return context.config.current.dataFlow.mode === 'record' && trust.dataFlow.record.canOfferApproval;
}

function withAppName<T extends { readonly app: string }>(row: T): T & { readonly appName: string } {
  return { ...row, appName: displayNameOf(row.app) };
}
