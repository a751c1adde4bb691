/**
 * The thread in which a page's own text is searched and asked: it can be ended in the middle of a pattern that never
 * would.
 */
import { answerText, type TextQuestion } from './text-questions.ts';

addEventListener('message', ({ data }: MessageEvent<TextQuestion>) => postMessage(answerText(data)));
