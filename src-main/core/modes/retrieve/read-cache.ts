/** read_cache: the rest of an answer that was too long. */
import { AppError } from '../../base/errors.ts';
import { plainNumber } from '../../base/json.ts';
import type { HelperTool } from '../mode.ts';
import { readText } from './read-options.ts';

const mostRecords = 1000;

export const readCache: HelperTool = {
  definition: {
    name: 'read_cache',
    description: 'Read more of an answer that was cut.',
    inputSchema: {
      type: 'object',
      properties: { key: { type: 'string' }, offset: { type: 'integer' }, limit: { type: 'integer' } },
      required: ['key'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  async run(input) {
    const key = readText(input['key']);
    if (key === undefined) throw refused('The key is missing.', 'Give the one that the cut answer names.');
    requireWithin('offset', input['offset'], 0, Number.MAX_SAFE_INTEGER);
    requireWithin('limit', input['limit'], 1, mostRecords);
    // Answers are passed on whole as long as nothing keeps them: no key has been given out.
    throw new AppError(
      'not_found',
      `Nothing is cached under ${JSON.stringify(key.slice(0, 100))}: not found or expired.`,
      {
        fix: 'Make the call again.',
      },
    );
  },
};

function requireWithin(name: string, value: unknown, least: number, most: number): void {
  const number = plainNumber(value ?? least);
  if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most) return;
  throw refused(`"${name}" is not a whole number from ${least} to ${most}.`, 'Leave it away for the usual.');
}

function refused(what: string, fix: string): AppError {
  return new AppError('bad_request', what, { fix });
}
