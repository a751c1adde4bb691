/** Entry of the worker thread that writes long answers into files: bytes of a result in, a list of parts out. */
import { parentPort } from 'node:worker_threads';
import { AnswerDraft } from './answer-draft.ts';
import { AnswerTooLarge } from './json-bytes.ts';
import { DraftPlace } from './part-draft.ts';
import type { FromKeepWorker, KeepJob, ToKeepWorker } from '../messages.ts';

/** Shorter parts are handed over instead of written: few are long, and what is dropped again need not be written. */
const longestInMemory = 256 * 1024;

interface Work {
  readonly place: DraftPlace;
  readonly draft: AnswerDraft;
  failed: boolean;
}

let work: Work | undefined;

parentPort?.on('message', (message: ToKeepWorker) => {
  if (message.kind === 'begin') work = begin(message.job);
  else if (work !== undefined) advance(work, message);
});

function begin({ stem, mostBytes, textKind }: KeepJob): Work {
  const place = new DraftPlace(stem, mostBytes, longestInMemory);
  return { place, draft: new AnswerDraft(place, textKind), failed: false };
}

function advance(current: Work, message: Exclude<ToKeepWorker, { kind: 'begin' }>): void {
  try {
    if (!current.failed) answer(current, message);
  } catch (error) {
    current.failed = true;
    current.place.clear();
    const code = error instanceof AnswerTooLarge ? 'too_large' : ((error as NodeJS.ErrnoException).code ?? '');
    tell({ kind: 'failed', code, message: error instanceof Error ? error.message : String(error) });
  }
  if (message.kind === 'bytes') {
    const { bytes } = message;
    parentPort?.postMessage({ kind: 'taken', bytes } satisfies FromKeepWorker, [bytes.buffer]);
  }
}

function answer({ draft }: Work, message: Exclude<ToKeepWorker, { kind: 'begin' }>): void {
  if (message.kind === 'bytes') {
    draft.push(message.bytes.subarray(0, message.length));
    return;
  }
  const drafted = draft.end();
  tell(drafted === undefined ? { kind: 'again' } : { kind: 'kept', answer: drafted });
}

function tell(message: FromKeepWorker): void {
  parentPort?.postMessage(message);
}
