/** read_cache: the rest of an answer that was too long. */
import { readText, refused } from './answers.ts';
import { AppError } from '../../base/errors.ts';
import { type JsonObject, plainNumber } from '../../base/json.ts';
import type { RecordPage, RecordRange, SpillFiles } from '../../spills/spill-questions.ts';
import type { HelperContext, HelperTool } from '../../modes/mode.ts';
import { readSpill } from '../../modes/read-spill.ts';

const usualRecords = 50;
const mostRecords = 1000;

export const readCache: HelperTool = {
  definition: {
    name: 'read_cache',
    description: 'Read more of a cut answer.',
    inputSchema: {
      type: 'object',
      properties: {
        key: { type: 'string' },
        query: { type: 'string' },
        offset: { type: 'integer' },
        limit: { type: 'integer' },
      },
      required: ['key'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  reachable: true,
  async run(input, context) {
    const { spillFiles, signal } = context;
    const key = readText(input['key']);
    if (key === undefined) throw refused('The key is missing.', 'Give the one that the cut answer names.');
    const query = readText(input['query']);
    if (query !== undefined) return found(key, query, context);
    const offset = readWithin('offset', input['offset'], 0, 0, Number.MAX_SAFE_INTEGER);
    const limit = readWithin('limit', input['limit'], usualRecords, 1, mostRecords);
    const page = await readPage(spillFiles, key, { offset, limit }, signal);
    return { content: [{ type: 'text', text: pageText(page, key, { offset, limit }) }] };
  },
};

/** A JSONPath begins with `$`; anything else is looked for in the lines. */
async function found(resultFile: string, query: string, context: HelperContext): Promise<JsonObject> {
  const asked = query.startsWith('$') ? { op: 'query', query } : { op: 'grep', pattern: query };
  const { text } = await readSpill({ resultFile, ...asked }, context, { elements: true });
  return { content: [{ type: 'text', text }] };
}

async function readPage(files: SpillFiles, key: string, range: RecordRange, signal: AbortSignal): Promise<RecordPage> {
  try {
    return await files.page(key, range, signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    const shown = JSON.stringify(key.slice(0, 100));
    throw new AppError('not_found', `Nothing is cached under ${shown}: not found or expired.`, {
      fix: 'Make the call again.',
      cause: error,
    });
  }
}

/** Records go in as they are spelled: numbers of many digits would not survive being read. */
function pageText(
  { records, totalRecords, recordPath, totalBytes }: RecordPage,
  key: string,
  range: RecordRange,
): string {
  const next = range.offset + records.length;
  const meta = {
    key,
    total_records: totalRecords,
    limit: range.limit,
    offset: range.offset,
    total_size: totalBytes,
    ...(recordPath !== undefined && { record_path: recordPath }),
    ...(records.length > 0 && next < totalRecords && { next_offset: next }),
  };
  return `{"records":[${records.join(',')}],"meta":${JSON.stringify(meta)}}`;
}

function readWithin(name: string, value: unknown, usual: number, least: number, most: number): number {
  const given = value === undefined || value === null || value === '' ? usual : value;
  const number = typeof given === 'string' ? Number(given) : plainNumber(given);
  if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most) return number;
  throw refused(`"${name}" is not a whole number from ${least} to ${most}.`, 'Leave it away for the usual.');
}
