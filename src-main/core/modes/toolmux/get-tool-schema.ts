/** `get_tool_schema`: the whole description and schema of a tool, or of several. */
import type { JsonObject } from '../../base/json.ts';
import { errorText } from '../../base/errors.ts';
import { readServerName, readToolName } from '../../calls/read-arguments.ts';
import { usableSchema } from '../../catalog/catalog.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { callableName } from './callable-name.ts';
import { dataError, dataResult } from './data-result.ts';
import { findTool } from './find-tool.ts';
import { fullText } from './tool-texts.ts';

export const getToolSchema: HelperTool = {
  definition: {
    name: 'get_tool_schema',
    description: 'Schema of a tool.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    annotations: { readOnlyHint: true },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(input, context) {
    const several = namesIn(input);
    if (several !== undefined) {
      return dataResult(await Promise.all(several.map((name) => entryOrError(name, undefined, context))));
    }
    const { error, ...entry } = await entryOrError(readToolName(input), readServerName(input), context);
    return typeof error === 'string' ? dataError(error) : dataResult(entry);
  },
};

/** The plural form, as the `get_schema` of code mode has it. */
function namesIn({ tools }: JsonObject): string[] | undefined {
  return Array.isArray(tools) ? tools.filter((name) => typeof name === 'string') : undefined;
}

async function entryOrError(name: string, server: string | undefined, context: HelperContext): Promise<JsonObject> {
  try {
    const tool = await findTool(name, server, context);
    return {
      name: callableName(tool, context.catalog),
      server: tool.server,
      description: fullText(tool),
      input_schema: usableSchema(tool.definition),
    };
  } catch (error) {
    return { error: errorText(error) };
  }
}
