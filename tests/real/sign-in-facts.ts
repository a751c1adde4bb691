/** Shared by both clients that sign in for the conformance suite. */

/** The suite's client metadata document. */
export const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
/** Maximum sign-ins before a call is given up. */
export const mostAnswers = 3;
/** Last output of a client whose call succeeded. */
export const cameThrough = 'A call came through.';
