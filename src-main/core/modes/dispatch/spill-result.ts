/** Writes a tool's answer to a file where the caller wants one, or where it is too long to be told. */
import { AppError, errorText } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ResultFiles } from '../../results/result-files.ts';
import { readCount, readFlag } from './read-input.ts';
import { spilledText } from './spilled-text.ts';

export interface SpillWish {
  readonly toFile: boolean;
  /** In bytes (UTF-8); 0: never. */
  readonly threshold: number;
}

export interface SpilledResult {
  readonly facts: JsonObject;
  /** undefined: it is to be told as it is. */
  readonly text: string | undefined;
}

/** To be read before the tool is called. Throws AppError bad_request, or unsupported where no file can be had. */
export function readSpillWish(input: JsonObject, files: ResultFiles): SpillWish {
  const toFile = readFlag(input, 'resultToFile', false);
  if (toFile) files.check();
  // 0 stands for the threshold of all calls, as mini-a has it.
  return { toFile, threshold: readCount(input, 'resultSizeThreshold', 0) || files.threshold };
}

/** The tool has done its work: when the file cannot be written, its answer is not lost but told. */
export async function spillResult(
  value: unknown,
  text: string,
  { toFile, threshold }: SpillWish,
  files: ResultFiles,
): Promise<SpilledResult> {
  const isTooLong = threshold > 0 && Buffer.byteLength(text) > threshold;
  if (!toFile && !isTooLong) return { facts: {}, text: undefined };
  try {
    const kept = await files.keep(value);
    const facts = { resultFile: kept.file, ...(!toFile && { autoSpilled: true }) };
    return { facts, text: spilledText(kept, value, text, toFile ? undefined : threshold) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { facts: { notKept: errorText(error) }, text: undefined };
  }
}
