/** Text to index words: lower case, camelCase split with the joined word kept, unspaced scripts as character pairs. */

/** Longer words (hashes, base64) are cut: nobody searches by their tail. */
const maxWordLength = 64;

const asciiRun = /[A-Za-z0-9]+/g;
const anyRun = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}ー]+/gu;

/** Words in order, with repeats. An emoji is a word. */
export function tokenize(text: string): string[] {
  const words: string[] = [];
  const ascii = !/[^\x00-\x7f]/.test(text);
  const runs = ascii ? text.match(asciiRun) : foldAccents(text).match(anyRun);
  for (const run of runs ?? []) {
    if (ascii) pushCamelCase(run, words);
    else pushMixedScripts(run, words);
  }
  return words;
}

/** "café" and "cafe" are one word; kana and Hangul keep their marks. Full-width letters become plain ones. */
function foldAccents(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}

function pushMixedScripts(run: string, words: string[]): void {
  let end = 0;
  for (const match of run.matchAll(unspaced)) {
    if (match.index > end) pushCamelCase(run.slice(end, match.index), words);
    pushPairs(match[0], words);
    end = match.index + match[0].length;
  }
  if (end < run.length) pushCamelCase(run.slice(end), words);
}

function pushPairs(run: string, words: string[]): void {
  const characters = Array.from(run);
  if (characters.length === 1) words.push(run);
  for (let i = 1; i < characters.length; i += 1) words.push(`${characters[i - 1]}${characters[i]}`);
}

function pushCamelCase(run: string, words: string[]): void {
  const joined = run.slice(0, maxWordLength).toLowerCase();
  words.push(joined);
  if (run.length > maxWordLength || !/\p{Lu}/u.test(run)) return;
  // A plural of capitals ("URLs", "APIs") is one word.
  const parts = /^\p{Lu}+s$/u.test(run)
    ? [run]
    : run.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{Ll}))/u);
  if (parts.length > 1) words.push(...parts.map((part) => part.toLowerCase()));
  // Neighbours joined as well: the brand in "runMySQLQuery" is asked for as "mysql".
  for (let i = 1; parts.length > 2 && i < parts.length; i += 1) words.push(`${parts[i - 1]}${parts[i]}`.toLowerCase());
}
