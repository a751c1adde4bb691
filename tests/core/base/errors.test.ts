import { expect, test } from 'vitest';
import { AppError, addFix } from '../../../src-main/core/base/errors.ts';

test('adds a fix as a sentence after the end of the previous one', () => {
  const missing = new AppError('secret_missing', 'x needs KEY.', { fix: 'Set it: tooltray secret set KEY' });
  expect(addFix(missing, 'Next retry in 2 s.').text).toBe(
    'x needs KEY. Set it: tooltray secret set KEY. Next retry in 2 s.',
  );
  const whole = new AppError('server_disabled', 'x is off.', { fix: 'Continue without it.' });
  expect(addFix(whole, 'Or ask.').text).toBe('x is off. Continue without it. Or ask.');
  expect(addFix(new AppError('internal', 'Oh.'), 'Ask.').text).toBe('Oh. Ask.');
  expect(addFix(whole, undefined)).toBe(whole);
});
