/** The prefilter never excludes a text in which a pattern matches. */
import { expect, test } from 'vitest';
import { hasDigits, hasRun, mayContainUrl, characterTable } from '../../../src-main/core/trust/text-prefilter.ts';

/** Texts with few distinct characters, so that runs break at every position. */
function* texts(signs: string): Generator<string> {
  let state = 1;
  const next = (most: number): number => (state = Math.imul(state, 48_271) >>> 0) % most;
  for (let count = 0; count < 4000; count++)
    yield Array.from({ length: next(40) }, () => signs[next(signs.length)]).join('');
}

test('finds a run of characters anywhere', () => {
  const of = characterTable(/[\w+/-]/);
  for (const text of texts('abcdefgh09+ü '))
    expect([text, hasRun(text, of, 16)]).toEqual([text, /[\w+/-]{16}/.test(text)]);
});

test('finds a URL by its scheme or by www, in any case', () => {
  for (const text of texts('wW.:/a')) expect([text, mayContainUrl(text)]).toEqual([text, /:\/\/|www\./i.test(text)]);
});

test('counts digits anywhere', () => {
  for (const text of texts('12a -'))
    expect([text, hasDigits(text, 13)]).toEqual([text, text.replace(/\D/g, '').length >= 13]);
});
