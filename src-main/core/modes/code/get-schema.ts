/** `get_schema`: the parameters of named tools. */
import { AppError } from '../../base/errors.ts';
import type { HelperTool } from '../mode.ts';
import { namedTools } from './find-tools.ts';
import { readDetail, toolTexts } from './tool-texts.ts';

export const getSchema: HelperTool = {
  definition: {
    name: 'get_schema',
    description: 'Parameters of tools found by search.',
    inputSchema: {
      type: 'object',
      properties: {
        tools: { type: 'array', items: { type: 'string' } },
        detail: { enum: ['brief', 'detailed', 'full'] },
      },
      required: ['tools'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(input, context) {
    const given = input['tools'] ?? input['name'];
    const names = (Array.isArray(given) ? (given as unknown[]) : [given]).filter((name) => typeof name === 'string');
    if (names.length === 0)
      throw new AppError('bad_request', 'No tool is named.', { fix: 'Give their names as "tools".' });
    const { found, missing } = await namedTools(context, names);
    const absent =
      missing.length === 0
        ? []
        : [`Tools not found: ${missing.map(({ name }) => name).join(', ')}`, ...missing.map(({ why }) => why)];
    const known = found.length === 0 ? [] : [toolTexts(found, readDetail(input['detail'], 'detailed'))];
    return {
      content: [{ type: 'text', text: [...known, ...absent].join('\n\n') }],
      ...(found.length === 0 && { isError: true }),
    };
  },
};
