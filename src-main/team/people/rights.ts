/** What an access token of the issuer may be for, in the words of its `scope`. Two are enough: servers say which tools only read. */

/** Seeing tools that only read, and calling them; resources and prompts. */
export const readScope = 'tools:read';
/** All of that, and every other tool. */
export const callScope = 'tools:call';

/** What a client app is told to ask for: with less it would not see what it might ask for later. */
export const allScopes: readonly string[] = [readScope, callScope];
