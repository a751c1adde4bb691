/** What a shaped answer says of its spill in `_meta`, for helper tools of ours and for client apps that want more than prose. */
import { isObject, type JsonObject } from '../base/json.ts';
import type { KeptAnswer, KeptPart, SpillKind } from './spill.ts';
import type { TopOfData } from './toon-result.ts';

export const spillKey = 'tooltray/spill';

export interface PartFacts {
  readonly id: string;
  /** Absolute path. */
  readonly file: string;
  readonly uri: string;
  readonly kind: SpillKind;
  readonly mimeType: string;
  readonly bytes: number;
  readonly tokens: number;
  readonly lines?: number;
  readonly topLevelKeys?: readonly string[];
  readonly elements?: number;
  readonly shape: readonly string[];
  readonly head: string;
  readonly tail: string;
}

export interface SpillFacts {
  /** The threshold in bytes that was passed; absent where the file was asked for. */
  readonly exceeded?: number;
  /** Its payload; where the app's own limit was passed, the whole message, which that limit is about. */
  readonly resultBytes: number;
  readonly resultTokens: number;
  readonly parts: readonly PartFacts[];
}

/** Of a class of their own: what a server writes under the same key is never taken for ours. */
class OwnFacts {}

export function spillUri(id: string): string {
  return `tooltray://spill/${id}`;
}

export interface SpillMeasures {
  readonly exceeded: number | undefined;
  readonly bytes: number;
  /** Of the main part, where its text does not show what it holds. */
  readonly top?: TopOfData | undefined;
}

export function spillFacts(kept: KeptAnswer, { exceeded, bytes, top }: SpillMeasures): SpillFacts {
  return Object.assign(new OwnFacts(), {
    ...(exceeded !== undefined && { exceeded }),
    resultBytes: bytes,
    resultTokens: kept.resultTokens,
    parts: kept.parts.map((part, at) => ({ ...partFacts(part), ...(at === 0 && top) })),
  });
}

/** Of an answer that came out of the pipeline; undefined where nothing was spilled. */
export function readSpillFacts(result: JsonObject): SpillFacts | undefined {
  const meta = result['_meta'];
  const facts = isObject(meta) ? meta[spillKey] : undefined;
  return facts instanceof OwnFacts ? (facts as SpillFacts) : undefined;
}

function partFacts({ spill, summary }: KeptPart): PartFacts {
  const { id, file, kind, mimeType, bytes, tokens, lines } = spill;
  return {
    id,
    file,
    uri: spillUri(id),
    kind,
    mimeType,
    bytes,
    tokens,
    ...(lines !== undefined && { lines }),
    ...summary,
  };
}
