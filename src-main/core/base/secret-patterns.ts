/**
 * Keys recognized by their shape: prefixes that issuers define for such tools, and private keys. Every pattern is
 * linear: it starts with a literal, and if that literal could repeat inside the match, a look-behind forbids another
 * start there.
 */

const start = '(?<![A-Za-z0-9_])';

/** At least this many characters of a class, without stack usage per character (see `mask.ts`). */
function atLeast(count: number, characters: string): string {
  return `${characters}{${count}}${characters}*`;
}

/** Prefixes that are also words (`npm_config_registry`, `sk-learn-contrib`), so the rest must look random. */
const wordLike =
  `(?:sk|rk)[-_]${atLeast(16, '[A-Za-z0-9_-]')}|` +
  `(?:npm|hf|glsa|figd|ntn|shpat|shpss|sbp|lin_api|dop_v1|tvly|pplx|gsk|xai|ctx7sk)[-_]${atLeast(20, '[A-Za-z0-9_-]')}`;

const prefixed = [
  wordLike,
  `(?:gh[pousr]_|github_pat_)${atLeast(16, '[A-Za-z0-9_]')}`,
  `gl(?:pat|rt|dt)-${atLeast(16, '[\\w-]')}`,
  `(?:xox[a-z]|xapp)-${atLeast(8, '[\\w-]')}`, // Slack
  '(?:AKIA|ASIA)[A-Z0-9]{16}', // AWS
  `AIza${atLeast(30, '[\\w-]')}`, // Google
  `ya29\\.${atLeast(16, '[\\w-]')}`,
  `GOCSPX-${atLeast(16, '[\\w-]')}`,
  `pypi-${atLeast(40, '[\\w-]')}`,
  `SG\\.${atLeast(16, '[\\w-]')}\\.${atLeast(16, '[\\w-]')}`, // SendGrid
  `AGE-SECRET-KEY-${atLeast(20, '[A-Z0-9]')}`,
  `(?<!-)eyJ${atLeast(8, '[\\w-]')}\\.${atLeast(8, '[\\w-]')}(?:\\.[\\w-]*)?`, // JSON web token
].join('|');

/** Matches possible keys by prefix; `isPrefixedKey` verifies a match. For `replace` and `matchAll` only. */
export const prefixedKeyPattern = new RegExp(`${start}(?:${prefixed})`, 'g');

/** Up to the end of the text if the end line is missing. */
export const privateKeyPattern = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/g;

const mayBeWords = new RegExp(`^(?:${wordLike})$`);

/** A word has no digit between its letters, and no name of our tools has as many letters and digits in one piece. */
export function isPrefixedKey(match: string): boolean {
  if (!mayBeWords.test(match)) return true;
  return match.split(/[-_]/).some((piece) => piece.length >= minKeyPartLength && /\d/.test(piece));
}

const minKeyPartLength = 14;
