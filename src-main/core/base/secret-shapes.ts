/**
 * Keys that are known by their shape: prefixes that issuers gave them so that tools like this one can find them, and private keys.
 * Every pattern is linear: it starts at a literal, and where that literal could repeat inside what it scans, a look-behind forbids
 * to start there again.
 */

const start = '(?<![A-Za-z0-9_])';

/** Prefixes that are words or parts of words, too (`npm_config_registry`, `sk-learn-contrib`): what follows must look made by chance. */
const wordLike =
  '(?:sk|rk)[-_][A-Za-z0-9_-]{16,}|(?:npm|hf|glsa|figd|ntn|shpat|shpss|sbp|lin_api|dop_v1|tvly|pplx|gsk|xai|ctx7sk)[-_][A-Za-z0-9_-]{20,}';

const prefixed = [
  wordLike,
  '(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{16,}',
  'gl(?:pat|rt|dt)-[\\w-]{16,}',
  '(?:xox[a-z]|xapp)-[\\w-]{8,}', // Slack
  '(?:AKIA|ASIA)[A-Z0-9]{16}', // AWS
  'AIza[\\w-]{30,}', // Google
  'ya29\\.[\\w-]{16,}',
  'GOCSPX-[\\w-]{16,}',
  'pypi-[\\w-]{40,}',
  'SG\\.[\\w-]{16,}\\.[\\w-]{16,}', // SendGrid
  'AGE-SECRET-KEY-[A-Z0-9]{20,}',
  '(?<!-)eyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*)?', // JSON web token
].join('|');

/** What may be a key by its prefix; `isPrefixedKey` says whether a match is one. For `replace` and `matchAll` only. */
export const prefixedKeys = new RegExp(`${start}(?:${prefixed})`, 'g');

/** To the end of the text where its end is missing. */
export const privateKeys = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/g;

const mayBeWords = new RegExp(`^(?:${wordLike})$`);

/** A word has no digit between its letters, and no name of our tools has so many letters and digits in one piece. */
export function isPrefixedKey(match: string): boolean {
  if (!mayBeWords.test(match)) return true;
  return match.split(/[-_]/).some((piece) => piece.length >= shortestPiece && /\d/.test(piece));
}

const shortestPiece = 14;
