/** Shortens texts where a reader could stop: after a sentence, or before what only adds to it. */

/**
 * A period ends a sentence only before white space, so that "v2.0" stays whole; CJK ones need none. Closing brackets
 * belong to the sentence.
 */
const sentenceEnd = /[.!?](?=\s|$)|[.!?]["”')\]}]+(?=\s+\p{Lu}|$)|[。！？]/gu;
/** Abbreviations, whose period does not end a sentence. */
const abbreviation = /(?:^|[\s(])(?:[eE]\.g|[iI]\.e|etc|vs|incl|approx|resp|[cC]f|[nN]o|max|min|[A-Z])\.$/;
/** Positions to end a sentence early, because only an addition follows. */
const joints =
  /;\s|\s[–—-]+\s|:\s|,\s(?=(?:which|with|including|such|e\.g|i\.e|so|because|since|if|unless|when|while|where|for example|but|optionally|using|based|like|as well|not|then|otherwise|after|before|defaults?|or (?:a |the )?(?:comma|JSON)|excluding|except|without|in which|whose|followed|depending)\b)/gi;
/** Words that start a phrase about manner, kind or purpose. */
const adding =
  '(?:with|without|by|for|that|which|from|to|in|into|on|as|via|through|using|including|displaying|showing|returning|containing|when|where|while|if|so|and|or|based|matching)(?![\\w-])';
/** Fallback places to end a clause. */
const phrases = new RegExp(`\\s(?=${adding})|,\\s(?=[a-z]+ing\\b)`, 'gi');
/** An aside in parentheses; a clause does not end before one inside of an aside: `details (of both) of a request`. */
const asides = new RegExp(`\\s(?=\\([^()]*\\)(?:\\s*$|[,;:.]|\\s[–—-]|\\s${adding}))`, 'gi');
/** Words that cannot end a clause. */
const dangling =
  /[\s,;:–—-]+(?:a|an|and|any|are|as|at|be|but|by|for|from|has|have|if|in|into|is|its|of|on|or|over|per|returns?|than|that|the|their|this|to|via|when|where|which|who|whose|will|with|within|without|you|your)$/i;

/** The first sentences that fit into `max` characters; at least the first clause. Without the last period. */
export function leadingSentences(text: string, max: number): string {
  const line = toSingleLine(text);
  let end = 0;
  for (const at of sentenceEnds(line)) {
    if (at > max) break;
    end = at;
  }
  return end === 0 ? clauseWithin(line, max) : withoutStop(line.slice(0, end));
}

/** The first sentence verbatim, with its period; if it is longer than `max` characters, its first clause. */
export function firstSentence(text: string, max: number): string {
  const line = toSingleLine(text);
  const [end = line.length] = sentenceEnds(line);
  return end <= max ? line.slice(0, end) : clauseWithin(line, max);
}

/** The first clause of a text: its first sentence, or as much of it as is complete within `max` characters. */
export function firstClause(text: string, max: number): string {
  return clauseWithin(toSingleLine(text), max);
}

function clauseWithin(line: string, max: number): string {
  const [end = line.length] = sentenceEnds(line);
  const sentence = withoutStop(line.slice(0, end));
  const plain = sentence.replace(aside, '');
  return firstClauses(sentence, max) ?? firstClauses(plain, max) ?? cutAtWord(sentence, max);
}

/** Text in parentheses. */
const aside = /\s\([^()]*\)/g;

/** The longest complete part within `max` characters. */
function firstClauses(sentence: string, max: number): string | undefined {
  if (sentence.length <= max) return sentence;
  return lastBefore([joints, asides], sentence, max) ?? lastBefore([phrases], sentence, max);
}

/** The longest complete part before one of these positions. */
function lastBefore(places: readonly RegExp[], sentence: string, max: number): string | undefined {
  const found = places.flatMap((place) => [...sentence.matchAll(place)].map(({ index }) => index));
  const ends = found.filter((at) => at >= 12 && at <= max).sort((a, b) => a - b);
  const clauses = ends.map((at) => sentence.slice(0, at).replace(/[\s,;:]+$/, '')).filter(isWhole);
  return clauses.findLast((one) => !dangling.test(one) && !openList.test(one));
}

/** A list without its last member: `gathers, analyzes`. */
const openList = /,[^,]*$/;

/** Fallback: cuts at a word and marks the cut. */
function cutAtWord(sentence: string, max: number): string {
  const cut = Array.from(sentence.slice(0, 2 * max))
    .slice(0, max - 1)
    .join('');
  const space = cut.lastIndexOf(' ');
  let words = space > 0 ? cut.slice(0, space) : cut;
  while (dangling.test(words)) words = words.replace(dangling, '');
  return `${words.replace(/[\s,;:(–—-]+$/, '')}…`;
}

function* sentenceEnds(line: string): Generator<number, void> {
  // Far more than is shown, because a description may be megabytes long.
  for (const { 0: signs, index } of line.slice(0, 1000).matchAll(sentenceEnd)) {
    const at = index + signs.length;
    if (!abbreviation.test(line.slice(0, at)) && isWhole(line.slice(0, at))) yield at;
  }
}

/** Whether all brackets and quotation marks are closed. */
function isWhole(text: string): boolean {
  const open = { '(': 0, '[': 0, '{': 0, '“': 0, '"': 0, '`': 0 };
  for (const [sign] of text.matchAll(/[()[\]{}“”"`]/g)) {
    if (sign in open) open[sign as keyof typeof open]++;
    else open[opening[sign as keyof typeof opening]]--;
  }
  const { '"': quotes, '`': ticks, ...brackets } = open;
  return Object.values(brackets).every((count) => count <= 0) && quotes % 2 === 0 && ticks % 2 === 0;
}

const opening = { ')': '(', ']': '[', '}': '{', '”': '“' } as const;

/** A line end that ends a sentence, because an empty line, a list item or a label with a colon follows. */
const lineEnd = /(?<=[^\s.!?:;,。！？…])[^\S\n]*\n(?=[^\S\n]*\n|[^\S\n]*(?:[-*•#]|\d+[.:)]\s|\p{Lu}[\w ]{0,30}:\s))/gu;

/** A text as one line, with a period after each paragraph. */
export function toSingleLine(text: string): string {
  return text.slice(0, 20_000).toWellFormed().trim().replace(lineEnd, '. ').replace(/\s+/g, ' ');
}

function withoutStop(sentence: string): string {
  const text = sentence.trim();
  return text.endsWith('...') ? text : text.replace(/[\s.。]+$/, '');
}

const fillers = new Set(
  'a an and any as at be by can etc for from given has have id identifier if in is it its list must name number of on optional or parameter provided required s set should specific specified specify specifies string targets text that the their this to true unique use used value when whether which will with you your'.split(
    ' ',
  ),
);

/** Whether names already say everything in a text: `repo` says "The name of the repository". */
export function isImpliedBy(text: string, names: readonly string[]): boolean {
  const known = names.flatMap(words);
  return words(text).every((word) => fillers.has(word) || known.some((one) => isAlike(one, word)));
}

function isAlike(name: string, word: string): boolean {
  const [short, long] = name.length < word.length ? [name, word] : [word, name];
  return short === long || (short.length >= 3 && long.startsWith(short));
}

function words(text: string): string[] {
  const parted = text.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').toLowerCase();
  return parted.match(/[\p{L}\p{N}]+/gu) ?? [];
}
