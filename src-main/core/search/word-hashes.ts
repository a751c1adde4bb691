/** Text to index words: lower case, camelCase split with the joined word kept, unspaced scripts as character pairs. */
import { stemmer } from 'stemmer';

/** Longer words (hashes, base64) are cut: nobody searches by their tail. */
const maxWordLength = 64;

const asciiRun = /[A-Za-z0-9]+/g;
const anyRun = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}ー]+/gu;

/** Words in order, with repetitions. An emoji is a word. */
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
  if (joined === run || run.length > maxWordLength || !/\p{Lu}/u.test(run)) return;
  // A plural of capitals ("URLs", "APIs") is one word.
  const parts = /^\p{Lu}+s$/u.test(run)
    ? [run]
    : run.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{Ll}))/u);
  if (parts.length > 1) words.push(...parts.map((part) => part.toLowerCase()));
  // Adjacent parts are also joined, so that "mysql" finds "runMySQLQuery".
  for (let i = 1; parts.length > 2 && i < parts.length; i += 1) words.push(`${parts[i - 1]}${parts[i]}`.toLowerCase());
}

/**
 * The stem of an English word, after M. F. Porter (1980). Words that are short or not plain a–z come back unchanged.
 */
export function porterStem(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word;
}

// How much a word of a request indicates the tool that is meant: nothing, little, or its full rarity.

const grammar = `a an the this that these those and or but if then than so as at by for from in into of off on onto out
  over to up with within without about is are was were be been being am do does did doing done have has had having
  will would shall should can could may might must not no nor it its they them their there he she his her him
  i me my mine myself we us our ours you your yours who whom whose which what when where how why
  any some all each every both such very just also too only more most other s t d m ll re ve don`;

const manners = `please need needs needed want wants wanted like using use used uses via help helps let lets give
  tell know would trying try wish looking hello hi thanks thank`;

/**
 * Common in requests of every kind but rare in catalogs, where rarity would make them seem telling. Left out are words
 * that may well name what a tool does: recommend, share, start, guide.
 */
const faint = `additionally addition furthermore moreover finally lastly firstly secondly next now today tonight tomorrow
  yesterday currently recently soon later already again still yet ever always often usually maybe perhaps actually
  really quite rather even much many lot lots few several various different certain specific specifically particular
  particularly exact exactly relevant related based according regarding concerning including etc along together through
  throughout among around across during while until since because due though although however whether well good better
  great nice perfect excellent amazing awesome wonderful favorite interesting interested exciting excited curious
  important helpful useful valuable comprehensive thorough popular famous unique possible potential able ready sure
  right okay ok yes hey dear sorry hope appreciate love enjoy feel think thinking believe consider considering decide
  planning go going come coming keep making made taking named provide provides provided providing assist assistance
  assisting thing things something anything everything someone anyone everyone kind sort bit example purpose goal reason
  past upcoming big small whole entire another others same own following`;

const faintWeight = 0.3;

const stopWords: ReadonlySet<string> = new Set(`${grammar} ${manners}`.split(/\s+/));
const faintWords: ReadonlySet<string> = new Set(faint.split(/\s+/));

/** 0 to 1; 0 is a stop word. Expects a lower-case word. */
function wordWeight(word: string): number {
  if (stopWords.has(word)) return 0;
  return faintWords.has(word) ? faintWeight : 1;
}

// A query as the words that are looked up, bounded so that no query can take long.

export interface QueryWord {
  readonly word: string;
  /** 0 to 1. */
  readonly weight: number;
}

export interface Query {
  /** The query, trimmed and cut. */
  readonly text: string;
  /** Distinct words; stop words only if there is nothing else. */
  readonly words: readonly QueryWord[];
  /** Parts that look like a typed tool name (`read_file`, `github:create_issue`), at most sixteen. */
  readonly names: readonly string[];
  /**
   * The words of each part of a list of needs or wordings ("make a pdf, export as pdf"); empty if the query is no list.
   */
  readonly clauses: readonly (readonly QueryWord[])[];
}

const maxLength = 4_000;
const maxWords = 64;
const maxNames = 16;
const maxClauses = 16;
/** In longer clauses, commas are ordinary punctuation. */
const maxClauseWords = 12;

const looksLikeName = /[\p{L}\p{N}](?:[_:./-]+[\p{L}\p{N}]|(?<=\p{Ll})\p{Lu})/u;

export function parseQuery(query: string): Query {
  const text = query.slice(0, maxLength).trim();
  const words = [...new Set(tokenize(text))].map((word) => ({ word, weight: wordWeight(word) }));
  const distinctive = words.filter(({ weight }) => weight > 0);
  const searched = (distinctive.length > 0 ? distinctive : words.map(({ word }) => ({ word, weight: 1 }))).slice(
    0,
    maxWords,
  );
  const parts = text.split(/[\s,;!?"'`()[\]{}]+/).map((part) => part.replace(/[.:]+$/, ''));
  return {
    text,
    words: searched,
    names: parts.filter((part) => looksLikeName.test(part)).slice(0, maxNames),
    clauses: clausesOf(text, searched),
  };
}

/** A comma inside a number does not separate. */
const separator = /[;；，、\n]|,(?!\d)|(?<!\d),/;
/** More than one sentence, a part that begins with a conjunction, or a first-person sentence. */
const sentence =
  /[.!?]\s+\S|[。！？]\s*\S|[,;]\s*(?:and|or|then|but|so|which|if|that|as|please)\b|\b(?:i|we|you|me|my|your|our)\b/i;

function clausesOf(text: string, words: readonly QueryWord[]): readonly (readonly QueryWord[])[] {
  if (!separator.test(text) || sentence.test(text)) return [];
  const known = new Map(words.map((one) => [one.word, one]));
  const parts = text.split(separator).map((part) => new Set(tokenize(part)));
  if (parts.some(({ size }) => size > maxClauseWords)) return [];
  const clauses = parts.map((part) => [...part].flatMap((word) => known.get(word) ?? []));
  const distinctive = clauses.filter((clause) => clause.some(({ weight }) => weight === 1));
  return distinctive.length < 2 ? [] : distinctive.slice(0, maxClauses);
}
