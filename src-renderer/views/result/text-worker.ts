/**
 * The worker that searches and queries a text of the page: it can be terminated during a regular expression that would
 * not end.
 */
import { answerText, type TextQuestion } from './text-questions.ts';

addEventListener('message', ({ data }: MessageEvent<TextQuestion>) => postMessage(answerText(data)));
