/** Op stat: how big a file is. */
import type { ResultAnswer } from '../result-files.ts';
import type { LineIndex } from './line-index.ts';
import type { ReadTarget } from './reader-messages.ts';

/** `index` is missing for what has no lines. */
export function describeFile({ file, kind, bytes }: ReadTarget, index: LineIndex | undefined): ResultAnswer {
  const tokens = Math.ceil(bytes / 4);
  const size = `Size: ${bytes} bytes`;
  if (index === undefined) {
    const text = `File: ${file}\n${size}\nKind: ${kind}, no text`;
    return { text, fields: { byteSize: bytes }, truncated: false };
  }
  const text = `File: ${file}\n${size} (~${tokens} tokens)\nLines: ${index.totalLines}`;
  const fields = { byteSize: bytes, lineCount: index.totalLines, estimatedTokens: tokens };
  return { text, fields, truncated: false };
}
