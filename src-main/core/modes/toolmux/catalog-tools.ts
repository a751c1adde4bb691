/** `catalog_tools`: every tool with its server, one line and the names of its parameters. */
import { usableSchema } from '../../catalog/catalog.ts';
import { parametersText } from '../../condense/signature.ts';
import type { HelperTool } from '../mode.ts';
import { callableName } from './callable-name.ts';
import { dataResult } from './data-result.ts';
import { withMissing } from '../missing-servers.ts';
import { parameterNames, shortText } from './tool-texts.ts';

export const catalogTools: HelperTool = {
  definition: {
    name: 'catalog_tools',
    description: 'Tools with parameter names.',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(_input, context) {
    await context.settled();
    const shown = context.catalog.tools.map((tool) => {
      const parameters = parameterNames(tool);
      const sig = parametersText(usableSchema(tool.definition));
      return {
        name: callableName(tool, context.catalog),
        server: tool.server,
        description: shortText(tool, context),
        parameters,
        // Where names alone are not enough to call it: which may be left out, and what is no text.
        ...(sig !== parameters.join(', ') && { sig: `(${sig})` }),
      };
    });
    return withMissing(dataResult(shown), context.finder.missingServers());
  },
};
