/** Entry of the thread that owns activity databases, one per file of its process. */
import { parentPort } from 'node:worker_threads';
import { type ActivityReply, type ActivityRequest, toFailure } from '../activity-messages.ts';
import { type QuestionContext, questions } from './questions.ts';
import { Recorder } from './recorder.ts';
import { TokenCounts } from './token-counts.ts';

const recorders = new Map<string, Recorder>();
const counts = new TokenCounts();

parentPort?.on('message', (request: ActivityRequest) => void handle(request));

async function handle(request: ActivityRequest): Promise<void> {
  const { number } = request;
  try {
    if (request.kind === 'events') recorderOf(request).take(request.events, () => reply({ number }));
    else if (request.kind === 'ask') reply({ number, value: await ask(request) });
    else {
      close(request);
      reply({ number });
    }
  } catch (error) {
    reply({ number, failure: toFailure(error) });
  }
}

function recorderOf(request: ActivityRequest): Recorder {
  const { file } = request;
  let recorder = recorders.get(file);
  if (recorder === undefined) recorders.set(file, (recorder = new Recorder(request, counts, reply)));
  recorder.file = request;
  return recorder;
}

function ask(request: Extract<ActivityRequest, { kind: 'ask' }>): unknown {
  const question = (questions as Readonly<Record<string, unknown>>)[request.name];
  const context: QuestionContext = { recorder: recorderOf(request), counts };
  return (question as (context: QuestionContext, ...args: readonly unknown[]) => unknown)(context, ...request.args);
}

function close(request: Extract<ActivityRequest, { kind: 'close' }>): void {
  const recorder = recorders.get(request.file) ?? (request.forget ? recorderOf(request) : undefined);
  recorders.delete(request.file);
  recorder?.close(request.forget);
}

function reply(message: ActivityReply): void {
  parentPort?.postMessage(message);
}
