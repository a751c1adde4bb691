/** What people ask about servers that could be mended, and their yes to it. */
import type { HealOffer } from '../../core/client-apps/heal-offers.ts';
import { offerText } from '../../core/admin/healing.ts';
import type { HealContract, HealOfferRow } from '../heal-contract.ts';
import type { HandlersOf } from './handler.ts';

export const healHandlers: HandlersOf<keyof HealContract> = {
  healOffers: async (_input, { core }) => {
    await core.healing.lookAgain();
    return { offers: core.healing.offers.map(healOfferRow) };
  },
  heal: async ({ server }, { core }) => core.healing.heal(core.servers.get(server).config.name),
};

export function healOfferRow(offer: HealOffer): HealOfferRow {
  const { server, source, file, endpoint } = offer;
  return { server, source: source.title, file, endpoint, sentence: offerText(offer) };
}
