/** The stemmer: examples from the published algorithm, one or more per step. */

import { expect, test } from 'vitest';
import { porterStem } from '../../../src-main/core/search/word-hashes.ts';

test.each(
  `caresses caress|ponies poni|ties ti|cats cat|feed feed|agreed agre|plastered plaster|bled bled|motoring motor|sing sing
  conflated conflat|troubled troubl|sized size|hopping hop|falling fall|hissing hiss|failing fail|filing file|happy happi|sky sky
  relational relat|conditional condit|rational ration|digitizer digit|conformabli conform|radicalli radic|vietnamization vietnam
  predication predic|operator oper|feudalism feudal|decisiveness decis|hopefulness hope|formaliti formal|sensitiviti sensit
  triplicate triplic|formative form|formalize formal|electriciti electr|electrical electr|hopeful hope|goodness good
  revival reviv|allowance allow|inference infer|airliner airlin|adjustable adjust|replacement replac|adjustment adjust
  dependent depend|adoption adopt|communism commun|activate activ|angulariti angular|effective effect|bowdlerize bowdler
  probate probat|rate rate|cease ceas|controll control|roll roll|searching search|repositories repositori`
    .split(/\||\n/)
    .map((pair) => pair.trim().split(' ') as [string, string]),
)('stems %s to %s', (word, stem) => {
  expect(porterStem(word)).toBe(stem);
});

test('keeps short words, names with digits and other scripts unchanged', () => {
  expect(['is', 's3', 'ipv6s', 'straßen', '検索'].map(porterStem)).toEqual(['is', 's3', 'ipv6s', 'straßen', '検索']);
});
