import { expect, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { errorResult } from '../../../src-main/core/calls/error-result.ts';
import { RpcError } from '../../../src-main/core/wire/message.ts';

test.each([
  ['an AppError with its fix', new AppError('internal', 'It broke.', { fix: 'Mend it.' }), 'It broke. Mend it.'],
  ['an error of a server with its code', new RpcError(-32602, 'bad params'), 'bad params (code -32602)'],
  [
    'an error of a server with its data',
    new RpcError(-1, 'no', { field: 'a', n: [1] }),
    'no (code -1)\n{"field":"a","n":[1]}',
  ],
  ['any other error', new TypeError('x is not a function'), 'x is not a function'],
  ['anything thrown', 'just text', 'just text'],
])('turns %s into an error result', (_what, error, text) => {
  expect(errorResult(error)).toEqual({ content: [{ type: 'text', text }], isError: true });
});
