/** Kinds of attacks in own words and eight languages, and ordinary sentences about the same subjects. */
import { describe, expect, test } from 'vitest';
import { scanResult, scanText } from '../../../../src-main/core/trust/scan/scan.ts';
import { attackSentences, missed, ordinaryDefinitions, plantedOrders } from './attack-sentences.ts';

describe.each(Object.entries(attackSentences))('%s', (_, sentences) => {
  test.each(sentences)('requires review: %s', (sentence) => {
    expect(scanText(`Does what its name says. ${sentence}`).verdict).not.toBe('clean');
  });
});

test.each(ordinaryDefinitions)('is clean: %s', (sentence) => {
  expect(scanText(sentence)).toEqual({ verdict: 'clean', findings: [] });
});

test.each(plantedOrders)('labels in a tool result: %s', (order) => {
  expect(scanResult(`The room is open from nine to five, and the price is 20 a day. ${order}`)).not.toEqual([]);
});

test.each(missed.definitions)('does not find yet: %s', (sentence) => {
  expect(scanText(`Does what its name says. ${sentence}`).verdict).toBe('clean');
});

test.each(missed.results)('does not find yet in a tool result: %s', (order) => {
  expect(scanResult(`The room is open from nine to five, and the price is 20 a day. ${order}`)).toEqual([]);
});
