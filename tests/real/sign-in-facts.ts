/** What both clients know that the conformance suite has sign in. */

/** The suite's own document about its client. */
export const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
/** A call is tried anew after so many answers of the person. */
export const mostAnswers = 3;
/** The last words of a client whose call was answered. */
export const cameThrough = 'A call came through.';
