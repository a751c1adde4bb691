/** What an access token of the issuer may be for, in the words of its `scope`. Two are enough: servers say which tools only read. */

/** Seeing tools that only read, and calling them; resources and prompts. */
export const readRight = 'tools:read';
/** All of that, and every other tool. */
export const callRight = 'tools:call';

/** What a client app is told to ask for: with less it would not see what it might ask for later. */
export const allRights: readonly string[] = [readRight, callRight];
