/** The stem of an English word, after M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980. */

/** Expects a lower-case word. Words that are short or not plain a–z come back unchanged. */
export function porterStem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let stem = stripPlural(word);
  stem = stripPastAndGerund(stem);
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
  stem = replaceSuffix(stem, doubleSuffixes, 0);
  stem = replaceSuffix(stem, simpleSuffixes, 0);
  stem = replaceSuffix(stem, residualSuffixes, 1);
  return tidyEnd(stem);
}

type SuffixRule = readonly [suffix: string, replacement: string];

/** Steps 2 to 4. The first suffix that fits decides, so a longer one stands before any it ends with. */
const doubleSuffixes: readonly SuffixRule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['eli', 'e'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];

const simpleSuffixes: readonly SuffixRule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const residualSuffixes: readonly SuffixRule[] = [
  ...['al', 'ance', 'ence', 'er', 'ic', 'able', 'ible', 'ant', 'ement', 'ment', 'ent'],
  ...['sion', 'tion', 'ou', 'ism', 'ate', 'iti', 'ous', 'ive', 'ize'],
].map((suffix) => [suffix, suffix.endsWith('ion') ? suffix.slice(0, 1) : '']);

function stripPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function stripPastAndGerund(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  const stem = word.slice(0, word.length - suffix);
  if (suffix === 0 || !hasVowel(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsInDoubleConsonant(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem) === 1 && endsInShortSyllable(stem) ? `${stem}e` : stem;
}

function replaceSuffix(word: string, rules: readonly SuffixRule[], moreThan: number): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const stem = word.slice(0, word.length - rule[0].length) + rule[1];
  // The s or t before "ion" belongs to the measured stem; any other replacement does not.
  const measured = rule[0].endsWith('ion') && moreThan > 0 ? stem : word.slice(0, word.length - rule[0].length);
  return measure(measured) > moreThan ? stem : word;
}

function tidyEnd(word: string): string {
  let stem = word;
  if (stem.endsWith('e')) {
    const shorter = stem.slice(0, -1);
    const length = measure(shorter);
    if (length > 1 || (length === 1 && !endsInShortSyllable(shorter))) stem = shorter;
  }
  return stem.endsWith('ll') && measure(stem) > 1 ? stem.slice(0, -1) : stem;
}

function isConsonant(word: string, index: number): boolean {
  const letter = word.charAt(index);
  if (letter === 'y') return index === 0 || !isConsonant(word, index - 1);
  return !'aeiou'.includes(letter);
}

/** Porter's m: how often a vowel is followed by a consonant. */
function measure(stem: string): number {
  let count = 0;
  for (let i = 1; i < stem.length; i += 1) if (isConsonant(stem, i) && !isConsonant(stem, i - 1)) count += 1;
  return count;
}

function hasVowel(stem: string): boolean {
  for (let i = 0; i < stem.length; i += 1) if (!isConsonant(stem, i)) return true;
  return false;
}

function endsInDoubleConsonant(stem: string): boolean {
  const last = stem.length - 1;
  return last > 0 && stem.charAt(last) === stem.charAt(last - 1) && isConsonant(stem, last);
}

/** Porter's *o: consonant, vowel, consonant at the end, the last one not w, x or y. */
function endsInShortSyllable(stem: string): boolean {
  const last = stem.length - 1;
  if (last < 2 || 'wxy'.includes(stem.charAt(last))) return false;
  return isConsonant(stem, last) && !isConsonant(stem, last - 1) && isConsonant(stem, last - 2);
}
