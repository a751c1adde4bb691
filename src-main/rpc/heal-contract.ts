/** What people may ask about servers that could be mended from launches found elsewhere. Types only. */

/** A launch that may mend a server; nothing of it has run yet. */
export interface HealOfferRow {
  readonly server: string;
  /** Where it was found, as people know it: Cursor. A yes counts for the place. */
  readonly source: string;
  /** The file that says so; undefined for the person's own command, found elsewhere. */
  readonly file: string | undefined;
  /** What would be started or connected to, secrets masked. */
  readonly endpoint: string;
  readonly sentence: string;
}

export interface HealContract {
  /** Looks after every server that is ill; the best offer for each. */
  healOffers: { input: Record<string, never>; output: { readonly offers: readonly HealOfferRow[] } };
  /** The person's yes to the offer for a server: tries it, and keeps what works. */
  heal: {
    input: { readonly server: string };
    output: { readonly server: string; readonly healed: boolean; readonly sentence: string };
  };
}
