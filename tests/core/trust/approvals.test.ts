/** Approval requests for the user: limited in number, decided once, and only by the user. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import {
  type ApprovalOutcome,
  type ApprovalRequest,
  type PendingApproval,
  ApprovalQueue,
} from '../../../src-main/core/trust/approvals.ts';

const asked: ApprovalRequest = {
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

test('resolves a request once, for its caller, the record and observers', async () => {
  const questions = new ApprovalQueue();
  let changes = 0;
  const ended: [PendingApproval, ApprovalOutcome][] = [];
  questions.changed.on(() => void changes++);
  questions.ended.on(({ question, answer }) => void ended.push([question, answer]));
  const { question, answer } = questions.submit(asked);
  expect(questions.pending()).toEqual([question]);
  expect(question).toMatchObject({ sentence: asked.sentence, until: question.at + 60_000 });
  questions.decide(question.id, 'once', 'tray');
  const given = await answer;
  expect(given).toEqual({ how: 'answered', choice: 'once', by: 'tray', at: question.at });
  expect(ended).toEqual([[question, given]]);
  expect(questions.pending()).toEqual([]);
  expect(changes).toBe(2);
  expect(codeOf(() => questions.decide(question.id, 'no', 'tray'))).toBe('not_found');
});

test('rejects a choice that the request does not have, and keeps the request pending', () => {
  const questions = new ApprovalQueue();
  const { question } = questions.submit(asked);
  expect(codeOf(() => questions.decide(question.id, 'always', 'dashboard'))).toBe('bad_request');
  expect(questions.pending()).toHaveLength(1);
});

test('ends a request when it expires or is withdrawn', async () => {
  const questions = new ApprovalQueue();
  const late = questions.submit(asked);
  const gone = questions.submit({ ...asked, key: 'other' });
  questions.withdraw(gone.question.id);
  expect((await gone.answer).how).toBe('withdrawn');
  vi.advanceTimersByTime(60_000);
  expect((await late.answer).how).toBe('expired');
  expect(questions.pending()).toEqual([]);
});

test('returns the pending request when the same one is submitted again', async () => {
  const questions = new ApprovalQueue();
  const first = questions.submit(asked);
  const second = questions.submit({ ...asked, sentence: 'the same, asked by a second try' });
  expect(second.question).toBe(first.question);
  questions.decide(first.question.id, 'no', 'command line');
  expect(await second.answer).toEqual(await first.answer);
});

test('limits the requests of one app, and of all apps together', () => {
  const questions = new ApprovalQueue({ ofPerson: 3, ofApp: 2 });
  questions.submit({ ...asked, key: '1' });
  questions.submit({ ...asked, key: '2' });
  expect(codeOf(() => questions.submit({ ...asked, key: '3' }))).toBe('session_limit');
  questions.submit({ ...asked, key: '3', app: 'zed' });
  expect(codeOf(() => questions.submit({ ...asked, key: '4', app: 'claude' }))).toBe('session_limit');
  expect(questions.pending()).toHaveLength(3);
});

test('limits the requests of one team member, and of all members together', () => {
  const questions = new ApprovalQueue({ ofAll: 3, ofPerson: 2, ofApp: 2 });
  questions.submit({ ...asked, user: 'ana', key: '1' });
  questions.submit({ ...asked, user: 'ana', key: '2', app: 'zed' });
  expect(codeOf(() => questions.submit({ ...asked, user: 'ana', key: '3', app: 'claude' }))).toBe('session_limit');
  questions.submit({ ...asked, user: 'ben', key: '4' });
  expect(codeOf(() => questions.submit({ ...asked, user: 'cleo', key: '5' }))).toBe('session_limit');
});

test('truncates long details, and states their length', () => {
  const questions = new ApprovalQueue({ characters: 100 });
  const { question } = questions.submit({
    ...asked,
    details: [
      { name: 'To', text: 'a@b.example' },
      { name: 'Body', text: 'x'.repeat(5000) },
    ],
  });
  expect(question.details[0]?.text).toBe('a@b.example');
  expect(question.details[1]?.text).toMatch(/^x{88}…\n\(5000 characters in total\)$/);
});

test('withdraws pending requests when it closes', async () => {
  const questions = new ApprovalQueue();
  const { answer } = questions.submit(asked);
  questions.close();
  expect((await answer).how).toBe('withdrawn');
});
