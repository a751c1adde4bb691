/**
 * A text that the page has in full. Operations that may take long, such as regular expressions and paths, run in a
 * worker that can be terminated.
 */
import { toFailure } from '../../lib/api.ts';
import type { AnswerSource } from './result-source.ts';
import type { SaidPart } from './said-parts.ts';
import type { TextAnswer, TextQuestion } from './text-questions.ts';

/** Longer lines are truncated on screen, as the core truncates those of spilled results. */
const maxLineLength = 4000;

export interface PageText {
  readonly name: string;
  readonly kind: 'text' | 'json';
  readonly mimeType: string;
  /** Split into lines. */
  readonly text: string;
  /** Original text, if it is formatted differently. */
  readonly original?: string;
}

export function textSource({ name, kind, mimeType, text, original = text }: PageText): AnswerSource {
  const lines = text.split('\n');
  return {
    name,
    kind,
    mimeType,
    bytes: text.length,
    lines: lines.length,
    whole: async () => new Blob([original], { type: mimeType }),
    readLines: async (fromLine, count) => {
      const wanted = lines.slice(fromLine - 1, fromLine - 1 + count);
      const cut = wanted.flatMap((line, at) => (line.length > maxLineLength ? [fromLine + at] : []));
      return { fromLine, lines: wanted.map((line) => line.slice(0, maxLineLength)), totalLines: lines.length, cut };
    },
    find: async (pattern, signal) => {
      const answer = await askThread({ op: 'find', text, pattern }, signal);
      return answer.op === 'find' ? answer : unanswered();
    },
    query: async (path, signal) => {
      const answer = await askThread({ op: 'query', text, path }, signal);
      return answer.op === 'query' ? answer : unanswered();
    },
  };
}

/** Each request has its own worker, which ends with it. */
function askThread(question: TextQuestion, signal: AbortSignal): Promise<TextAnswer> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('text-worker.ts', import.meta.url), { type: 'module' });
  const answer = new Promise<TextAnswer>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    worker.addEventListener('message', ({ data }: MessageEvent<TextAnswer>) => {
      if (data.op === 'failed') reject(new Error(data.message));
      else resolve(data);
    });
    worker.addEventListener('error', (event) => {
      reject(new Error(toFailure(event.message === '' ? 'Search failed.' : event.message).message));
    });
    worker.postMessage(question);
  });
  return answer.finally(() => worker.terminate());
}

function unanswered(): never {
  throw new Error('Search failed.');
}

/** One part of a payload as a separate source. */
export function partSource({ kind, mimeType, text, original }: SaidPart, name: string): AnswerSource {
  if (kind === 'text' || kind === 'json') return textSource({ name, kind, mimeType, text, original });
  return mediaSource({ name, kind, mimeType, base64: text });
}

function mediaSource({
  name,
  kind,
  mimeType,
  base64,
}: {
  name: string;
  kind: AnswerSource['kind'];
  mimeType: string;
  base64: string;
}): AnswerSource {
  const noText = (): Promise<never> => Promise.reject(new Error('This is not text.'));
  return {
    name,
    kind,
    mimeType,
    lines: undefined,
    readLines: noText,
    find: noText,
    query: noText,
    bytes: Math.floor((base64.length * 3) / 4),
    whole: async () => new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], { type: mimeType }),
  };
}
