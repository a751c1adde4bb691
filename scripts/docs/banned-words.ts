/**
 * Words of an earlier private vocabulary, and the term to use. `npm run check` finds them in documents, outside of
 * code.
 */

export const bannedWords: readonly (readonly [word: RegExp, use: string])[] = [
  [/\bdesks?\b/i, 'service'],
  [/\bdoors?\b/i, 'endpoint, listener, server'],
  [/\b(?:shelf|shelves)\b/i, 'store'],
  [/\bwho(?:so)?ever\b/i, 'the user, or a noun'],
  [/\b(?:told|untold)\b/i, 'reported, notified'],
  [/\b(?:hears?|heard) (?:of|from|in)\b/i, 'receives, is notified'],
  [/\bwhat waits\b/i, 'pending decisions'],
  [/\bkept answers?\b/i, 'spill'],
  [/\blong answers?\b/i, 'large result'],
  [/\b(?:un)?seal(?:ed|s|ing)?\b/i, 'encrypt'],
  [/\bhandshake era\b/i, 'stateful protocol'],
  [/\b(?:modern|old|legacy) era\b/i, 'stateless or stateful protocol'],
  [/\banew\b/i, 'again'],
  [/\bbegun\b/i, 'started'],
  [/\bunder ?way\b/i, 'running, pending'],
  [/\bbreathers?\b/i, 'pause'],
  [/\bof before\b/i, 'existing, previous'],
  [/\bin a box\b|\bboxes\b/i, 'sandbox, container'],
  [/\bmend(?:s|ing)?\b|\b(?:is|are|was|be) mended\b/i, 'repair, correct'],
  [/\btak(?:e|es|en|ing) back\b|\btook back\b/i, 'revoke, undo'],
  [/\blet in\b/i, 'admit, authorize'],
  [/\b(?:somebody|nobody|anybody) else(?:'s|’s)?\b/i, 'another user'],
  [/\byour word\b/i, 'your decision'],
  [/\bsay yes\b|\bsays yes\b|\ba yes\b/i, 'approve'],
  [/\bgrave\b/i, 'severe'],
  [/\bstanding\b/i, 'status'],
  [/\bof ours\b/i, 'the owner by name'],
];

/**
 * Words without a use in the sources: names, comments, and texts. `npm run check` finds them there, so that they do
 * not come back. Add a word when its last use is gone.
 */
export const bannedInSources: readonly (readonly [word: RegExp, use: string])[] = [
  [/\bdesks?\b|(?:Secret|Rpc)Desk\b/i, 'service, handlers'],
  [/\bdoors\b|HttpDoor\b|\bdoorways?\b/i, 'endpoint, listener, server'],
  [/\b(?:shelf|shelves|shelve)\b|PinShelf\b/i, 'store'],
  [/\bwho(?:so)?ever\b/, 'the user, or a noun'],
  [/\buntold\b/i, 'not reported'],
  [/\bhears\b|\bheard\b/i, 'receives, is notified'],
  [/\bkept answers?\b|\blong answer\b/i, 'spill, large result'],
  [/\b(?:handshake|modern|legacy|old) era\b/i, 'stateless or stateful protocol'],
  [/\bbreathers?\b/i, 'pause'],
  [/\b(?:put off|PutOff)\b/, 'deferred'],
  [/\b(?:takes?|took) back\b/i, 'revoke, undo'],
  [/\blet go\b|\bswept away\b/i, 'remove, evict, expire'],
  [/\b(?:somebody|anybody) else(?:'s|’s)?\b/i, 'another user'],
  [/\bsays? yes\b|\ba yes\b/i, 'approve'],
  [/\boddit(?:y|ies)\b/i, 'warning'],
  [/\b(?:personal|handshake|shared) line\b/i, 'connection'],
  [/\bsign-in attempt\b/i, 'pending authorization'],
  [/\b(?:bring|brings|brought) over\b/i, 'import'],
  [/\bg(?:ive|ave) up\b/i, 'cancel, stop'],
  [/\bcomes? over\b/i, 'is imported, is sent'],
  [/\bpatience(?:Ms)?\b|\bhurry\b/i, 'timeout, deadline'],
  [/\b(?:mostMs|mostKnown|restMs|lookMs)\b/, 'maxX, cooldownMs, pollIntervalMs'],
];
