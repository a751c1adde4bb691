/** Scopes of the issuer's access tokens. Two are enough, because servers declare which tools are read-only. */

/** Lists and calls read-only tools; resources and prompts. */
export const readScope = 'tools:read';
/** All of that, and every other tool. */
export const callScope = 'tools:call';

/**
 * Scopes that a client app is told to request: with fewer it would not see the tools that it could request access to.
 */
export const allScopes: readonly string[] = [readScope, callScope];
