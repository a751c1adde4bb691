/**
 * Examines the arguments of a call that sends: where they go, who named that first, whether keys or cards are in them.
 * Decides nothing.
 */
import type { JsonObject } from '../../base/json.ts';
import { decodeOneLayer, mayBeEncoded } from './decode-layer.ts';
import {
  type ArgumentText,
  argumentTexts,
  type Destination,
  destinationsIn,
  linksIn,
  parseDestination,
} from './destinations.ts';
import { type SensitiveKind, findSensitive } from './sensitive-data.ts';
import type { Source } from './readable-lines.ts';
import type { Provenance, SessionProvenance } from './session-provenance.ts';
import { destinationKey, type ToolRoles } from './tool-roles.ts';

/** Something about a call that the user may want to be asked about. */
export type DataFlowFinding =
  /** It goes to a destination that only a result named. */
  | { readonly why: 'read'; readonly to: Destination; readonly source: Source }
  /** More was read than the session remembers, so who named the destination is unknown. */
  | { readonly why: 'unsure'; readonly to: Destination }
  | { readonly why: 'secret'; readonly kind: SensitiveKind };

/** The key under which a decision about a finding is stored. */
export function decisionKey(finding: DataFlowFinding): string {
  if (finding.why === 'secret') return `secret ${finding.kind}`;
  return finding.to.isLink === true ? `link ${finding.to.key}` : finding.to.key;
}

/** Characters of one text that are examined: half of them at its beginning, half at its end. */
const maxTextLength = 100_000;
const maxDestinations = 50;

/** The parts of a call to examine; needs no memory. */
export interface CallInspection {
  readonly texts: readonly ArgumentText[];
  readonly destinations: readonly Destination[];
}

export function inspectCall(roles: ToolRoles, args: JsonObject | undefined): CallInspection {
  const texts = argumentTexts(args).map(({ keys, text }) => ({ keys, text: shortened(text) }));
  return { texts, destinations: sendsTo(texts, roles) };
}

/** `origins`: one for each destination, in their order. */
export function evaluateCall(
  { texts, destinations }: CallInspection,
  origins: readonly Provenance[],
  roles: ToolRoles,
  memory: SessionProvenance,
): readonly DataFlowFinding[] {
  const findings: DataFlowFinding[] = [];
  for (const [at, to] of destinations.entries()) {
    const origin = origins[at];
    if (origin?.kind === 'read') {
      if (!isHarmless(to, origin.source, roles, texts, memory))
        findings.push({ why: 'read', to, source: origin.source });
    } else if (origin?.kind === 'unknown' && to.isLink !== true) findings.push({ why: 'unsure', to });
  }
  const kinds = new Set(texts.flatMap(({ text }) => findSensitive(text).map(({ kind }) => kind)));
  return [...findings, ...[...kinds].map((kind) => ({ why: 'secret', kind }) as const)];
}

/** Each destination once; those the call is sent to before links in what it says. */
function sendsTo(texts: readonly ArgumentText[], roles: ToolRoles): readonly Destination[] {
  const found = texts.flatMap(({ keys, text }) => {
    const key = destinationKey(keys);
    const own = roles.runs
      ? destinationsIn(text, false)
      : key === undefined
        ? parseDestination(text)
        : destinationsIn(text, key === 'recipient' && roles.messages);
    const hidden = mayBeEncoded(text) ? decodeOneLayer(text).flatMap((decoded) => destinationsIn(decoded, false)) : [];
    return [...own, ...hidden, ...(own.length === 0 || key === undefined ? linksIn(text) : [])];
  });
  if (found.length < 2) return found;
  const byKey = new Map<string, Destination>();
  for (const to of found.sort((one, other) => Number(one.isLink === true) - Number(other.isLink === true))) {
    if (!byKey.has(to.key)) byKey.set(to.key, to);
  }
  return [...byKey.values()].slice(0, maxDestinations);
}

/**
 * A page that is fetched just as a page or a file named it takes nothing along; one that a message names may wait for
 * just that, and what it says is read. A link in what is sent is not fetched here.
 */
function isHarmless(
  { url, isLink }: Destination,
  source: Source,
  { fetches }: ToolRoles,
  texts: readonly ArgumentText[],
  memory: SessionProvenance,
): boolean {
  if (isLink === true || url === undefined || !fetches || source.messages || !memory.hasUrl(url)) return false;
  const beside = texts.filter(({ keys }) => destinationKey(keys) === undefined);
  return beside.reduce((sum, { text }) => sum + text.length, 0) <= 120 && beside.every(({ text }) => text.length <= 40);
}

function shortened(text: string): string {
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength / 2)}\n${text.slice(-maxTextLength / 2)}`;
}
