/** Previews the result that each mode would return to a model, with the pipeline's own shaping, once per mode. */
import { codeToolNames } from '../activity/ledger/attribute-result.ts';
import type { Ledger } from '../activity/ledger/ledger.ts';
import type { SpilledResult } from '../spills/spill.ts';
import { isToonResult } from '../spills/toon.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { CallerContext, CallRequest } from './call-tool.ts';
import type { ResultShaper } from './shape-result.ts';
import { parseSpillInfo } from '../spills/spill.ts';

export interface ModePreview {
  /** Modes that return the same result. */
  readonly modes: readonly string[];
  /** `program`: a program reads the whole result, and the model reads what it prints. */
  readonly kind: 'whole' | 'toon' | 'kept' | 'program';
  /** Size of the content in bytes, duplicates counted once, as in every record. */
  readonly bytes: number;
  /** Counted as in every call record. */
  readonly tokens: number;
  readonly estimated: boolean;
  /** Its beginning. */
  readonly text: string;
  readonly cut: boolean;
}

interface Answered {
  readonly result: Result;
  readonly tool: CatalogEntry;
  readonly request: CallRequest;
  readonly context: CallerContext;
}

/** Longest text that is shown, in characters. */
const maxPreviewLength = 16_384;

type Keep = Parameters<ResultShaper['withSpill']>[0];

interface GivingParts {
  readonly shaper: ResultShaper;
  readonly keep: Keep;
  readonly ledger: Pick<Ledger, 'count'>;
}

/** Spills a large result once for all modes, and counts equal results once. */
export async function previewByMode(
  { result, tool, request, context }: Answered,
  modes: readonly string[],
  { shaper, keep, ledger }: GivingParts,
): Promise<readonly ModePreview[]> {
  const spilled = new Map<string, Promise<SpilledResult>>();
  const keepOnce: Keep = (answer, origin, textKind, ...more) => {
    const known = spilled.get(textKind) ?? keep(answer, origin, textKind, ...more);
    spilled.set(textKind, known);
    return known;
  };
  const once = shaper.withSpill(keepOnce);
  const found = new Map<string, Given>();
  for (const mode of modes) {
    const via = mode === 'code' ? [...codeToolNames][0] : undefined;
    const modeRequest = { ...request, spill: undefined, via };
    const { result: given } = await once.shape(result, tool, modeRequest, { ...context, mode, lists: undefined });
    const row = rowOf(given, await shaper.payloadBytes(given), mode, via);
    const key = `${row.kind}\n${row.bytes}\n${row.text}`;
    const alike = found.get(key);
    found.set(key, alike === undefined ? row : { ...alike, modes: [...alike.modes, mode] });
  }
  return Promise.all(
    [...found.values()].map(async ({ given, ...row }) => ({ ...row, ...(await ledger.count(given)) })),
  );
}

type Given = Omit<ModePreview, 'tokens' | 'estimated'> & { readonly given: Result };

function rowOf(given: Result, bytes: number, mode: string, via: string | undefined): Given {
  const text = given instanceof RawJson ? beginningOf(given) : JSON.stringify(given);
  const kind = kindOf(given, via);
  const shown = kind === 'program' ? '' : text.slice(0, maxPreviewLength);
  const cut = kind !== 'program' && text.length > maxPreviewLength;
  return { modes: [mode], kind, bytes, text: shown, cut, given };
}

/** A large result is not parsed here: a little more than is shown of it. */
function beginningOf({ chunks }: RawJson): string {
  const length = (maxPreviewLength + 1) * 4;
  const parts: Buffer[] = [];
  for (let used = 0, at = 0; used < length && at < chunks.length; used += chunks[at++]?.length ?? 0)
    parts.push((chunks[at] as Buffer).subarray(0, length - used));
  return Buffer.concat(parts).toString('utf8');
}

function kindOf(returned: Result, via: string | undefined): ModePreview['kind'] {
  if (via !== undefined) return 'program';
  if (returned instanceof RawJson) return 'whole';
  if (parseSpillInfo(returned) !== undefined) return 'kept';
  return isToonResult(returned) ? 'toon' : 'whole';
}
