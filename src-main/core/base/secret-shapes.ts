/**
 * Secrets known by their shape alone, whatever they are called.
 * Every pattern is linear: it starts at a literal, and where that literal could repeat inside what it scans, a look-behind
 * forbids to start there again.
 */
import { mask } from './mask-mark.ts';

const start = '(?<![A-Za-z0-9_])';

/** Prefixes that their issuers gave the keys so that tools like this one can find them. */
const prefixed = [
  '(?:sk|rk)[-_][A-Za-z0-9_-]{16,}', // OpenAI, Anthropic, Stripe
  '(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{16,}',
  'gl(?:pat|rt|dt)-[\\w-]{16,}',
  '(?:xox[a-z]|xapp)-[\\w-]{8,}', // Slack
  '(?:AKIA|ASIA)[A-Z0-9]{16}', // AWS
  'AIza[\\w-]{30,}', // Google
  'ya29\\.[\\w-]{16,}',
  'GOCSPX-[\\w-]{16,}',
  '(?:npm|hf|glsa|figd|ntn|shpat|shpss|sbp|lin_api|dop_v1|tvly|pplx|gsk|xai|ctx7sk)[-_][A-Za-z0-9_-]{20,}',
  'pypi-[\\w-]{40,}',
  'SG\\.[\\w-]{16,}\\.[\\w-]{16,}', // SendGrid
  'AGE-SECRET-KEY-[A-Z0-9]{20,}',
  '(?<!-)eyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*)?', // JSON web token
].join('|');

/** Words after "Bearer" in sentences and challenges (`Bearer realm="x"`), which are no token. */
const proseAfterBearer =
  /^(?:auth\w*|credentials?|headers?|realm|schemes?|tokens?|error|scope|and|as|for|from|in|is|not|only|or|required|was|with)\b|^\w+="/i;

interface Shape {
  readonly pattern: RegExp;
  readonly replace: (match: string, ...groups: string[]) => string;
}

/** Masks what is a secret by its shape. */
export function maskShapes(text: string): string {
  let masked = text;
  for (const { pattern, replace } of shapes) masked = masked.replace(pattern, replace);
  return masked;
}

const shapes: readonly Shape[] = [
  {
    pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/g,
    replace: () => mask,
  },
  {
    pattern: /\bBearer[ \t]{1,8}([\w.~+/=-]+"?)/gi,
    replace: (match, value = '') => (proseAfterBearer.test(value) ? match : `Bearer ${mask}${quoteEnd(value)}`),
  },
  {
    pattern: /\bBasic[ \t]{1,8}([A-Za-z0-9+/_-]{6,}={0,2})/gi,
    replace: (match, value = '') => (isUserAndPassword(value) ? `Basic ${mask}` : match),
  },
  // Up to the last @ before the path: passwords are often pasted into URLs without being encoded.
  { pattern: /:\/\/[^\s/?#:"'<>]{0,200}:[^\s/"'<>]{0,2000}@/g, replace: (match) => `${userPart(match)}:${mask}@` },
  { pattern: /\b(https?:\/\/)[^\s/?#:@"'<>]{1,2000}@/gi, replace: (_match, scheme = '') => `${scheme}${mask}@` },
  { pattern: new RegExp(`${start}(?:${prefixed})`, 'g'), replace: () => mask },
];

function quoteEnd(value: string): string {
  return value.endsWith('"') ? '"' : '';
}

function userPart(match: string): string {
  return match.slice(0, match.indexOf(':', 3));
}

/** Basic credentials are base64 of `user:password`; words after "basic" are not. */
function isUserAndPassword(value: string): boolean {
  return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(value, 'base64').toString('latin1'));
}
