/** What a client must be able to do for a server's question to be put to it. */

/** The client capability that a question of the server needs; undefined for anything else. */
export function neededCapability(method: string): string | undefined {
  return { 'sampling/createMessage': 'sampling', 'elicitation/create': 'elicitation', 'roots/list': 'roots' }[method];
}
