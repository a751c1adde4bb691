/** Estimates the tokens of listed definitions: four characters a token, equal for every mode compared. */
import type { JsonObject } from '../base/json.ts';

/** Returns the estimated tokens of listed tools. */
export function estimateTokens(listed: readonly JsonObject[]): number {
  return Math.ceil(JSON.stringify(listed).length / 4);
}
