/** Kinds of attack in words of our own and eight languages, and ordinary sentences about the same things. */
import { describe, expect, test } from 'vitest';
import { scanResult, scanText } from '../../../../src-main/core/trust/scan/scan.ts';
import { attackSentences, missed, ordinaryDefinitions, plantedOrders } from './attack-sentences.ts';

describe.each(Object.entries(attackSentences))('%s', (_, sentences) => {
  test.each(sentences)('is for review: %s', (sentence) => {
    expect(scanText(`Does what its name says. ${sentence}`).verdict).not.toBe('clean');
  });
});

test.each(ordinaryDefinitions)('is clean: %s', (sentence) => {
  expect(scanText(sentence)).toEqual({ verdict: 'clean', findings: [] });
});

test.each(plantedOrders)('in what a tool returned is labelled: %s', (order) => {
  expect(scanResult(`The room is open from nine to five, and the price is 20 a day. ${order}`)).not.toEqual([]);
});

test.each(missed.definitions)('is not found yet: %s', (sentence) => {
  expect(scanText(`Does what its name says. ${sentence}`).verdict).toBe('clean');
});

test.each(missed.results)('in what a tool returned is not found yet: %s', (order) => {
  expect(scanResult(`The room is open from nine to five, and the price is 20 a day. ${order}`)).toEqual([]);
});
