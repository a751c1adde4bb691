/** Entry of the process that answers one question about a lot of data, of a file that it was given open. */
import { newSteps, type ReadRequest } from './reader-messages.ts';
import { replyTo } from './reply-to.ts';

process.once('message', (request: Omit<ReadRequest, 'steps'>) => {
  process.send?.(replyTo({ ...request, steps: newSteps() }), () => process.exit());
});
process.once('disconnect', () => process.exit());
