/**
 * Examines the arguments of a call that sends: its destinations, who named them first, and whether they contain keys
 * or cards. Decides nothing.
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

/** Something about a call that the user may want to approve. */
export type DataFlowFinding =
  /** The call sends to a destination that only a result named. */
  | { readonly why: 'read'; readonly to: Destination; readonly source: Source }
  /** The session's memory is incomplete, so it is unknown who named the destination. */
  | { readonly why: 'unsure'; readonly to: Destination }
  | { readonly why: 'secret'; readonly kind: SensitiveKind };

/** The key under which a decision about a finding is stored. */
export function decisionKey(finding: DataFlowFinding): string {
  if (finding.why === 'secret') return `secret ${finding.kind}`;
  return finding.to.isLink === true ? `link ${finding.to.key}` : finding.to.key;
}

/** Maximum number of characters of a text that are examined: half at its beginning, half at its end. */
const maxTextLength = 100_000;
const maxDestinations = 50;

/** The parts of a call to examine; independent of the session's memory. */
export interface CallInspection {
  readonly texts: readonly ArgumentText[];
  readonly destinations: readonly Destination[];
}

export function inspectCall(roles: ToolRoles, args: JsonObject | undefined): CallInspection {
  const texts = argumentTexts(args).map(({ keys, text }) => ({ keys, text: shortened(text) }));
  return { texts, destinations: sendsTo(texts, roles) };
}

/** `origins`: one per destination, in order. */
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

/** Distinct destinations; the addresses of the call before links in its texts. */
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
 * Whether a fetch is harmless: the address was named as a whole by a page or file, so it carries no data. An address
 * named by a message is not, because its author may wait for the request; nor is a link in a sent text.
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
