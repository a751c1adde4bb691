/** Entry of the worker thread that counts tokens: a list of texts in, the sum of their tokens out. */
import { parentPort } from 'node:worker_threads';
import { countTokens } from './count-tokens.ts';

export interface CountQuestion {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface CountAnswer {
  readonly id: number;
  readonly tokens: number;
}

parentPort?.on('message', ({ id, texts }: CountQuestion) => {
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  parentPort?.postMessage({ id, tokens } satisfies CountAnswer);
});
