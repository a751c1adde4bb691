/** Op stat: how big a file is. */
import type { ResultAnswer } from '../result-files.ts';
import type { LineIndex } from './line-index.ts';
import type { ReadTarget } from './reader-messages.ts';

/** `index` is missing for what has no lines. */
export function describeFile({ file, kind, bytes }: ReadTarget, index: LineIndex | undefined): ResultAnswer {
  const lines = index === undefined ? `Kind: ${kind}, no text` : `Lines: ${index.totalLines}`;
  const text = `File: ${file}\nSize: ${bytes} bytes\n${lines}`;
  const fields = {
    byteSize: bytes,
    ...(index !== undefined && { lineCount: index.totalLines, estimatedTokens: Math.ceil(bytes / 4) }),
  };
  return { text, fields, truncated: false };
}
