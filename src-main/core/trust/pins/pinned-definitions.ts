/** Lists what a server offers as definitions that can be pinned, and compares them with the pinned ones. */
import type { JsonObject } from '../../base/json.ts';
import { TimeSlices } from '../../base/scheduling/time-slices.ts';
import { type AddedText, allTexts, type ChangeClass, compareDefinitions } from './compare-definitions.ts';
import type { ScanFinding } from '../scan/scan-finding.ts';
import type { PinKey, PinnedKind } from './pin-store.ts';

/** The lists that are compared with pins; resources themselves are data and change freely. */
export interface PinnableLists {
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  /** Skills with the digests of their files: a changed file is a changed definition. */
  readonly skills?: readonly JsonObject[];
}

/** A definition that differs from the accepted one. */
export interface DefinitionChange {
  readonly key: PinKey;
  readonly kind: PinnedKind;
  readonly name: string;
  readonly class: ChangeClass;
  /** Undefined: the definition is new. */
  readonly before: JsonObject | undefined;
  /** Undefined: the definition was removed. */
  readonly after: JsonObject | undefined;
  readonly added: readonly AddedText[];
  readonly milder: readonly string[];
  /** Whether it changed without a change of the launch. */
  readonly isRugPull: boolean;
  /** Scan findings that the accepted definition does not have. */
  readonly findings: readonly ScanFinding[];
  /** The circumstances, if known: within a minute of a call, or without a change of the launch. */
  readonly origin?: 'call' | 'same launch';
}

export const pinnableKinds: readonly {
  readonly kind: PinnedKind;
  readonly list: keyof PinnableLists;
  readonly identifier: string;
}[] = [
  { kind: 'tool', list: 'tools', identifier: 'name' },
  { kind: 'prompt', list: 'prompts', identifier: 'name' },
  { kind: 'template', list: 'resourceTemplates', identifier: 'uriTemplate' },
  { kind: 'skill', list: 'skills', identifier: 'uri' },
];

export const introductionKey: PinKey = 'introduction:';

export function pinKey(kind: PinnedKind, name: unknown): PinKey {
  return `${kind}:${typeof name === 'string' ? name : ''}`;
}

/**
 * The key of each entry of a list, in order. Duplicate names get distinct keys, so that the second cannot bypass the
 * pin of the first.
 */
export function pinKeys(kind: PinnedKind, entries: readonly JsonObject[], identifier: string): readonly PinKey[] {
  const times = new Map<PinKey, number>();
  return entries.map((entry) => {
    const key = pinKey(kind, entry[identifier]);
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    return time === 1 ? key : (`${key}\n${time}` as const);
  });
}

export function pinnableDefinitions(offer: PinnableLists, introduced: JsonObject | undefined): Map<PinKey, JsonObject> {
  const found = new Map<PinKey, JsonObject>();
  if (introduced !== undefined) found.set(introductionKey, introduced);
  for (const { kind, list, identifier } of pinnableKinds) {
    const entries = offer[list] ?? [];
    const keys = pinKeys(kind, entries, identifier);
    entries.forEach((entry, at) => found.set(keys[at] ?? pinKey(kind, undefined), entry));
  }
  return found;
}

type Definitions = ReadonlyMap<PinKey, JsonObject>;

/** Returns the offered definitions that differ from the pinned ones. */
export function diffDefinitions(pinned: Definitions, offered: Definitions): readonly DefinitionChange[] {
  return [...offered].flatMap(([key, after]) => changeOf(key, pinned.get(key), after) ?? []);
}

/** The same, with turns of the event loop between definitions. */
export async function changesInSlices(pinned: Definitions, offered: Definitions): Promise<readonly DefinitionChange[]> {
  const slices = new TimeSlices();
  const changes: DefinitionChange[] = [];
  for (const [key, after] of offered) {
    await slices.next();
    const change = changeOf(key, pinned.get(key), after);
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

function changeOf(key: PinKey, before: JsonObject | undefined, after: JsonObject): DefinitionChange | undefined {
  if (before === undefined) return { ...named(key), class: 'new', before, after, added: allTexts(after), milder: [] };
  const difference = compareDefinitions(before, after);
  return difference && { ...named(key), ...difference, before, after };
}

/** Returns the pinned definitions that are no longer offered. */
export function removedDefinitions(
  pinned: ReadonlyMap<PinKey, JsonObject>,
  before: ReadonlyMap<PinKey, JsonObject>,
  offered: ReadonlyMap<PinKey, JsonObject>,
): readonly DefinitionChange[] {
  const gone = [...before.keys()].filter((key) => pinned.has(key) && !offered.has(key));
  return gone.map((key) => ({
    ...named(key),
    class: 'gone',
    before: pinned.get(key),
    after: undefined,
    added: [],
    milder: [],
  }));
}

/** Whether a server only added tools. */
export function onlyAddsTools(changes: readonly DefinitionChange[], gone: readonly DefinitionChange[]): boolean {
  return gone.length === 0 && changes.every((change) => change.class === 'new' && change.kind === 'tool');
}

export function pinKindOf(key: PinKey): PinnedKind {
  return key.slice(0, key.indexOf(':')) as PinnedKind;
}

function named(key: PinKey): Pick<DefinitionChange, 'key' | 'kind' | 'name' | 'isRugPull' | 'findings'> {
  const at = key.indexOf(':');
  const [name = ''] = key.slice(at + 1).split('\n');
  return { key, kind: pinKindOf(key), name, isRugPull: false, findings: [] };
}

/** Whether the user must review the change; other changes remove text or do not affect the model. */
export function needsReview({ class: kind }: DefinitionChange): boolean {
  return kind === 'text_gained' || kind === 'hints_milder' || kind === 'new';
}

const classWords: Readonly<Record<ChangeClass, string>> = {
  mechanical: 'is worded differently',
  text_lost: 'lost text',
  text_gained: 'gained text',
  hints_milder: 'declares itself less dangerous',
  new: 'is new',
  gone: 'was removed',
};

/** For example `create_issue says less, list_issues is gone`: for the log, without words of the server. */
export function describeChanges(changes: readonly DefinitionChange[]): string {
  const some = changes.slice(0, 10).map((one) => `${one.name || 'its server information'} ${classWords[one.class]}`);
  return changes.length > some.length ? `${some.join(', ')} and ${changes.length - some.length} more` : some.join(', ');
}

/** Maximum number of pins of removed definitions, kept in case they return. */
const maxRemovedDefinitions = 1000;

/** Deletes pins of removed definitions beyond the limit, the oldest first. */
export function forgetGone(definitions: Map<PinKey, JsonObject>, offered: ReadonlyMap<PinKey, JsonObject>): void {
  if (definitions.size <= offered.size + maxRemovedDefinitions) return;
  const gone = [...definitions.keys()].filter((key) => !offered.has(key));
  for (const key of gone.slice(0, gone.length - maxRemovedDefinitions)) definitions.delete(key);
}
