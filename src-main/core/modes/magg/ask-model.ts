/** Has the client app's own model think about something, where the app lets servers do so (`sampling/createMessage`). */
import { AppError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { toObject } from '../../wire/raw-json.ts';
import type { HelperContext } from '../mode.ts';

/** For an answer of a page. */
const longestAnswer = 2000;

export const noSampling = 'This app does not let servers ask its model (sampling).';

/** What it answers. Throws AppError unsupported where the app has no sampling; rejects as the app does, with the person's no. */
export async function askModel(prompt: string, { askClient, canSample, signal }: HelperContext): Promise<string> {
  if (!canSample) throw new AppError('unsupported', noSampling);
  const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
  const result = toObject(await askClient('sampling/createMessage', { messages, maxTokens: longestAnswer }, signal));
  const { content } = result;
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  const texts = blocks.flatMap((block) =>
    isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  if (texts.length > 0) return texts.join('\n');
  throw new AppError('call_failed', "The app's model answered without a text.");
}
