/** Data-flow records for users; pending questions and decisions are in the inbox. Never accessible to models. */
import { displayNameOf } from '../../core/client-apps/app-traits.ts';
import type { DataFlowOverview } from '../contract.ts';
import type { Handlers, RpcDeps } from '../deps.ts';

export const dataFlowHandlers = {
  flowRecord: async (_input, { core }) => {
    const { record } = core.trust;
    const { since, week, last } = record.summary();
    return { since, week, last: last.toReversed().map(withAppName), mayOffer: mayOffer(core) };
  },
  declineFlowOffer: async (_input, { core }) => {
    core.trust.record.decline();
    return {};
  },
} satisfies Handlers;

export function flowOverview(core: RpcDeps['core']): DataFlowOverview {
  const { since, week } = core.trust.record.summary();
  const { mode } = core.options.config.current.flow;
  return { mode, since, week, mayOffer: mayOffer(core) };
}

function mayOffer({ trust, options }: RpcDeps['core']): boolean {
  return options.config.current.flow.mode === 'record' && trust.record.mayOffer;
}

function withAppName<T extends { readonly app: string }>(row: T): T & { readonly appName: string } {
  return { ...row, appName: displayNameOf(row.app) };
}
