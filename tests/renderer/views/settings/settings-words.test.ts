/** Texts of the settings, and how amounts are parsed. */
import { expect, test } from 'vitest';
import {
  amountText,
  modeCost,
  policySnippet,
  readAmount,
} from '../../../../src-renderer/views/settings/settings-words.ts';

test('describes a mode by the tools it lists and their tokens', () => {
  expect(modeCost({ tools: 142, tokens: 38_400 })).toBe('142 tools listed, 38,400 tokens');
  expect(modeCost({ tools: 1, tokens: 199 })).toBe('1 tool listed, 199 tokens');
});

test('reads an amount in its unit, and rejects invalid text', () => {
  expect(readAmount('12.5', { unit: 1000, least: 0 })).toBe(12_500);
  expect(readAmount('0', { unit: 1, least: 1 })).toBeUndefined();
  expect(readAmount('many', { unit: 1, least: 0 })).toBeUndefined();
});

test('an empty field resets a setting only where it may be unset', () => {
  expect(readAmount(' ', { unit: 1, least: 0, empty: null })).toBeNull();
  expect(readAmount('', { unit: 1, least: 0 })).toBeUndefined();
});

test('formats an amount as short as possible', () => {
  expect(amountText(undefined, 1)).toBe('');
  expect(amountText(12_500, 1000)).toBe('12.5');
  expect(amountText(1_073_741_824, 1_000_000)).toBe('1074');
});

test('shows the config line for the other policy', () => {
  expect(policySnippet('ask')).toBe('"policy": { "agentChanges": "allow" }');
  expect(policySnippet('allow')).toBe('"policy": { "agentChanges": "ask" }');
});
