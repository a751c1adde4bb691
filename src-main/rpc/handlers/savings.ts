/** What the savings ledger tells people, with what it is worth where they have set a price. */
import type { PricedSavings, SavingsContract, SavingsPrice } from '../savings-contract.ts';
import type { RpcDeps } from '../deps.ts';
import type { HandlersOf } from './handler.ts';

export const savingsHandlers: HandlersOf<keyof SavingsContract> = {
  savings: async (question, { core }): Promise<PricedSavings> => {
    const report = await core.ledger.savings(question);
    const price = priceOf(report.total.net, core);
    return { ...report, ...(price !== undefined && { price }) };
  },
};

function priceOf(tokens: number, core: RpcDeps['core']): SavingsPrice | undefined {
  const { perMillionTokens, currency } = core.options.config.current.price;
  if (perMillionTokens === undefined) return undefined;
  return { perMillionTokens, currency, net: (tokens * perMillionTokens) / 1_000_000 };
}
