/** Masks a text that comes again only once: names repeat from call to call, and masking them was most of the work of a row. */
import type { Masker } from '../base/mask-secrets.ts';

/** For one batch: it keeps every text it was given. */
export function maskOnce(masker: Pick<Masker, 'maskText'>): Pick<Masker, 'maskText'> {
  const masked = new Map<string, string>();
  return {
    maskText(text) {
      const known = masked.get(text) ?? masker.maskText(text);
      masked.set(text, known);
      return known;
    },
  };
}
