/** Entry of the worker thread that counts tokens: lists of texts in, the sum of the tokens of each list out. */
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

parentPort?.on('message', (questions: readonly CountQuestion[]) => {
  const answers = questions.map(({ id, texts }): CountAnswer => {
    return { id, tokens: texts.reduce((sum, text) => sum + countTokens(text), 0) };
  });
  parentPort?.postMessage(answers);
});
