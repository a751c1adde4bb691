/** Scans definitions that the user has not accepted yet. */
import type { JsonObject } from '../../base/json.ts';
import { TimeSlices } from '../../base/scheduling/time-slices.ts';
import type { ScanFinding } from '../scan/scan-finding.ts';
import type { DefinitionKind } from '../scan/definition-texts.ts';
import { scanDefinition } from '../scan/scan.ts';
import { pinKindOf } from './pinned-definitions.ts';
import type { PinKey, PinnedKind } from './pin-store.ts';

/** How the scanner classifies each kind of definition. */
export const scannedAs: Readonly<Record<PinnedKind, DefinitionKind>> = {
  introduction: 'instructions',
  tool: 'tool',
  prompt: 'prompt',
  template: 'resourceTemplate',
  skill: 'prompt',
  view: 'resource',
};

interface Looked {
  readonly key: PinKey;
  readonly kind: PinnedKind;
  readonly before?: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

/** Returns the findings by definition; for accepted definitions only new findings. Yields to other work in between. */
export async function scanChanges(looked: readonly Looked[]): Promise<ReadonlyMap<PinKey, readonly ScanFinding[]>> {
  const found = new Map<PinKey, readonly ScanFinding[]>();
  const slices = new TimeSlices();
  for (const { key, kind, before, after } of looked) {
    const findings = newFindings(kind, before, after);
    if (findings.length > 0) found.set(key, findings);
    await slices.next();
  }
  return found;
}

/** Excludes suspicious definitions when a whole server is accepted: each needs its own approval. */
export async function withoutSuspicious(
  offered: ReadonlyMap<PinKey, JsonObject>,
): Promise<ReadonlyMap<PinKey, JsonObject>> {
  const looked = [...offered].map(([key, after]) => ({ key, kind: pinKindOf(key), after }));
  const found = await scanChanges(looked);
  return new Map([...offered].filter(([key]) => found.get(key)?.some(({ tier }) => tier === 'block') !== true));
}

function newFindings(
  kind: PinnedKind,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): readonly ScanFinding[] {
  const { findings } = scanDefinition(after ?? {}, scannedAs[kind]);
  if (findings.length === 0 || before === undefined) return findings;
  const known = new Set(scanDefinition(before, scannedAs[kind]).findings.map(({ rule, words }) => `${rule} ${words}`));
  return findings.filter(({ rule, words }) => !known.has(`${rule} ${words}`));
}
