/** Manual runs whose server sends a request and does not wait for the result. */
import { expect, test } from 'vitest';
import { ManualRun } from '../../../src-main/core/calls/manual-runs.ts';
import type { CallStages } from '../../../src-main/core/calls/call-tool.ts';
import type { CatalogEntry } from '../../../src-main/core/catalog/catalog.ts';

const tool: CatalogEntry = { id: 'git:clone', server: 'git', name: 'clone', listedName: 'git_clone', definition: {} };

test('rejects an open question when the run ends, so that the server need not wait', async () => {
  const run = new ManualRun('run-1', { server: 'git', tool: 'clone', arguments: {} }, tool, 'you');
  let told: Promise<string> | undefined;
  const steps: CallStages = {
    resolve: () => tool,
    allow: () => undefined,
    check: async (_tool, request) => request.arguments,
    release: (_tool, args) => ({ args }),
    call: async (_tool, _params, _request, { askClient }) => {
      const asked = askClient('elicitation/create', { message: 'Who?' }, new AbortController().signal);
      told = asked.then(String, (error: Error) => error.message);
      return { content: [] };
    },
    shape: (result) => ({ result, limit: undefined }),
    record: () => undefined,
  };
  await run.execute({ steps, version: '1' });
  expect([await told, run.openRequests]).toEqual(['The request is no longer waiting for a response.', []]);
});
