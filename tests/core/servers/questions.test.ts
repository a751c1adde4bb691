import { expect, test } from 'vitest';
import {
  inputRequests,
  namedInputRequests,
  namedQuestion,
  QuestionLimit,
} from '../../../src-main/core/servers/questions.ts';

test('a question of many servers says whose it is, in front of what a person reads', () => {
  const asked = { message: 'Your password?', requestedSchema: {}, _meta: { own: 1 } };
  expect(namedQuestion('bank', 'elicitation/create', asked)).toEqual({
    message: 'bank: Your password?',
    requestedSchema: {},
    _meta: { own: 1, 'tooltray/server': 'bank' },
  });
  expect(namedQuestion('bank', 'sampling/createMessage', { messages: [], systemPrompt: 'Be brief.' })).toEqual({
    messages: [],
    systemPrompt: 'Asked by the MCP server bank.\n\nBe brief.',
    _meta: { 'tooltray/server': 'bank' },
  });
  expect(namedQuestion('bank', 'roots/list', {})).toEqual({});
});

test('the same in an answer of 2026-07-28 that asks for input; other answers are left as they are', () => {
  const answer = { content: [] };
  expect(namedInputRequests('bank', answer)).toBe(answer);
  const request = { method: 'elicitation/create', params: { message: 'Sure?' } };
  expect(namedInputRequests('bank', { resultType: 'input_required', inputRequests: { a: request } })).toMatchObject({
    inputRequests: { a: { method: 'elicitation/create', params: { message: 'bank: Sure?' } } },
  });
});

test('an answer that asks a hundred things at once is refused', () => {
  const request = { method: 'elicitation/create', params: {} };
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`q${at}`, request]));
  expect(() => inputRequests({ inputRequests: many })).toThrow('asked 100 things at once');
});

test('a person is asked some things at once, then seldom, and one kind of question does not use up another', () => {
  const limit = new QuestionLimit();
  const admitted = (method: string): number => {
    let count = 0;
    try {
      for (; count < 10_000; count++) limit.admit(method);
    } catch (error) {
      expect((error as Error).message).toContain('too often');
    }
    return count;
  };
  expect(admitted('elicitation/create')).toBeLessThan(30);
  expect(admitted('sampling/createMessage')).toBeLessThan(60);
  expect(admitted('vendor/anything')).toBeLessThan(200);
});
