/**
 * How a known secret may be spelled in a text, and which spellings are not matched because they would mask too much.
 */

export interface SecretMatchers {
  /** Matched anywhere, longest first, because a secret may contain another. */
  readonly anywhere: readonly string[];
  /** Matches secrets as whole words. */
  readonly asWords: RegExp | undefined;
}

/** Shorter ones occur inside of too many words. */
const minSubstringLength = 6;
const minWordLength = 4;
/** Lines up to this length are matched as words only, because one may be `server`. */
const shortLine = 11;
/** Maximum number of lines of one secret, because each is searched separately in every text. */
const maxLines = 200;

export function compileSecretMatchers(secrets: Iterable<string>): SecretMatchers {
  const anywhere = new Set<string>();
  const words = new Set<string>();
  for (const secret of secrets) {
    for (const part of [secret, secret.replace(/^(?:Bearer|Basic|Token)\s+/i, '')]) {
      for (const spelling of [part, inJson(part), encodeUrl(part)]) {
        if (spelling.trim().length >= minSubstringLength) anywhere.add(spelling);
        else if (isMeaningful(spelling)) words.add(spelling);
      }
    }
    for (const line of linesOf(secret))
      for (const one of [line, inJson(line)]) (one.length > shortLine ? anywhere : words).add(one);
  }
  const byLength = (set: ReadonlySet<string>): string[] => [...set].sort((a, b) => b.length - a.length);
  return {
    anywhere: byLength(anywhere),
    asWords: words.size === 0 ? undefined : wordsIn(byLength(words)),
  };
}

/**
 * Whether a value of four or five characters mixes letters and others. Of 89,000 words in tool definitions and
 * documentation, 102 do; 745 are numbers and 50,806 plain words (`true`, `test`, `2020`), which stay readable.
 */
function isMeaningful(value: string): boolean {
  return value.trim().length >= minWordLength && /[A-Za-z]/.test(value) && /[\d!@#%^&*+?]/.test(value);
}

/** Programs print multi-line keys line by line. The frame lines of a key reveal nothing. */
function linesOf(secret: string): readonly string[] {
  if (!/[\r\n]/.test(secret)) return [];
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  const isSecret = (line: string): boolean =>
    line.length >= minSubstringLength && /[A-Za-z0-9]/.test(line) && !/^-{3,}.*-{3,}$/.test(line);
  return lines.filter(isSecret).slice(0, maxLines);
}

function wordsIn(words: readonly string[]): RegExp {
  return new RegExp(`(?<![A-Za-z0-9_])(?:${words.map(escaped).join('|')})(?![A-Za-z0-9_])`, 'g');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function encodeUrl(text: string): string {
  // encodeURIComponent throws on half of a surrogate pair.
  return text.isWellFormed() ? encodeURIComponent(text) : text;
}
