/** Action `readresult`, and the tools named after its ops: parts of an answer that was kept on disk. */
import type { JsonObject } from '../../base/json.ts';
import { type ReadContext, readSpill, type SpillOp } from '../../modes/read-spill.ts';
import { envelope, estimateTokens } from './answers.ts';

/** `asked`: the op where the tool's name has said it. Rejects with AppError. */
export async function readResult(input: JsonObject, context: ReadContext, asked?: SpillOp): Promise<JsonObject> {
  const { op, resultFile, text, fields, truncated } = await readSpill(input, context, asked);
  const facts = {
    action: 'readresult',
    op,
    resultFile,
    estimatedTokens: estimateTokens(text),
    ...fields,
    ...(truncated && { truncated }),
  };
  return envelope(facts, text);
}
