/** What a caller wants of a long answer, and what is said of one that the pipeline has kept on disk. */
import { isObject, type JsonObject } from '../../base/json.ts';
import type { SpillWish } from '../../calls/call-tool.ts';
import { readSpillFacts } from '../../results/spill-facts.ts';
import { readCount, readFlag } from './read-input.ts';
import { spilledText } from './spilled-text.ts';

export interface SpilledResult {
  readonly facts: JsonObject;
  /** undefined: it is to be told as it is. */
  readonly text: string | undefined;
  /** What the pipeline gives beside the text of its own: links, small texts, pictures. */
  readonly blocks: readonly unknown[];
}

/** To be read before the tool is called. Throws AppError bad_request. */
export function readSpillWish(input: JsonObject): SpillWish {
  const toFile = readFlag(input, 'resultToFile', false);
  const threshold = readCount(input, 'resultSizeThreshold', 0);
  return { ...(toFile && { toFile }), ...(threshold !== undefined && { threshold }) };
}

export function readSpilled(result: JsonObject): SpilledResult {
  const kept = readSpillFacts(result);
  if (kept === undefined) return { facts: whyNotKept(result), text: undefined, blocks: [] };
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const [main] = kept.parts;
  const facts = {
    resultFormat: main?.kind === 'toon' ? 'toon' : 'json',
    resultFile: main?.file,
    ...(kept.exceeded !== undefined && { autoSpilled: true }),
  };
  return { facts, text: spilledText(kept), blocks: content.slice(1) };
}

/** The tool has done its work: when the file cannot be written, its answer is not lost but told. */
function whyNotKept({ _meta: meta }: JsonObject): JsonObject {
  const notKept = isObject(meta) ? meta['tooltray/notKept'] : undefined;
  return notKept === undefined ? {} : { notKept };
}
