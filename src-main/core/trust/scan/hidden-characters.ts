/** Finds characters that a user does not see but a model reads, or that make a user see something else. */

import { hasRun, characterTable } from '../text-prefilter.ts';

/** Hidden or misleading characters, and their place. */
export interface HiddenSpan {
  readonly rule:
    | 'tag-characters'
    | 'selector-run'
    | 'zero-width'
    | 'direction'
    | 'private-use'
    | 'terminal'
    | 'control'
    | 'look-alike'
    | 'blank-run';
  readonly start: number;
  readonly end: number;
  /** The text that they encode; empty if none. */
  readonly spelled: string;
  /** Factor for the rule's weight: half where it may be an accident. */
  readonly factor: number;
}

/** Anything but plain text; without a match there is nothing to check. */
const suspect = /[^\t\n\r\x20-\x7e\u00a0-\u024f\u2010-\u2027\u3000-\u9fff\uac00-\ud7a3\uff00-\uff60]/;
/** This many empty lines, or a long run of spaces, push the following text out of sight. */
const minBlankLines = 12;
const minBlankRun = 80;

/** The shortest run of spaces that is considered. */
const minRunLength = 12;
const blanks = characterTable(/[\t\r\n ]/);

const maxSpans = 50;

/** Takes linear time. Returns at most 50 spans. */
export function hiddenSpans(text: string): HiddenSpan[] {
  const spans: HiddenSpan[] = [];
  if (hasRun(text, blanks, minRunLength)) spans.push(...blankRuns(text));
  if (suspect.test(text)) for (const find of finders) spans.push(...find(text).slice(0, maxSpans));
  return spans.slice(0, maxSpans);
}

const finders: readonly ((text: string) => HiddenSpan[])[] = [
  tagCharacters,
  selectorRuns,
  zeroWidth,
  directions,
  privateUse,
  terminalCodes,
  controls,
  lookAlikes,
];

/** A run at the end hides nothing. */
function blankRuns(text: string): HiddenSpan[] {
  return spansOf(text, /[\t\r\n ]{12,}/g, 'blank-run', ({ 0: run, index }) => {
    if (index + run.length === text.length) return undefined;
    const lines = run.split('\n');
    return lines.length > minBlankLines || lines.some((line) => line.length >= minBlankRun) ? {} : undefined;
  });
}

function spansOf(
  text: string,
  pattern: RegExp,
  rule: HiddenSpan['rule'],
  more: (match: RegExpExecArray) => { spelled?: string; factor?: number } | undefined = () => ({}),
): HiddenSpan[] {
  const spans: HiddenSpan[] = [];
  for (const match of text.matchAll(pattern)) {
    const { spelled = '', factor = 1 } = more(match) ?? { factor: 0 };
    if (factor > 0) spans.push({ rule, start: match.index, end: match.index + match[0].length, spelled, factor });
    if (spans.length === maxSpans) break;
  }
  return spans;
}

/** Tag characters, which are not displayed. The flags of England, Scotland and Wales consist of some of them. */
function tagCharacters(text: string): HiddenSpan[] {
  return spansOf(text, /(\u{1f3f4})?[\u{e0000}-\u{e007f}]+/gu, 'tag-characters', ([run, flag]) =>
    flag !== undefined && [...run].length <= 8 && run.endsWith('\u{e007f}')
      ? undefined
      : { spelled: [...run].map(tagLetter).join('') },
  );
}

function tagLetter(character: string): string {
  const code = (character.codePointAt(0) ?? 0) - 0xe0000;
  return code >= 32 && code < 127 ? String.fromCharCode(code) : '';
}

/** Variation selectors choose the appearance of one character; many in a row encode bytes. */
function selectorRuns(text: string): HiddenSpan[] {
  return spansOf(text, /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,}/gu, 'selector-run', ([run]) => ({
    spelled: Buffer.from([...run].map(selectorByte)).toString('utf8'),
  }));
}

function selectorByte(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0xfe10 ? code - 0xfe00 : code - 0xe0100 + 16;
}

/** Scripts that use joiners and zero-width spaces, and characters of emoji. */
const joins =
  /[\u0590-\u08ff\u0900-\u109f\u1780-\u17ff\u1a20-\u1aaf\ufb1d-\ufdff\ufe70-\ufefc]|\ufe0f|\u200d|\p{Extended_Pictographic}|\p{Emoji_Modifier}/u;

function zeroWidth(text: string): HiddenSpan[] {
  return spansOf(
    text,
    /(?:[\u200b\u200c\u2060-\u2064\ufeff\u115f\u1160\u3164\uffa0]|\u200d|\u180e|\u034f)+/g,
    'zero-width',
    (match) => {
      const { 0: run, index } = match;
      if (run === '\ufeff' && index === 0) return undefined;
      const before = lastCharacter(text, index);
      const after = String.fromCodePoint(text.codePointAt(index + run.length) ?? 32);
      if (run.length < 4 && (joins.test(before) || joins.test(after))) return undefined;
      const inWord = /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
      return { factor: inWord || run.length >= 4 ? 1 : 0.99 };
    },
  );
}

function lastCharacter(text: string, end: number): string {
  return [...text.slice(Math.max(0, end - 2), end)].at(-1) ?? ' ';
}

/** Overrides always; embeddings and isolates only if the text has no right-to-left characters. */
function directions(text: string): HiddenSpan[] {
  const isRightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text);
  return spansOf(text, /[\u202a-\u202e\u2066-\u2069]/g, 'direction', ([mark]) =>
    isRightToLeft && mark !== '\u202e' && mark !== '\u202d' ? undefined : {},
  );
}

function privateUse(text: string): HiddenSpan[] {
  return spansOf(text, /[\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}]+/gu, 'private-use');
}

/** Colors are ordinary output, cursor movement belongs to progress bars; concealed text has no legitimate use. */
function terminalCodes(text: string): HiddenSpan[] {
  const codes = /(?:\u001b\[|\u009b)[\d;?]{0,40}[@-~]|\u001b[\]PX^_][^\u0007\u001b]{0,500}/g;
  return spansOf(text, codes, 'terminal', ([code]) => {
    if (!code.endsWith('m')) return { factor: 0.8 };
    const plain = code.replace(/[34]8;(?:5;\d+|2(?:;\d+){3})/g, '');
    return { factor: /[[;\u009b]8[;m]/.test(plain) ? 1 : 0.4 };
  });
}

function controls(text: string): HiddenSpan[] {
  return spansOf(text, /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f\u007f-\u009a\u009c-\u009f]+/g, 'control');
}

/** Letters of other scripts that look like Latin ones, in a word that also has Latin letters. */
const twins: ReadonlyMap<string, string> = new Map(
  [
    ...'аaеeоoрpсcхxуyіiјjѕsԁdһhӏlԛqԝwАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSοoαaνvρpιiκkεeυuΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX',
  ].flatMap((letter, at, all) => (at % 2 === 0 ? [[letter, all[at + 1] ?? letter] as const] : [])),
);

function lookAlikes(text: string): HiddenSpan[] {
  if (!/[\u0370-\u052f]/.test(text)) return [];
  return spansOf(text, /[A-Za-z\u0370-\u03ff\u0400-\u052f]{3,60}/g, 'look-alike', ([word]) =>
    isMixed(word) ? { spelled: plainLetters(word) } : undefined,
  );
}

function isMixed(word: string): boolean {
  if (!/[A-Za-z]/.test(word) || !/[\u0370-\u052f]/.test(word)) return false;
  const strange = [...word].filter((letter) => letter > '\u036f');
  return strange.every((letter) => twins.has(letter));
}

function plainLetters(word: string): string {
  return [...word].map((letter) => twins.get(letter) ?? letter).join('');
}

/**
 * The text as a model may read it: without invisible characters, with look-alike, wide and styled letters as plain
 * ones.
 */
export function normalizeForModel(text: string): string {
  if (!suspect.test(text) && !/[\uff00-\uff60\u00ad]/.test(text)) return text;
  return text
    .replace(
      /[\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]|\u200d|\u180e|\u034f|[\u{e0100}-\u{e01ef}]/gu,
      '',
    )
    .normalize('NFKC')
    .replace(/[A-Za-z\u0370-\u03ff\u0400-\u052f]{3,60}/g, (word) => (isMixed(word) ? plainLetters(word) : word));
}
