/** What a person runs by hand, where its server asks and does not wait for the answer. */
import { expect, test } from 'vitest';
import { ManualRun } from '../../../src-main/core/calls/manual-runs.ts';
import type { CallStages } from '../../../src-main/core/calls/call-tool.ts';
import type { CatalogEntry } from '../../../src-main/core/catalog/catalog.ts';

const tool: CatalogEntry = { id: 'git:clone', server: 'git', name: 'clone', listedName: 'git_clone', definition: {} };

test('a question that is open when the run ends is answered: the server need not wait for the person any longer', async () => {
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
  expect([await told, run.openRequests]).toEqual(['Nobody waits for the answer any more.', []]);
});
