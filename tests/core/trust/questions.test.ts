/** Questions for a person: bounded, answered once, by a person's places only. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { type Answer, type NewQuestion, type OpenQuestion, Questions } from '../../../src-main/core/trust/questions.ts';

const asked: NewQuestion = {
  cause: 'flow a@b.example',
  key: 'k',
  app: 'cursor',
  sessionId: 's1',
  server: 'mail',
  tool: 'mail:send_email',
  sentence: 'cursor wants to send a mail to a@b.example.',
  details: [{ name: 'To', text: 'a@b.example' }],
  choices: [
    { id: 'no', label: 'Do not send', risky: false },
    { id: 'once', label: 'Send this once', risky: true },
  ],
  openMs: 60_000,
};

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'nothing was thrown';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('an answer reaches who asked, the record and who shows what is open, and counts once', async () => {
  const questions = new Questions();
  let changes = 0;
  const ended: [OpenQuestion, Answer][] = [];
  questions.changed.on(() => void changes++);
  questions.ended.on(({ question, answer }) => void ended.push([question, answer]));
  const { question, answer } = questions.ask(asked);
  expect(questions.open()).toEqual([question]);
  expect(question).toMatchObject({ sentence: asked.sentence, until: question.at + 60_000 });
  questions.answer(question.id, 'once', 'tray');
  const given = await answer;
  expect(given).toEqual({ how: 'answered', choice: 'once', by: 'tray', at: question.at });
  expect(ended).toEqual([[question, given]]);
  expect(questions.open()).toEqual([]);
  expect(changes).toBe(2);
  expect(codeOf(() => questions.answer(question.id, 'no', 'tray'))).toBe('not_found');
});

test('a choice that the question does not have is refused, and it stays open', () => {
  const questions = new Questions();
  const { question } = questions.ask(asked);
  expect(codeOf(() => questions.answer(question.id, 'always', 'dashboard'))).toBe('bad_request');
  expect(questions.open()).toHaveLength(1);
});

test('time ends it, and so does its reason', async () => {
  const questions = new Questions();
  const late = questions.ask(asked);
  const gone = questions.ask({ ...asked, key: 'other' });
  questions.withdraw(gone.question.id);
  expect((await gone.answer).how).toBe('withdrawn');
  vi.advanceTimersByTime(60_000);
  expect((await late.answer).how).toBe('expired');
  expect(questions.open()).toEqual([]);
});

test('what is asked again while it is open is the same question', async () => {
  const questions = new Questions();
  const first = questions.ask(asked);
  const second = questions.ask({ ...asked, sentence: 'the same, asked by a second try' });
  expect(second.question).toBe(first.question);
  questions.answer(first.question.id, 'no', 'command line');
  expect(await second.answer).toEqual(await first.answer);
});

test('one app cannot take all the room, and all apps together find an end', () => {
  const questions = new Questions({ ofPerson: 3, ofApp: 2 });
  questions.ask({ ...asked, key: '1' });
  questions.ask({ ...asked, key: '2' });
  expect(codeOf(() => questions.ask({ ...asked, key: '3' }))).toBe('session_limit');
  questions.ask({ ...asked, key: '3', app: 'zed' });
  expect(codeOf(() => questions.ask({ ...asked, key: '4', app: 'claude' }))).toBe('session_limit');
  expect(questions.open()).toHaveLength(3);
});

test('nobody of a team takes the room of the others, and all of them find an end', () => {
  const questions = new Questions({ ofAll: 3, ofPerson: 2, ofApp: 2 });
  questions.ask({ ...asked, person: 'ana', key: '1' });
  questions.ask({ ...asked, person: 'ana', key: '2', app: 'zed' });
  expect(codeOf(() => questions.ask({ ...asked, person: 'ana', key: '3', app: 'claude' }))).toBe('session_limit');
  questions.ask({ ...asked, person: 'ben', key: '4' });
  expect(codeOf(() => questions.ask({ ...asked, person: 'cleo', key: '5' }))).toBe('session_limit');
});

test('details that nobody could read are cut, and say how long they were', () => {
  const questions = new Questions({ characters: 100 });
  const { question } = questions.ask({
    ...asked,
    details: [
      { name: 'To', text: 'a@b.example' },
      { name: 'Body', text: 'x'.repeat(5000) },
    ],
  });
  expect(question.details[0]?.text).toBe('a@b.example');
  expect(question.details[1]?.text).toMatch(/^x{88}…\n\(5000 characters in all\)$/);
});

test('a core that stops tells whoever waits', async () => {
  const questions = new Questions();
  const { answer } = questions.ask(asked);
  questions.close();
  expect((await answer).how).toBe('withdrawn');
});
