/** Answers of built-in tools: texts, and failures as results that a model can act on. */
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import { errorText } from '../../base/errors.ts';

export const readOnly: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/** One content block per text; empty notes are left out. */
export function textAnswer(text: string, ...notes: readonly string[]): CallToolResult {
  const texts = [text, ...notes.filter((note) => note !== '')];
  return { content: texts.map((each) => ({ type: 'text', text: each })) };
}

/** Runs a tool; whatever it throws becomes an `isError` answer that holds the fix too (the SDK would drop it). */
export async function answer(run: () => CallToolResult | Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await run();
  } catch (error) {
    return { ...textAnswer(errorText(error)), isError: true };
  }
}
