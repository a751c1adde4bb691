/** Scopes of the issuer's access tokens. Two are enough: servers say which tools only read. */

/** Seeing tools that only read, and calling them; resources and prompts. */
export const readScope = 'tools:read';
/** All of that, and every other tool. */
export const callScope = 'tools:call';

/** Scopes that a client app is told to request: with fewer it would not see what it could request later. */
export const allScopes: readonly string[] = [readScope, callScope];
