import { expect, test } from 'vitest';
import { AppError, withFix } from '../../../src-main/core/base/errors.ts';

test('a further sentence about what helps begins after the one before has ended', () => {
  const missing = new AppError('secret_missing', 'x needs KEY.', { fix: 'Set it: tooltray secret set KEY' });
  expect(withFix(missing, 'It is tried again in 2 s.').text).toBe(
    'x needs KEY. Set it: tooltray secret set KEY. It is tried again in 2 s.',
  );
  const whole = new AppError('server_disabled', 'x is off.', { fix: 'Do without it.' });
  expect(withFix(whole, 'Or ask.').text).toBe('x is off. Do without it. Or ask.');
  expect(withFix(new AppError('internal', 'Oh.'), 'Ask.').text).toBe('Oh. Ask.');
  expect(withFix(whole, undefined)).toBe(whole);
});
