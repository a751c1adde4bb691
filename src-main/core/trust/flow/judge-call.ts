/** Looks at the arguments of a call that sends: where they go, where that came from, what goes along. Decides nothing. */
import type { JsonObject } from '../../base/json.ts';
import { decodedOnce, mayHide, rotated } from './decode.ts';
import {
  type ArgumentText,
  argumentTexts,
  type Destination,
  destinationsIn,
  linksIn,
  wholeDestination,
} from './destinations.ts';
import { type SensitiveKind, sensitiveIn } from './sensitive.ts';
import type { SessionMemory, Source } from './session-memory.ts';
import { destinationKey, type FlowTool, type ToolRoles } from './tool-roles.ts';

/** Something about a call that a person may want to be asked about. */
export type Finding =
  /** It goes to where nobody but an answer named. */
  | { readonly why: 'read'; readonly to: Destination; readonly source: Source }
  /** More was read than could be looked through, so where this came from cannot be told. */
  | { readonly why: 'unsure'; readonly to: Destination }
  /** Private data goes to an address that was new in this session. */
  | { readonly why: 'private'; readonly to: Destination }
  | { readonly why: 'secret'; readonly kind: SensitiveKind };

export interface Judgement {
  readonly findings: readonly Finding[];
  /** Addresses that were new, and what goes there: the next call may bring the rest. */
  readonly carried: readonly { readonly key: string; readonly text: string }[];
}

/** Under which a decision on it is kept. */
export function decisionKey(finding: Finding): string {
  if (finding.why === 'secret') return `secret ${finding.kind}`;
  return finding.to.isLink === true ? `link ${finding.to.key}` : finding.to.key;
}

/** Of one text, in characters; of a longer one its beginning and its end are looked at. */
const longestText = 100_000;
const mostDestinations = 50;
/** Runs of words, or codes of two each, that are no chance. */
const leastPrivate = 2;

/** What of a call is looked at; asks no memory. */
export interface Look {
  readonly texts: readonly ArgumentText[];
  readonly destinations: readonly Destination[];
  /** What the texts say under one layer of encoding, also put together. */
  readonly hidden: readonly string[];
}

export function lookAtCall(roles: ToolRoles, args: JsonObject | undefined): Look {
  const texts = argumentTexts(args).map(({ keys, text }) => ({ keys, text: shortened(text) }));
  const all = texts.map(({ text }) => text);
  // Pieces of one encoding in several arguments.
  const written = all.length > 1 ? [all.join('\n'), all.join('')] : all;
  const hides = written.some(mayHide);
  return { texts, destinations: sendsTo(texts, roles, hides), hidden: hides ? written.flatMap(decodedOnce) : [] };
}

/**
 * Whether the call can be judged before all that waits is read: what is known of where something came from first does not change. Nothing is
 * compared with private data but what goes to an address, and what is encoded.
 */
export function isJudgedAtOnce({ destinations, hidden }: Look, memory: SessionMemory, server: string): boolean {
  return destinations.every((to) => {
    const known = memory.knownOrigin(to, server);
    return known === 'told' || (known === 'late' && to.kind !== 'site' && hidden.length === 0);
  });
}

/** `sentBefore`: what went to an address that was new, joined. */
export function judgeCall(
  { server }: FlowTool,
  roles: ToolRoles,
  look: Look,
  memory: SessionMemory,
  sentBefore: (key: string) => string,
): Judgement {
  const { texts, destinations } = look;
  const findings: Finding[] = [];
  const carried: { key: string; text: string }[] = [];
  for (const to of destinations) {
    const origin = memory.originOf(to, server);
    if (origin.kind === 'read') {
      if (!isHarmless(to, origin.source, roles, texts, memory))
        findings.push({ why: 'read', to, source: origin.source });
      continue;
    }
    if (to.isLink === true || to.kind === 'name' || origin.kind === 'told') continue;
    if (origin.kind === 'unsure') findings.push({ why: 'unsure', to });
    else if (memory.hasPrivate) {
      const goes = carriedTo(to, texts, roles);
      if (goes !== '') carried.push({ key: to.key, text: goes });
      if (isPrivate(goes, sentBefore(to.key), look, memory)) findings.push({ why: 'private', to });
    }
  }
  const kinds = new Set(texts.flatMap(({ text }) => sensitiveIn(text).map(({ kind }) => kind)));
  return { findings: [...findings, ...[...kinds].map((kind) => ({ why: 'secret', kind }) as const)], carried };
}

/** Each once; those the call is sent to before links in what it says. `hides`: the texts may say more under an encoding. */
function sendsTo(texts: readonly ArgumentText[], roles: ToolRoles, hides: boolean): readonly Destination[] {
  const found = texts.flatMap(({ keys, text }) => {
    const key = destinationKey(keys);
    const own = roles.runs
      ? destinationsIn(text, false)
      : key === undefined
        ? wholeDestination(text)
        : destinationsIn(text, key === 'recipient' && roles.messages);
    const hidden = hides ? decodedOnce(text).flatMap((decoded) => destinationsIn(decoded, false)) : [];
    return [...own, ...hidden, ...(own.length === 0 || key === undefined ? linksIn(text) : [])];
  });
  if (found.length < 2) return found;
  const byKey = new Map<string, Destination>();
  for (const to of found.sort((one, other) => Number(one.isLink === true) - Number(other.isLink === true))) {
    if (!byKey.has(to.key)) byKey.set(to.key, to);
  }
  return [...byKey.values()].slice(0, mostDestinations);
}

/**
 * A page that is fetched just as a page or a file named it takes nothing along; one that a message names may wait for just that, and
 * what it says is read. A link in what is sent matters where a stranger named it.
 */
function isHarmless(
  { url, isLink }: Destination,
  source: Source,
  { fetches }: ToolRoles,
  texts: readonly ArgumentText[],
  memory: SessionMemory,
): boolean {
  if (isLink === true) return !source.foreign;
  if (url === undefined || !fetches || source.messages || !memory.hasUrl(url)) return false;
  const beside = texts.filter(({ keys }) => destinationKey(keys) === undefined);
  return beside.reduce((sum, { text }) => sum + text.length, 0) <= 120 && beside.every(({ text }) => text.length <= 40);
}

/** What an address is told: its own path and question, and what a command or a request has besides. To people, only what is encoded. */
function carriedTo(to: Destination, texts: readonly ArgumentText[], { runs }: ToolRoles): string {
  if (to.kind !== 'site') return '';
  const own = saidIn(to.url ?? '');
  const labels = to.key.slice('site '.length).split('.').slice(0, -2).join(' ');
  const beside = texts.filter(({ keys }) => runs || destinationKey(keys) === undefined).map(({ text }) => text);
  return [labels, own, ...beside].join(' ').trim();
}

/** Steps of the path and values of the question; a name without a value is one itself. */
function saidIn(url: string): string {
  const [path = '', question = ''] = url.replace(/^[^/?#]*/, '').split('?');
  const values = [...new URLSearchParams(question)].map(([name, value]) => (value === '' ? name : value));
  return [...path.split('/').map(unescaped), ...values].filter((one) => one !== '').join(' ');
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** What goes to people in plain words is what mails are for: of that only what is encoded counts. */
function isPrivate(goes: string, before: string, { hidden }: Look, memory: SessionMemory): boolean {
  const joined = before === '' ? [] : [`${before} ${goes}`, `${before}${goes}`.replace(/\s+/g, '')];
  const plain = goes === '' ? joined : [goes, ...joined];
  const isIn = (text: string): boolean => memory.privateIn(text) >= leastPrivate;
  return [...plain, ...plain.map(rotated), ...plain.flatMap(decodedOnce), ...hidden].some(isIn);
}

function shortened(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText / 2)}\n${text.slice(-longestText / 2)}`;
}
